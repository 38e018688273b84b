import FleetModel
import Storage

/// What the Cloud's answers mean.
extension DocumentSync {
    func finish(_ work: DocumentLibrary.Work, _ reply: NetworkReply) {
        let response: HTTPResponse? = if case .response(let response) = reply { response } else { nil }
        switch work {
        case .feed(let container): finishFeed(container, response)
        case .operation(let seq): finishOperation(seq, response)
        case .data(let item, let version): finishData(item, version, response)
        case .conflict(let item, let id): finishConflict(item, id, response)
        }
    }

    private func finishFeed(
        _ container: String, _ response: HTTPResponse?
    ) {
        library.update(container: container) { $0.isBusy = false }
        // A captive portal answers 200 with a page: only a body of the right shape counts.
        if let response, response.isSuccess, let body = response.json, feeds.applyFeed(body, container) {
            library.update(container: container) {
                $0.retry.succeeded()
                $0.mustFeed = false
            }
        } else {
            library.update(container: container) {
                $0.retry.failed(at: pad.now, response)
                $0.wantsFeed = true
            }
        }
    }

    // MARK: Operations

    private func finishOperation(
        _ seq: Int64, _ response: HTTPResponse?
    ) {
        guard let operation = library.operations.first(where: { $0.seq == seq }) else { return }
        library.update(container: operation.container) { $0.isBusy = false }
        library.update(operation: seq) { $0.isUnderWay = false }
        guard let item = library.items[operation.item] else {
            return forget(operation)
        }
        let isDone: Bool
        switch operation.kind {
        case .put: isDone = finishPut(operation, item, response)
        case .delete: isDone = finishDelete(operation, item, response)
        case .move: isDone = finishMove(operation, item, response)
        case .resolve: isDone = finishResolve(operation, item, response)
        }
        guard isDone else {
            library.update(operation: seq) { $0.retry.failed(at: pad.now, response) }
            return uploaded(operation, TransferTrouble(response))
        }
        uploaded(operation, nil)
        let before = item.path
        placing.settlePlaces()
        let paths = [before, library.items[item.id]?.path].compactMap { $0 }
        presenters.notify(Set(paths).sorted(), operation.container)
    }

    /// Keeps on the item what came of an upload, and tells apps when that is something else (icloud-documents.md 10: the upload stays pending
    /// with its error).
    private func uploaded(
        _ operation: DocumentOperation, _ trouble: TransferTrouble?
    ) {
        guard operation.kind == .put, let item = library.items[operation.item], item.uploadTrouble != trouble else {
            return
        }
        library.update(item: item.id) { $0.uploadTrouble = trouble }
        if let trouble {
            pad.note(
                AnswerNotes.document(
                    NoteDetail.Answered { ($0.code, $0.domain) = (.int(trouble.rawValue), "NSCocoaErrorDomain") },
                    at: item.path ?? item.id,
                    tokens: operation.tokens, of: library.volume.person))
        }
        presenters.notify(item.path.map { [$0] } ?? [], item.container)
    }

    /// The content is in the Cloud: as the current version, or beside it when somebody else was faster. Nothing is dropped there, and
    /// nothing here is given a version that its author did not see.
    private func finishPut(
        _ operation: DocumentOperation, _ item: DocumentItem, _ response: HTTPResponse?
    ) -> Bool {
        guard let response, response.isSuccess, let json = response.json else { return false }
        let body = DocumentChangeAnswer(lenient: json)
        guard let version = body.version else { return false }
        var item = item
        let isConflict = body.conflict
        item.sentModified = operation.modified
        // `version` names what was put, also when it lost: the next edit descends from it. What the feed has shown meanwhile is newer
        // than this answer.
        item.base = version
        item.baseDigest = ""
        if !isConflict && item.remote == operation.sentBase || item.remote == .none { item.remote = version }
        adopt(body.path, &item, ifLast: operation)
        guard keep([.drop(operation.seq), .save(item)]) else { return false }
        if isConflict {
            library.update(container: item.container) { $0.mustFeed = true }
            pad.note(
                Note(
                    .mark, person: library.volume.person, channel: .document, tokens: operation.tokens,
                    detail: Mark.documentConflict.detail))
            pad.note(
                AnswerNotes.document(
                    NoteDetail.Answered { $0.conflict = true }, at: item.path ?? item.id, tokens: operation.tokens,
                    of: library.volume.person))
        }
        return true
    }

    /// The Cloud gave the document another name than it was asked for; a move that is still queued counts more.
    private func adopt(
        _ relative: String?, _ item: inout DocumentItem, ifLast operation: DocumentOperation
    ) {
        guard let relative, ContainerPath.isNormal(relative) else { return }
        guard !library.operations(of: item.id).contains(where: { $0.kind == .move && $0.seq != operation.seq }) else {
            return
        }
        item.wanted =
            ContainerPath(
                container: item.container, relative: relative, isSecond: library.volume.isSecond
            ).absolute
    }

