import FleetModel
import Storage

/// What is sent to the Cloud, and when.
struct DocumentSync: DocumentWork {
    let library: DocumentLibrary
    let pad: any PadServices

    /// Downloads under way at once, for one person. ASSUMED.
    private static let parallel = 4
    /// How often changes are looked for without a push. ASSUMED.
    static let pollInterval = Span.minutes(15)
    private static let unreachablePause = Span.seconds(60)
    /// Between two looks whether a full disk has room again. ASSUMED.
    private static let roomPause = Span.seconds(5)

    /// Starts what can start.
    /// - Returns: when to look again.
    func pump() -> [Instant] {
        let account = library.volume.person
        pad.attempt("a write that has ended") { try writing.settleEnded() }
        presenters.answerServedWaiters()
        library.giveUpWrites(at: pad.now)
        coordination.giveTurns()
        let isReachable = pad.canReachNetwork(as: account) && pad.hasAccount(account)
        for container in library.containers { poll(container) }
        if isReachable {
            for container in library.containers { sendMetadata(container.id) }
            sendDownloads()
        }
        return wakes(isReachable)
    }

    /// Pushes may be lost: the signed-in person's containers, and those with work, are asked for now and then.
    private func poll(_ container: DocumentContainer) {
        guard library.isHere else {
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

    private func wakes(_ isReachable: Bool) -> [Instant] {
        var wakes = library.containers.compactMap(\.nextPoll)
        if !library.accesses.ended.isEmpty { wakes.append(pad.now + Self.roomPause) }
        // What is due already waits for something under way, whose answer wakes us.
        func waits(_ retry: RetrySchedule) -> Bool { !isReachable || retry.notBefore > pad.now }
        var retries = library.containers.filter { !$0.isBusy && library.needsFeed($0) }.map(\.retry).filter(waits)
        retries += library.operations.filter { !$0.isUnderWay }.map(\.retry).filter(waits)
        retries += library.downloads().filter {
            waits($0.retry) && library.underWay[library.dataTask($0)] == nil
        }.map(\.retry)
        retries += library.missingConflicts().map(\.item).filter {
            waits($0.retry) && library.underWay[library.conflictTask($0)] == nil
        }.map(\.retry)
        if isReachable {
            wakes += retries.map(\.notBefore)
        } else if !retries.isEmpty {
            wakes.append(pad.now + Self.unreachablePause)
        }
        if let instant = library.nextGivenUp(), instant > pad.now { wakes.append(instant) }
        return wakes
    }

    // MARK: Metadata and uploads, one at a time

    private func sendMetadata(_ id: String) {
        guard let container = library.container(id), !container.isBusy else { return }
        if library.needsFeed(container), container.retry.isDue(at: pad.now) {
            return sendFeed(container)
        }
        guard !container.mustFeed else { return }
        if let next = nextOperation(id) { send(next) }
    }

    private func sendFeed(_ container: DocumentContainer) {
        let name = "changes \(container.id)"
        library.update(container: container.id) {
            $0.isBusy = true
            $0.wantsFeed = false
        }
        library.underWay[name] = .feed(container.id)
        let request = HTTPRequest(post: "/documents/v1/\(container.id)/changes", json: ["since": .int(container.since)])
        pad.send(request, task: task(name, container.retry.attempt), cause: name)
    }

    /// The first that is due and touches no document and no place of an earlier one.
    private func nextOperation(_ container: String)
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

    private func send(_ operation: DocumentOperation) {
        guard let item = library.items[operation.item] else {
            return forget(operation)
        }
        guard var request = request(for: operation, item) else {
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
            request, task: task(operation.name, operation.retry.attempt),
            cause: operation.tokens.first ?? operation.name)
    }

    /// Nil when the queued bytes cannot be read now.
    private func request(
        for operation: DocumentOperation, _ item: DocumentItem
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
            return HTTPRequest(post: "\(target)/move", json: ["base": newest.fieldValue, "path": .string(relative)])
        case .resolve: return HTTPRequest(post: "\(target)/resolve", json: ["versions": .strings(operation.versions)])
        }
    }

    func task(_ name: String, _ attempt: Int) -> NetworkTask {
        NetworkTask(service: DocumentDaemon.service, person: library.volume.person, name: name, attempt: attempt)
    }

    private func sendDownloads() {
        for item in library.downloads() where item.retry.isDue(at: pad.now) {
            guard mayFetch else { return }
            fetch(library.dataTask(item), .data(item.id, item.remote), item, item.remote)
        }
        for (item, conflict) in library.missingConflicts() where item.retry.isDue(at: pad.now) {
            guard mayFetch else { return }
            let work = DocumentLibrary.Work.conflict(item: item.id, id: conflict.id)
            fetch(library.conflictTask(item), work, item, conflict.version)
        }
    }
    private var mayFetch: Bool {
        let count = library.underWay.values.count {
            if case .data = $0 { true } else if case .conflict = $0 { true } else { false }
        }
        return count < Self.parallel
    }

    private func fetch(
        _ name: String, _ work: DocumentLibrary.Work, _ item: DocumentItem, _ version: DocumentVersion
    ) {
        guard library.underWay[name] == nil else { return }
        library.underWay[name] = work
        let version = ContainerPath.percentEncoded(version.text)
        let request = HTTPRequest("GET", "/documents/v1/\(item.container)/items/\(item.id)?version=\(version)")
        pad.send(request, task: task(name, item.retry.attempt), cause: name)
    }
}
