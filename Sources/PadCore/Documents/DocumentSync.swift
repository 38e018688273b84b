import FleetModel
import Storage

/// What is sent to the Cloud, and when.
extension DocumentDaemon {
    /// Downloads under way at once, for one person. ASSUMED.
    static let parallel = 4

    /// Starts what can start, and works out when to look again.
    func pump(_ pad: any PadServices) {
        var next: Instant?
        for person in pad.accounts {
            guard let library = libraries[person] else { continue }
            pad.attempt("a write that has ended") { try settleEnded(library, pad) }
            answerServedWaiters(library, pad)
            library.giveUpWrites(at: pad.now)
            giveTurns(library, pad)
            let isReachable = pad.canReachNetwork(as: person) && pad.hasAccount(person)
            for container in library.containers { poll(container, library, pad) }
            if isReachable {
                for container in library.containers { sendMetadata(container.id, library, pad) }
                sendDownloads(library, pad)
            }
            for instant in wakes(library, isReachable, pad) { next = next.map { min($0, instant) } ?? instant }
        }
        nextWake = next
    }

    /// Pushes may be lost: the signed-in person's containers, and those with work, are asked for now and then.
    private func poll(_ container: DocumentContainer, _ library: DocumentLibrary, _ pad: any PadServices) {
        guard session == library.volume.person else {
            return library.update(container: container.id) { $0.nextPoll = nil }
        }
        guard let due = container.nextPoll else {
            return library.update(container: container.id) { $0.nextPoll = pad.now + Self.pollInterval }
        }
        guard due <= pad.now else { return }
        library.update(container: container.id) {
            $0.wantsFeed = true
            $0.nextPoll = pad.now + Self.pollInterval
        }
    }

    private func wakes(_ library: DocumentLibrary, _ isReachable: Bool, _ pad: any PadServices) -> [Instant] {
        var wakes = library.containers.compactMap(\.nextPoll)
        if !library.unsettled.isEmpty { wakes.append(pad.now + Self.roomPause) }
        // What is due already waits for something under way, whose answer wakes us.
        func waits(_ retry: RetrySchedule) -> Bool { !isReachable || retry.notBefore > pad.now }
        var retries = library.containers.filter { !$0.isBusy && needsFeed($0, library) }.map(\.retry).filter(waits)
        retries += library.operations.filter { !$0.isUnderWay }.map(\.retry).filter(waits)
        retries += downloads(library).filter { waits($0.retry) && library.underWay[dataTask($0)] == nil }.map(\.retry)
        retries += missingConflicts(library).map(\.item).filter {
            waits($0.retry) && library.underWay[conflictTask($0)] == nil
        }.map(\.retry)
        if isReachable {
            wakes += retries.map(\.notBefore)
        } else if !retries.isEmpty {
            wakes.append(pad.now + Self.unreachablePause)
        }
        if let instant = nextGivenUp(library), instant > pad.now { wakes.append(instant) }
        return wakes
    }

    /// Changes are read for who is here, and for who has a conflict to settle.
    func needsFeed(_ container: DocumentContainer, _ library: DocumentLibrary) -> Bool {
        container.mustFeed || container.wantsFeed && session == library.volume.person
    }

    // MARK: Metadata and uploads, one at a time

    private func sendMetadata(_ id: String, _ library: DocumentLibrary, _ pad: any PadServices) {
        guard let container = library.container(id), !container.isBusy else { return }
        if needsFeed(container, library), container.retry.isDue(at: pad.now) {
            return sendFeed(container, library, pad)
        }
        guard !container.mustFeed else { return }
        if let next = nextOperation(id, library, pad) { send(next, library, pad) }
    }

    private func sendFeed(_ container: DocumentContainer, _ library: DocumentLibrary, _ pad: any PadServices) {
        let name = "changes \(container.id)"
        library.update(container: container.id) {
            $0.isBusy = true
            $0.wantsFeed = false
        }
        library.underWay[name] = .feed(container.id)
        let request = HTTPRequest(post: "/documents/v1/\(container.id)/changes", json: ["since": .int(container.since)])
        pad.send(request, task: task(name, container.retry.attempt, library), cause: name)
    }

    /// The first that is due and touches no document and no place of an earlier one.
    private func nextOperation(_ container: String, _ library: DocumentLibrary, _ pad: any PadServices)
        -> DocumentOperation?
    {
        var items: Set<String> = []
        var places: Set<String> = []
        for operation in library.operations where operation.container == container {
            let touched = [operation.path, operation.from, library.items[operation.item]?.path].compactMap { $0 }
            let isFree = !items.contains(operation.item) && places.isDisjoint(with: touched)
            if isFree, operation.retry.isDue(at: pad.now) { return operation }
            items.insert(operation.item)
            places.formUnion(touched)
        }
        return nil
    }