    /// Somebody changed the document after the one who deleted it looked: it stays (409), and comes back here.
    private func finishDelete(
        _ operation: DocumentOperation, _ item: DocumentItem, _ response: HTTPResponse?
    ) -> Bool {
        guard let response, response.json != nil else { return false }
        if response.isSuccess || response.status == 404 || response.status == 410 {
            return keep([.drop(operation.seq), .remove(item.id)])
        }
        guard response.status == 409 else { return false }
        var kept = item
        kept.isDeleted = false
        kept.wantsData = true
        library.update(container: item.container) { $0.wantsFeed = true }
        return keep([.drop(operation.seq), .save(kept)])
    }

    private func finishMove(
        _ operation: DocumentOperation, _ item: DocumentItem, _ response: HTTPResponse?
    ) -> Bool {
        guard let response, let json = response.json else { return false }
        let body = DocumentChangeAnswer(lenient: json)
        if response.status == 404 {
            library.update(container: item.container) { $0.wantsFeed = true }
            return keep([.drop(operation.seq)])
        }
        guard response.isSuccess, let version = body.version else {
            // Stale base: read the changes, then follow the newest version.
            if response.status == 409 { library.update(container: item.container) { $0.mustFeed = true } }
            return false
        }
        var item = item
        adopt(body.path, &item, ifLast: operation)
        // A first try that was answered proves that nothing came between; after a lost answer the feed has to say.
        if operation.retry.attempt == 0 {
            if item.base == item.remote { item.base = version }
            item.remote = version
        } else if version != item.remote {
            library.update(container: item.container) { $0.wantsFeed = true }
        }
        return keep([.drop(operation.seq), .save(item)])
    }

    private func finishResolve(
        _ operation: DocumentOperation, _ item: DocumentItem, _ response: HTTPResponse?
    ) -> Bool {
        guard let response, let json = response.json, response.isSuccess || response.status == 404 else { return false }
        if DocumentChangeAnswer(lenient: json).version != item.remote {
            library.update(container: item.container) { $0.wantsFeed = true }
        }
        return keep([.drop(operation.seq)])
    }

    // MARK: Data

    /// Lays downloaded data down, unless something of the person's has come in between.
    private func finishData(
        _ id: String, _ version: DocumentVersion, _ response: HTTPResponse?
    ) {
        guard let item = library.items[id], let path = item.path, !item.isDeleted else { return }
        guard let response, response.isContent, item.remote != version || hasSize(response, item.remoteSize) else {
            if response?.status == 404 { library.update(container: item.container) { $0.wantsFeed = true } }
            let trouble = TransferTrouble(response) ?? .unavailable
            library.update(item: id) {
                $0.retry.failed(at: pad.now, response)
                $0.downloadTrouble = trouble
            }
            if item.downloadTrouble != trouble { presenters.notify([path], item.container) }
            return presenters.answerWaiters(of: id, DocumentCalls.unavailable(path).body)
        }
        guard item.remote == version, !library.hasPut(id), !library.isBeingWritten(path) else { return }
        let hasFile = library.volume.disk.status(path) != nil
        if item.isLocal || hasFile, writing.isChanged(path) {
            return journalFirst(id, path)
        }
        do {
            try lay(response.body, item, at: path)
        } catch {
            library.update(item: id) { $0.retry.failed(at: pad.now) }
            return presenters.answerWaiters(of: id, ServiceError(error, doing: "download of \(path)").body)
        }
        presenters.tellPresenters(.changed, path)
        presenters.notify([path], item.container)
    }
    /// The person's edit comes before what was downloaded. On a full disk both wait. Where an app has made a folder there is no edit, nor
    /// room for the document: it is asked for again after a pause.
    private func journalFirst(_ id: String, _ path: String) {
        do {
            try writing.settleOne(path, isDeleting: false, nil)
            guard library.hasPut(id) || library.items[id]?.isDeleted ?? true else {
                throw ServiceError(.cocoa, 516, "\(path): a folder is in the document's place; move it away")
            }
        } catch {
            if error.isOfMachine { pad.problem("the edit of \(path) on \(pad.deviceName): \(error)") }
            library.update(item: id) { $0.retry.failed(at: pad.now) }
            presenters.answerWaiters(of: id, ServiceError(error, doing: "download of \(path)").body)
        }
    }
    private func hasSize(_ response: HTTPResponse, _ size: Int) -> Bool { size < 0 || response.body.count == size }

    private func finishConflict(
        _ id: String, _ conflict: String, _ response: HTTPResponse?
    ) {
        guard var item = library.items[id], let index = item.conflicts.firstIndex(where: { $0.id == conflict }) else {
            return
        }
        guard let response, response.isContent, hasSize(response, item.conflicts[index].size) else {
            if response?.status == 404 { library.update(container: item.container) { $0.wantsFeed = true } }
            return library.update(item: id) { $0.retry.failed(at: pad.now, response) }
        }
        item.conflicts[index].hasData = true
        item.retry.succeeded()
        guard keep([.conflictData(item: id, id: conflict, response.body), .save(item)]) else {
            return library.update(item: id) { $0.retry.failed(at: pad.now) }
        }
        presenters.notify(item.path.map { [$0] } ?? [], item.container)
    }
}

extension HTTPResponse {
    /// Bytes of a document: the Cloud names their version (Docs/cloud-api.md). A portal's page may be as long as the document.
    fileprivate var isContent: Bool { isSuccess && headers["X-Homeroom-Version"] != nil }
}
