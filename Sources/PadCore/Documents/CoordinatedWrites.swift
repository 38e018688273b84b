import FleetModel
import Storage

/// Coordinated writes of apps, and how what happened to the files becomes work for the Cloud (icloud-documents.md 6, 7).
struct CoordinatedWrites: DocumentWork {
    let library: DocumentLibrary
    let pad: any PadServices

    /// The write has ended: the daemon compares files and journal, and answers for what it finds. On a full disk it does so when there is
    /// room: the file is what the app made of it already, so the app is told of no error. Until then the file itself is durable. ASSUMED.
    func endWrite(_ message: Message, _ app: AppIdentity) throws
        -> Value
    {
        let path = library.unit(of: try calls.containerPath(message, app).absolute)
        guard let index = library.accesses.writes.lastIndex(where: { $0.app == app && $0.path == path }) else {
            throw ServiceError.malformed("docs.endWrite of \(path) without docs.beginWrite")
        }
        let write = library.accesses.writes.remove(at: index)
        library.accesses.ended.append(write)
        try settleEnded()
        if library.accesses.ended.contains(where: { $0.places == write.places }) {
            for place in write.places.flatMap({ library.places(below: $0) }) where library.hasDocument(at: place) {
                try library.syncDocument(place)
            }
        }
        return .empty
    }

    /// Settles the writes that have ended, in their order, as far as there is room.
    func settleEnded() throws {
        while let write = library.accesses.ended.first {
            do { try settle(write) } catch {
                if error.isOutOfRoom { return }
                library.accesses.ended.removeFirst()
                throw error
            }
            library.accesses.ended.removeFirst()
        }
    }
    private func settle(_ write: DocumentLibrary.OpenAccess) throws {
        let (app, path) = (write.app, write.path)
        let last = library.operations.last?.seq
        if let to = write.movedTo {
            try settleMove(from: path, to: to, app)
            if ContainerPath(to) != nil { try settle(below: to, isDeleting: false, app) }
        }
        try settle(below: path, isDeleting: write.isDeleting, app)
        placing.settlePlaces()
        if library.operations.last?.seq != last { tellOthers(write) }
    }

    /// Other apps that share the container hear of what was written: their presenters and queries.
    private func tellOthers(_ write: DocumentLibrary.OpenAccess) {
        let isGone = !library.hasDocument(at: write.path)
        if let to = write.movedTo, isGone {
            presenters.tellPresenters(.moved, write.path, to: to, besides: write.app)
        } else {
            presenters.tellPresenters(isGone ? .deleted : .changed, write.path, besides: write.app)
        }
        guard let container = ContainerPath(write.path)?.container else { return }
        presenters.notify(write.places.filter { ContainerPath($0) != nil }, container, besides: write.app)
    }

    /// Looks for files that an app changed without coordination. Called when the app leaves the foreground or dies: the system sees
    /// such changes late. ASSUMED moment.
    func noticeUncoordinated(_ app: AppIdentity) {
        for container in library.containers where container.apps.contains(app.bundle) {
            for path in library.places(below: ContainerPath.folder(of: container.id, second: library.volume.isSecond))
            where !library.isBeingWritten(path) && isChanged(path) {
                // What cannot be written down now (disk full) is found again the next time.
                pad.attempt("the edit of \(path)") { try settleOne(path, isDeleting: false, app) }
            }
        }
    }

    /// Whether the file differs from the journal, by size and time, and by content where those cannot tell.
    func isChanged(_ path: String) -> Bool {
        let status = library.documentStatus(path)
        guard let item = library.item(at: path) else { return status != nil }
        guard let status else { return item.isLocal }
        guard item.isLocal, status.size == item.size else { return true }
        if status.modified == item.modified, item.checked > item.modified { return false }
        guard let data = try? library.documentData(path), documentDigest(data) == item.digest else { return true }
        library.update(item: item.id) { $0.checked = pad.now }
        return false
    }

    // MARK: Comparing

    private func settle(
        below path: String, isDeleting: Bool, _ app: AppIdentity?
    ) throws {
        for place in library.places(below: path) { try settleOne(place, isDeleting: isDeleting, app) }
    }

    /// Makes work of the difference between the file and the journal at one place.
    func settleOne(
        _ path: String, isDeleting: Bool, _ app: AppIdentity?
    ) throws {
        guard let place = ContainerPath(path), !place.isExcluded else { return }
        let hasFile = library.hasDocument(at: path)
        switch (hasFile, library.item(at: path)) {
        case (true, let item): try journalWrite(place, item, app)
        case (false, let item?) where item.isLocal || isDeleting: try journalDelete(item)
        case (false, _): break
        }
    }

    // MARK: Journaling

