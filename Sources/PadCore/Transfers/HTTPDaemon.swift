import FleetModel

/// Foreground requests of apps to their own backend: an ordinary URLSession. They live as long as the app runs and no longer:
/// on suspension the connection is lost, and nothing is tried again (app-lifecycle.md 7, shared-ipad.md 8).
final class HTTPDaemon: Daemon {
    static let service = "http"

    private struct Open {
        var task: NetworkTask
        var app: AppIdentity
        var exchange: UInt64
        var target: String
        /// It asks and changes nothing.
        var isLook: Bool
        /// Edits in its body.
        var tokens: [Token]
        /// timeoutIntervalForRequest is over then.
        var deadline: Instant
    }
    /// In the order they were sent.
    private var open: [Open] = []

    init() {}

    let nextWake: Instant? = nil
    func boot(_ pad: any PadServices) { open = [] }
    func wake(_ pad: any PadServices) {}
    func pushed(_ message: Message, person: Person, _ pad: any PadServices) {}
    /// Nothing of a foreground request is durable, so nothing of it waits.
    func pending(of person: Person) -> [PendingItem] { [] }
    func queuedTokens(of person: Person) -> [Token] { [] }

    func call(_ message: Message, from app: AppIdentity, _ pad: any PadServices) -> Message {
        Message(message.name, ServiceError.malformed("\(message.name) is no call; post http.send").body)
    }

    func post(_ message: Message, exchange: UInt64, from app: AppIdentity, _ pad: any PadServices) {
        do throws(ServiceError) {
            guard message.name == TransferMessages.Send.name else {
                throw .malformed("\(message.name) is no message of the http service")
            }
            let asked: TransferMessages.Send
            do { asked = try TransferMessages.Send(message) } catch { throw ServiceError(error) }
            let (method, body) = (asked.method, asked.data ?? [])
            let url = try BackendURL(asked.url)
            let wanted = asked.timeout ?? Self.timeoutDefault.nanoseconds
            let timeout = Span(nanoseconds: min(max(1, wanted), Transfer.lifetimeDefault.nanoseconds))
            guard pad.canReachNetwork(as: app.person) else {
                throw ServiceError(.url, -1009, "the iPad is not connected to the internet; try again later")
            }
            let request = HTTPRequest(method, url.target, headers: BackendURL.headers(asked.headers), body: body)
            let task = NetworkTask(
                service: Self.service, person: app.person, name: freeName("\(method) \(url.target)", app.person),
                attempt: 0)
            let tokens = EditPayload.scan(body).tokens
            open.append(
                Open(
                    task: task, app: app, exchange: exchange, target: url.target, isLook: method == "GET",
                    tokens: tokens,
                    deadline: pad.now + timeout))
            pad.send(request, task: task, cause: tokens.first ?? "\(method) \(url.target)", timeout: timeout)
        } catch {
            let asked = TransferMessages.Send(lenient: message.body)
            let tokens = EditPayload.scan(asked.data ?? []).tokens
            pad.note(
                AnswerNotes.web(
                    error.body, what: message.name, to: asked.url, tokens: tokens, of: app))
            answer(error.body, exchange, app, pad)
        }
    }

    /// The request's own name, told apart from requests of the same name that are under way.
    private func freeName(_ name: String, _ person: Person) -> String {
        var candidate = name
        var ordinal = 1
        while open.contains(where: { $0.task.person == person && $0.task.name == candidate }) {
            ordinal += 1
            candidate = "\(name) ~\(ordinal)"
        }
        return candidate
    }

    func reply(_ reply: NetworkReply, to task: NetworkTask, _ pad: any PadServices) {
        guard let index = open.firstIndex(where: { $0.task == task }) else { return }
        let done = open.remove(at: index)
        switch reply {
        case .response(let response):
            let body: Value = [
                "status": .int(response.status), "headers": BackendURL.value(response.headers),
                "data": .data(response.body),
            ]
            if done.isLook {
                pad.note(FetchNotes.note(body, of: TransferMessages.Send.name, from: done.target, to: done.app))
            }
            answer(body, done, pad)
        case .failure(.unreachable):
            answer(ServiceError(.url, -1009, "the backend could not be reached; nothing was sent").body, done, pad)
        case .failure(.connectionLost) where done.deadline <= pad.now:
            answer(
                ServiceError(.url, -1001, "no answer came in time; the backend may have acted on the request").body,
                done, pad)
        case .failure(.connectionLost):
            answer(Self.connectionLost.body, done, pad)
        }
    }

    func observe(_ event: SystemEvent, _ pad: any PadServices) {
        switch event {
        case .appEntered(let app, .suspended): drop({ $0.app == app }, pad)
        case .appEnded(let app, _): drop({ $0.app == app }, pad)
        case .removed(let person): drop({ $0.app.person == person }, pad)
        default: break
        }
    }

    /// Cuts connections. A suspended app is told when it runs again; one that is gone is told nothing.
    private func drop(_ isConcerned: (Open) -> Bool, _ pad: any PadServices) {
        let cut = open.filter(isConcerned)
        open.removeAll(where: isConcerned)
        for one in cut {
            pad.forget(one.task)
            guard pad.phase(of: one.app) != .notRunning else {
                pad.note(
                    AnswerNotes.cutOff(TransferMessages.Send.name, to: one.target, tokens: one.tokens, of: one.app))
                continue
            }
            answer(Self.connectionLost.body, one, pad)
        }
    }
    private func answer(_ body: Value, _ done: Open, _ pad: any PadServices) {
        pad.note(
            AnswerNotes.web(body, what: TransferMessages.Send.name, to: done.target, tokens: done.tokens, of: done.app))
        answer(body, done.exchange, done.app, pad)
    }
    private func answer(_ body: Value, _ exchange: UInt64, _ app: AppIdentity, _ pad: any PadServices) {
        guard exchange != 0 else { return }
        pad.post(Message(TransferMessages.Send.name, body), exchange: exchange, to: app)
    }
    /// Source: app-lifecycle.md 7.
    private static let timeoutDefault = Span.seconds(60)
    private static let connectionLost = ServiceError(
        .url, -1005, "the connection was lost; the backend may have acted on the request")
}

extension HTTPDaemon {
    func checkInvariants() throws(BrokenInvariant) {
        try invariant(
            Set(open.map { Asked(launch: $0.app.launch, exchange: $0.exchange) }).count == open.count,
            "an app waits twice for the answer to one request")
    }
    private struct Asked: Hashable {
        var launch: Int
        var exchange: UInt64
    }
}
