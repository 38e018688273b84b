import FleetModel
import Storage

/// nsurlsessiond: uploads and downloads of background sessions. They go on after the app is suspended or killed, after the person signed out, after
/// a reboot and a power cut; a force-quit cancels them (app-lifecycle.md 5 and 7; S27, S28, S143-S146).
///
/// Not modelled: parts of uploads (they begin again; app-lifecycle.md 7), what the system learns about a good time for what is discretionary:
/// ASSUMED to be whenever the iPad has power and Wi-Fi.
final class TransferDaemon: Daemon {
    static let service = "transfer"

    var queues: [Person: TransferQueue] = [:]
    /// Who is signed in.
    private(set) var session: Person?
    private(set) var nextWake: Instant?
    /// Whether what is discretionary may begin.
    private var isSuited = true
    /// What this daemon knows of launches.
    var launches = TransferLaunches()

    /// Requests under way at once, for one person. ASSUMED.
    static let parallel = 4
    static let unreachablePause = Span.seconds(60)
    /// Marks the exchanges of this daemon's questions, so that they cannot be taken for answers to an app's own.
    static let exchangeMark: UInt64 = 1 << 62

    init() {}

    func boot(_ pad: any PadServices) {
        queues = [:]
        session = nil
        launches = TransferLaunches()
        for person in pad.people { open(person, pad) }
        pump(pad)
    }

    /// Without room for its tables an iPad has no transfers of this person's yet: the first call tries again.
    private func open(_ person: Person, _ pad: any PadServices) {
        pad.attempt("the transfers of \(person)") { _ = try queue(of: person, pad) }
    }

    func call(_ message: Message, from app: AppIdentity, _ pad: any PadServices) -> Message {
        do {
            defer { pump(pad) }
            return Message(message.name, try answer(message, app, pad))
        } catch {
            return Message(message.name, ServiceError(error, doing: message.name).body)
        }
    }

    /// Apps post nothing but their answers to `transfer.completed`.
    func post(_ message: Message, exchange: UInt64, from app: AppIdentity, _ pad: any PadServices) {
        guard message.name == TransferMessages.Completed.name else {
            guard exchange != 0 else { return }
            let error = ServiceError.malformed("\(message.name) is no post of the transfer service")
            return pad.post(Message(message.name, error.body), exchange: exchange, to: app)
        }
        acknowledge(exchange, from: app, pad)
        pump(pad)
    }

    func pushed(_ message: Message, person: Person, _ pad: any PadServices) {}
    func wake(_ pad: any PadServices) { pump(pad) }

    func observe(_ event: SystemEvent, _ pad: any PadServices) {
        switch event {
        case .signedIn(let person):
            session = person
            open(person, pad)
            hasten()
            queues[person]?.launchTries = [:]
        case .signedOut(let person):
            if session == person { session = nil }
        case .removed(let person): forgetAll(of: person, pad)
        case .networkReturned: hasten()
        case .appEntered(let app, let phase):
            guard phase == .active || phase == .background else { return }
            if phase == .active { queues[app.person]?.lift(app.app) }
            let isForUs = launches.arrived(app)
            deliver(to: app, announcing: isForUs && phase == .background, pad)
        case .appEnded(let app, let forced): ended(app, forced: forced, pad)
        case .suitsDiscretionary: break
        case .purged, .identityChanged, .accountLeft, .accountEntered, .pushHandled: return
        }
        pump(pad)
    }