    private func send(_ operation: DocumentOperation, _ library: DocumentLibrary, _ pad: any PadServices) {
        guard let item = library.items[operation.item] else {
            return forget(operation, library, pad)
        }
        guard var request = request(for: operation, item, library, pad) else {
            return library.update(operation: operation.seq) { $0.retry.failed(at: pad.now) }
        }
        request.headers["X-Homeroom-Request"] = operation.request
        library.update(container: operation.container) { $0.isBusy = true }
        library.update(operation: operation.seq) {
            $0.wasSent = true
            $0.isUnderWay = true
            $0.sentBase = item.base
        }
        library.underWay[operation.name] = .operation(operation.seq)
        pad.send(
            request, task: task(operation.name, operation.retry.attempt, library),
            cause: operation.tokens.first ?? operation.name)
    }

    /// Nil when the queued bytes cannot be read now.
    private func request(
        for operation: DocumentOperation, _ item: DocumentItem, _ library: DocumentLibrary, _ pad: any PadServices
    ) -> HTTPRequest? {
        let target = "/documents/v1/\(item.container)/items/\(item.id)"
        // The Cloud takes the path of an upload for the document's name: after a rename elsewhere it must be the new one.
        let isMoving = library.operations(of: item.id).contains { $0.kind == .move }
        let place = operation.kind == .put && !isMoving && !item.isDeleted ? item.wanted : operation.path
        let relative = ContainerPath(place)?.relative ?? ""
        let base = ContainerPath.percentEncoded(item.base.text)
        switch operation.kind {
        case .put:
            var content: [UInt8] = []
            guard pad.attempt("an upload's bytes", { content = try library.content(of: operation.seq) }) else {
                return nil
            }
            let path = ContainerPath.percentEncoded(relative)
            return HTTPRequest(
                "PUT", "\(target)?base=\(base)&path=\(path)&modified=\(operation.modified)", body: content)
        case .delete: return HTTPRequest("DELETE", "\(target)?base=\(base)")
        // A move concerns the name, not the content: it follows the newest version.
        case .move:
            let newest = item.remote == .none ? item.base : item.remote
            return HTTPRequest(post: "\(target)/move", json: ["base": newest.value, "path": .string(relative)])
        case .resolve: return HTTPRequest(post: "\(target)/resolve", json: ["versions": .strings(operation.versions)])
        }
    }

    func task(_ name: String, _ attempt: Int, _ library: DocumentLibrary) -> NetworkTask {
        NetworkTask(service: Self.service, person: library.volume.person, name: name, attempt: attempt)
    }

    // MARK: Downloads

    /// Documents whose data are to be fetched: asked for, or here and stale, with nothing unsent of their own.
    func downloads(_ library: DocumentLibrary) -> some Sequence<DocumentItem> {
        let isHere = session == library.volume.person
        return library.itemsWithoutData(all: isHere && library.fetchesAll).lazy.filter { item in
            guard isHere || !item.isLocal, !item.isDeleted, item.remote != .none, let path = item.path else {
                return false
            }
            return !library.hasPut(item.id) && !library.isBeingWritten(path)
        }
    }
    /// The first conflict version of each document whose data are missing: fetched early, because `docs.versions` must not wait.
    func missingConflicts(_ library: DocumentLibrary) -> [(item: DocumentItem, conflict: ConflictVersion)] {
        guard session == library.volume.person else { return [] }
        return library.itemsWithoutVersions.compactMap { item in
            item.conflicts.first { !$0.hasData }.map { (item, $0) }
        }
    }

    private func sendDownloads(_ library: DocumentLibrary, _ pad: any PadServices) {
        for item in downloads(library) where item.retry.isDue(at: pad.now) {
            guard mayFetch(library) else { return }
            fetch(dataTask(item), .data(item.id, item.remote), item, item.remote, library, pad)
        }
        for (item, conflict) in missingConflicts(library) where item.retry.isDue(at: pad.now) {
            guard mayFetch(library) else { return }
            let work = DocumentLibrary.Work.conflict(item: item.id, id: conflict.id)
            fetch(conflictTask(item), work, item, conflict.version, library, pad)
        }
    }
    private func mayFetch(_ library: DocumentLibrary) -> Bool {
        let count = library.underWay.values.count {
            if case .data = $0 { true } else if case .conflict = $0 { true } else { false }
        }
        return count < Self.parallel
    }
    func dataTask(_ item: DocumentItem) -> String { "get \(item.container)/\(item.relative)" }
    func conflictTask(_ item: DocumentItem) -> String { "conflict \(item.container)/\(item.relative)" }

    private func fetch(
        _ name: String, _ work: DocumentLibrary.Work, _ item: DocumentItem, _ version: DocumentVersion,
        _ library: DocumentLibrary, _ pad: any PadServices
    ) {
        guard library.underWay[name] == nil else { return }
        library.underWay[name] = work
        let version = ContainerPath.percentEncoded(version.text)
        let request = HTTPRequest("GET", "/documents/v1/\(item.container)/items/\(item.id)?version=\(version)")
        pad.send(request, task: task(name, item.retry.attempt, library), cause: name)
    }
}