    /// Syncs the file and queues its bytes in one commit. From then on the system answers for the tokens in it.
    private func journalWrite(
        _ place: ContainerPath, _ present: DocumentItem?, _ app: AppIdentity?
    ) throws {
        let path = place.absolute
        let data = try library.documentData(path)
        let digest = documentDigest(data)
        if let present, present.isLocal, present.digest == digest, present.size == data.count {
            return library.update(item: present.id) { $0.checked = pad.now }
        }
        try library.syncDocument(path)
        var item = present ?? DocumentItem(id: newID(place), container: place.container, wanted: path)
        // Data put where only metadata were: their author never saw the Cloud's, so both must be kept.
        if !item.isLocal { item.base = .none }
        item.path = path
        item.isLocal = true
        item.size = data.count
        item.modified = library.documentStatus(path)?.modified ?? pad.now
        item.digest = digest
        item.checked = pad.now

        var changes: [DocumentChange] = [.back(path: path)]
        // What was queued and certainly not sent is replaced by what the person made of it.
        if let last = library.operations(of: item.id).last, last.kind == .put, !last.wasSent {
            changes.append(.drop(last.seq))
        }
        var put = operation(.put, item, path, digest)
        put.tokens = EditPayload.scan(data).tokens
        changes += [.save(item), .enqueue(put, content: data)]
        try library.commit(changes)
        guard !put.tokens.isEmpty else { return }
        pad.note(
            Note(
                .handedOver, person: library.volume.person, app: app?.app, channel: .document, tokens: put.tokens,
                detail: ["where": .string(place.relative)]))
    }

    private func journalDelete(_ item: DocumentItem) throws {
        guard let path = item.path else { return }
        let queued = library.operations(of: item.id)
        var changes: [DocumentChange] = queued.filter { !$0.wasSent }.map { .drop($0.seq) }
        if item.isLocal { changes.append(.gone(path: path, digest: item.digest)) }
        if item.remote == .none, !queued.contains(where: \.wasSent) {
            try library.commit(changes + [.remove(item.id)])
            return
        }
        var deleted = item
        // Who deletes what is not here deletes what the metadata showed.
        if !item.isLocal { deleted.base = item.remote }
        deleted.isDeleted = true
        deleted.isLocal = false
        deleted.path = nil
        try library.commit(
            changes + [.save(deleted), .enqueue(operation(.delete, deleted, path, item.digest), content: nil)])
    }

    /// Documents keep their identity when they are moved inside a container; out of it they are deleted elsewhere.
    private func settleMove(
        from: String, to: String, _ app: AppIdentity
    ) throws {
        let disk = library.volume.disk
        for item in library.items(atOrBelow: from) {
            guard let old = item.path, let target = ContainerPath(to + old.dropFirst(from.count)) else { continue }
            let isMoved = disk.status(old) == nil && (!item.isLocal || disk.status(target.absolute) != nil)
            guard isMoved, target.container == item.container, !target.isExcluded else { continue }
            try journalMove(item, target.absolute)
        }
    }

    private func journalMove(_ item: DocumentItem, _ to: String)
        throws
    {
        if item.isLocal { try library.syncDocument(to) }
        var changes: [DocumentChange] = [.back(path: to)]
        if item.isLocal, let old = item.path { changes.append(.gone(path: old, digest: item.digest)) }
        // Another document that was only metadata there gives way; it finds a place when the Cloud has named both.
        if var other = library.item(at: to), other.id != item.id {
            other.path = nil
            changes.append(.save(other))
        }
        var moved = item
        moved.path = to
        moved.wanted = to
        var operation = operation(.move, moved, to, 0)
        operation.from = item.path
        changes += [.save(moved), .enqueue(operation, content: nil)]
        try library.commit(changes)
    }

    /// A new entry of the queue. Its time is after that of our last upload, so that both can be told apart.
    func operation(
        _ kind: DocumentOperation.Kind, _ item: DocumentItem, _ path: String, _ digest: UInt64
    ) -> DocumentOperation {
        let modified = max(pad.deviceClock, item.sentModified == .max ? .max : item.sentModified + 1)
        var hash = StableHash(UInt64(bitPattern: pad.now.nanoseconds))
        for text in [kind.rawValue, item.id, path] { hash.add(text) }
        hash.add(digest)
        hash.add(UInt64(bitPattern: modified))
        return DocumentOperation(
            kind, item, path: path, request: "\(pad.deviceName).\(String(hash.value, radix: 16))", modified: modified)
    }

    /// A name for a new document that no device and no earlier life of this one has given.
    private func newID(_ place: ContainerPath) -> String {
        var hash = StableHash(UInt64(bitPattern: pad.now.nanoseconds))
        for text in [pad.deviceName, place.container, place.relative] { hash.add(text) }
        return "\(pad.deviceName)-\(String(hash.value, radix: 16))"
    }
}