    func pending(of person: Person) -> [PendingItem] {
        // What only comes down is nobody's work to lose: it can be fetched again.
        (queues[person]?.transfers ?? []).filter { !$0.isDownload }.map { transfer in
            let holds = transfer.outcome == nil
            return PendingItem(what: transfer.name, waitsFor: waitsFor(transfer), tokens: holds ? transfer.tokens : [])
        }
    }
    private func waitsFor(_ transfer: Transfer) -> String {
        if transfer.outcome != nil { return "app \(transfer.app) to see the outcome" }
        if transfer.isUnderWay { return "answer" }
        if transfer.isDiscretionary, !isSuited { return "power and Wi-Fi" }
        if transfer.retry.attempt > 0 { return "retry at \(transfer.retry.notBefore.wallClock)" }
        return transfer.due > transfer.created ? "network, not before \(transfer.due.wallClock)" : "network"
    }
    func queuedTokens(of person: Person) -> [Token] {
        var tokens: [Token] = []
        for transfer in queues[person]?.transfers ?? [] where transfer.outcome == nil {
            for token in transfer.tokens where !tokens.contains(token) { tokens.append(token) }
        }
        return tokens
    }

    /// The person's queue; nil when the person is not cached here. A volume that was opened anew gets a new one.
    func queue(of person: Person, _ pad: any PadServices) throws -> TransferQueue? {
        guard let volume = pad.volume(of: person) else { return nil }
        if let queue = queues[person], queue.volume === volume { return queue }
        let queue = try TransferQueue(volume)
        queues[person] = queue
        return queue
    }

    private func hasten() {
        for queue in queues.values {
            for index in queue.transfers.indices { queue.update(index) { $0.retry.hasten() } }
        }
    }
    private func forgetAll(of person: Person, _ pad: any PadServices) {
        for transfer in queues[person]?.transfers ?? [] where transfer.isUnderWay { pad.forget(task(transfer, person)) }
        queues[person] = nil
    }

    // MARK: Sending

    /// Starts what can start, and works out when to look again.
    func pump(_ pad: any PadServices) {
        nextWake = nil
        isSuited = pad.suitsDiscretionary
        for person in pad.people {
            guard let queue = queues[person] else { continue }
            expire(queue, pad)
            sendAll(queue, pad)
            launchApps(queue, pad)
        }
    }
    func wakeAt(_ instant: Instant) { nextWake = nextWake.map { min($0, instant) } ?? instant }

    private func expire(_ queue: TransferQueue, _ pad: any PadServices) {
        for index in queue.transfers.indices {
            let transfer = queue.transfers[index]
            guard transfer.outcome == nil, transfer.expires <= pad.now else { continue }
            stop(index, queue, pad)
            finish(
                index, .failure(code: -1001, message: "the \(transfer.word) took too long; \(transfer.word) it again"),
                queue,
                pad)
        }
    }

    private func sendAll(_ queue: TransferQueue, _ pad: any PadServices) {
        let person = queue.volume.person
        let isReachable = pad.canReachNetwork(as: person)
        var free = Self.parallel - queue.transfers.count { $0.isUnderWay }
        for index in queue.transfers.indices {
            let transfer = queue.transfers[index]
            guard transfer.outcome == nil, !transfer.isUnderWay, !isBehind(index, queue) else { continue }
            guard isSuited || !transfer.isDiscretionary else {
                wakeAt(transfer.expires); continue
            }
            if !isReachable { wakeAt(min(transfer.expires, pad.now + Self.unreachablePause)) }
            guard isReachable, free > 0 else { continue }
            guard transfer.due <= pad.now else {
                wakeAt(min(transfer.expires, transfer.due)); continue
            }
            send(index, queue, pad)
            if queue.transfers[index].isUnderWay { free -= 1 }
        }
    }
    /// Whether an earlier transfer to the same address is not finished.
    private func isBehind(_ index: Int, _ queue: TransferQueue) -> Bool {
        queue.transfers[..<index].contains { $0.outcome == nil && $0.target == queue.transfers[index].target }
    }

    private func send(_ index: Int, _ queue: TransferQueue, _ pad: any PadServices) {
        let transfer = queue.transfers[index]
        guard let body = transfer.isDownload ? [] : try? queue.body(of: transfer.task) else {
            finish(
                index, .failure(code: -1100, message: "the system lost its copy of the file; upload it again"), queue,
                pad)
            return
        }
        var request = HTTPRequest(transfer.method, transfer.target, headers: transfer.headers, body: body)
        request.headers["X-Homeroom-Request"] = transfer.request
        if transfer.isDownload { DownloadPart.ask(&request, after: transfer.part) }
        queue.update(index) { $0.isUnderWay = true }
        pad.send(
            request, task: task(transfer, queue.volume.person), cause: transfer.tokens.first ?? transfer.name,
            timeout: transfer.requestTimeout)
    }
    func task(_ transfer: Transfer, _ person: Person) -> NetworkTask {
        NetworkTask(service: Self.service, person: person, name: transfer.name, attempt: transfer.retry.attempt)
    }

    func reply(_ reply: NetworkReply, to task: NetworkTask, _ pad: any PadServices) {
        guard let queue = queues[task.person],
            let index = queue.transfers.firstIndex(where: { $0.isUnderWay && self.task($0, task.person) == task })
        else { return }
        queue.update(index) { $0.isUnderWay = false }
        switch reply {
        case .response(let response) where queue.transfers[index].isDownload && [206, 416].contains(response.status):
            received(response, index, queue, pad)
        case .response(let response) where !Self.isAccountsRefusal(response) || !pad.hasAccount(task.person):
            finish(index, .response(response), queue, pad)
        case .response, .failure: queue.update(index) { $0.retry.failed(at: pad.now) }
        }
        pump(pad)
    }

    /// The next bytes of a download: kept, so that a break costs no more than what is under way.
    private func received(_ response: HTTPResponse, _ index: Int, _ queue: TransferQueue, _ pad: any PadServices) {
        guard let part = DownloadPart(response, after: queue.transfers[index].part) else {
            pad.attempt("the part of a download") { try queue.dropPart(of: index) }
            return queue.update(index) { $0.retry.failed(at: pad.now) }
        }
        if part.isAll(of: response) {
            let data = queue.partBytes(of: index) + response.body
            finish(index, .response(status: 200, data: data), queue, pad)
            return
        }
        var isKept = false
        pad.attempt("the part of a download") { isKept = try queue.keep(response.body, as: part, of: index) }
        queue.update(index) { if isKept { $0.retry.succeeded() } else { $0.retry.failed(at: pad.now) } }
    }

    /// The iPad's own account token is dead: no answer of the app's backend, which refuses credentials with 403.
    private static func isAccountsRefusal(_ response: HTTPResponse) -> Bool {
        response.status == 401 && response.json?["serverErrorCode"] != nil
    }

    /// Nobody waits for the answer any more. What has no outcome either may be sent again.
    func stop(_ index: Int, _ queue: TransferQueue, _ pad: any PadServices) {
        guard queue.transfers[index].isUnderWay else { return }
        pad.forget(task(queue.transfers[index], queue.volume.person))
        queue.update(index) { $0.isUnderWay = false }
    }

    /// Keeps the outcome and tells the app if it lives. When even that cannot be written down, the upload is tried again: the
    /// backend recognises it.
    /// - Returns: whether it is written down.
    @discardableResult
    func finish(_ index: Int, _ outcome: Transfer.Outcome, _ queue: TransferQueue, _ pad: any PadServices) -> Bool {
        let transfer = queue.transfers[index]
        let person = queue.volume.person
        do { try queue.finish(index, kept(outcome, of: transfer, queue, pad)) } catch {
            queue.update(index) { $0.retry.failed(at: pad.now) }
            return false
        }
        if outcome.isSuccess, !transfer.isDownload, session != person {
            pad.note(
                Note(
                    .mark, person: person, app: transfer.app, channel: .upload, tokens: transfer.tokens,
                    detail: Mark.uploadAfterSignOut.detail))
        }
        for app in pad.running(person, app: transfer.app) { deliver(to: app, announcing: false, pad) }
        return true
    }
}

extension TransferDaemon {
    func checkInvariants() throws(BrokenInvariant) {
        for queue in queues.values { try queue.checkInvariants() }
    }
}
