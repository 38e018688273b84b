import FleetModel
import Storage

@testable import PadCore

/// Plays the World for one Pad: carries messages at once, requests with a latency, lets time pass, and answers as apps and a
/// scripted Cloud would.
///
/// Not modelled: faults of links other than `online`; apps answer callbacks in the same instant unless told otherwise.
final class PadBench: CallLink {
    let spec: Value
    private(set) var pad: Pad
    private var disks: [String: Disk] = [:]
    private(set) var now = Instant.zero
    private var padTimer: Instant?
    private var wire: [(at: Instant, input: Input)] = []
    private var hops: [(ParticipantID, Input)] = []
    private var exchange: UInt64 = 1
    let cloud = ScriptedCloud()
    /// One way to the Cloud and back takes twice as long.
    var latency = Span.milliseconds(30)
    /// Whether requests reach the Cloud at all; when not, nobody answers.
    var isOnline = true

    /// Live processes: launch number to app.
    private(set) var apps: [Int: AppName] = [:]
    private(set) var launches: [(launch: Int, app: AppName, spec: Value)] = []
    /// What each app was told, in order: `quiz didBecomeActive`.
    private(set) var told: [String] = []
    private(set) var messages: [(launch: Int, message: Message)] = []
    /// Messages that no app returns from.
    var stuck: Set<String> = []
    /// Called before an app returns from a message; may call the Pad.
    var inApp: (Int, Message) -> Void = { _, _ in }
    var answerTo: (Message) -> Value = { _ in .empty }
    private(set) var notes: [Note] = []
    private(set) var answers: [UInt64: Value] = [:]
    private(set) var callAnswers: [UInt64: Value] = [:]
    private(set) var problems: [String] = []

    /// - Parameters:
    ///   - plist: more members of each app's Info.plist.
    ///   - more: more members of the specification.
    init(
        apps: [AppName] = ["quiz", "notes"], slots: Int = 3, purge: Bool = false, purgeable: Bool = true,
        capacity: Int = 64, configuration: Value = .empty, plist: Value = .empty,
        entitlements: [AppName: Value] = [:], more: Value = .empty
    ) throws {
        var infoPlist = plist
        infoPlist["NSSupportsPurgeableLocalStorage"] = .bool(purgeable)
        var spec: Value = [
            "pad": 1, "seed": 7, "slots": .int(slots), "capacity": .int(capacity), "configuration": configuration,
            "purgeAtSignOut": .bool(purge),
            "apps": .array(
                apps.map {
                    AppManifest(
                        name: $0, bundleID: "com.example.\($0)", infoPlist: infoPlist, entitlements: entitlements[$0],
                        actions: [], promises: [:], channel: .keyValue
                    ).body
                }),
        ]
        for pair in more.object?.pairs ?? [] { spec[pair.key] = pair.value }
        self.spec = spec
        var made: [String: Disk] = [:]
        pad = try Pad(spec: spec) { name in
            let disk = made[name] ?? .memory()
            made[name] = disk
            return disk
        }
        disks = made
        try restart()
    }
    /// The World makes the Pad anew on the same disks.
    func restart() throws {
        padTimer = nil
        wire.removeAll { $0.input.payload.isResponse }
        hops = []
        pad = try Pad(spec: spec) { [unowned self] name in
            let disk = disks[name] ?? .memory()
            disks[name] = disk
            return disk
        }
        command("device.boot")
    }
    func disk(of person: Person) -> Disk? { disks["person-\(person)"] }

    // MARK: Commands

    /// Sends a command and runs what happens in this instant; the answer is found under the returned exchange.
    @discardableResult func command(_ name: String, _ body: Value = .empty) -> UInt64 {
        exchange += 1
        deliver(.pad(1), Input(from: .people, .command(Message(name, body)), exchange: exchange))
        runHops()
        return exchange
    }
    /// Sends a command and lets time pass until it is answered.
    @discardableResult func ask(_ name: String, _ body: Value = .empty, within: Span = .minutes(3)) -> Value? {
        let asked = command(name, body)
        let end = now + within
        while answers[asked] == nil, runNext(until: end) {}
        return answers[asked]
    }
    @discardableResult func signIn(_ person: Person) -> Value? { ask("person.signIn", ["person": .string(person)]) }
    @discardableResult func open(_ app: AppName) -> Value? { ask("app.open", ["app": .string(app)]) }
    @discardableResult func guest(_ person: Person) -> Value? {
        ask("person.signIn", ["person": .string(person), "guest": true])
    }
    /// A management command and its answer.
    @discardableResult func manage(_ type: String, _ request: Value = .empty) -> Value {
        var request = request
        request["RequestType"] = .string(type)
        return ask("mdm.command", ["CommandUUID": "c-1", "Command": request]) ?? .null
    }
    func answer(_ exchange: UInt64) -> Value? { answers[exchange] }

    // MARK: The app's side

    func call(_ message: Message, after posts: [Output]) -> Message? { nil }
    /// A synchronous call of a launch; nil when the Pad does not answer.
    @discardableResult func call(_ launch: Int, _ name: String, _ body: Value = .empty) -> Value? {
        exchange += 1
        let question = exchange
        let input = Input(from: .app(pad: 1, launch: launch), .call(Message(name, body)), exchange: question)
        deliver(.pad(1), input)
        return callAnswers.removeValue(forKey: question)
    }
    func post(_ launch: Int, _ name: String, _ body: Value = .empty, exchange: UInt64 = 0) {
        deliver(.pad(1), Input(from: .app(pad: 1, launch: launch), .post(Message(name, body)), exchange: exchange))
    }
    func push(_ body: Value) {
        deliver(.pad(1), Input(from: .cloud, .push(Message("push", body))))
        runHops()
    }
    /// The newest live launch of an app; 0 when it does not run.
    func launch(_ app: AppName) -> Int { apps.filter { $0.value == app }.keys.max() ?? 0 }
    /// An app returns late from what it was stuck in.
    func returnLate(_ name: String) {
        for (launch, message, exchange) in unanswered where message.name == name {
            hops.append(
                (
                    .pad(1),
                    Input(
                        from: .app(pad: 1, launch: launch), .post(Message(name, answerTo(message))), exchange: exchange)
                ))
        }
        unanswered.removeAll { $0.1.name == name }
        runHops()
    }
    private var unanswered: [(Int, Message, UInt64)] = []

    // MARK: Time

    func advance(_ span: Span) {
        let end = now + span
        while runNext(until: end) {}
        now = end
    }
    private func runNext(until end: Instant) -> Bool {
        let next = [padTimer, wire.map(\.at).min()].compactMap { $0 }.min()
        guard let next, next <= end else { return false }
        now = max(now, next)
        if let index = wire.indices.filter({ wire[$0].at <= now }).min(by: { wire[$0].at < wire[$1].at }) {
            deliver(.pad(1), wire.remove(at: index).input)
        } else {
            step([])
        }
        runHops()
        return true
    }
    private func runHops() {
        var count = 0
        while !hops.isEmpty, count < 10_000 {
            count += 1
            let (to, input) = hops.removeFirst()
            deliver(to, input)
        }
    }

    // MARK: Routing

    private func deliver(_ to: ParticipantID, _ input: Input) {
        switch (to, input.payload) {
        case (.pad, _): step([input])
        case (.app(_, let launch), .post(let message)): appGets(message, launch, input.exchange)
        default: break
        }
    }
    private func step(_ inputs: [Input]) {
        let result = pad.step(now: now, inputs: inputs, link: self)
        padTimer = result.nextTimer.map { max($0, now) }
        problems += result.problems
        for output in result.outputs { route(output) }
    }
    private func route(_ output: Output) {
        switch output.payload {
        case .note(let note): notes.append(note)
        case .host(.launch(let launch, let app, let spec)):
            apps[launch] = app
            launches.append((launch, app, spec))
        case .host(.kill(let launch)):
            apps[launch] = nil
            unanswered.removeAll { $0.0 == launch }
        case .answer(let message): callAnswers[output.exchange] = message.body
        case .post(let message) where output.to == .people: answers[output.exchange] = message.body
        case .post: hops.append((output.to, Input(from: .pad(1), output.payload, exchange: output.exchange)))
        case .request(let request):
            guard isOnline, let reply = cloud.answer(request, cause: output.cause) else { return }
            wire.append((now + latency * 2, Input(from: .cloud, reply, exchange: output.exchange)))
        default: break
        }
    }
    private func appGets(_ message: Message, _ launch: Int, _ exchange: UInt64) {
        guard let app = apps[launch] else { return }
        let short = message.name.hasPrefix("app.") ? String(message.name.dropFirst(4)) : message.name
        told.append("\(app) \(short)")
        messages.append((launch, message))
        inApp(launch, message)
        // An answer to the app's own question is not answered.
        guard exchange != 0, !["http", "ck"].contains(message.service) else { return }
        guard !stuck.contains(message.name) else { return unanswered.append((launch, message, exchange)) }
        let answer = Message(message.name, answerTo(message))
        hops.append((.pad(1), Input(from: .app(pad: 1, launch: launch), .post(answer), exchange: exchange)))
    }

    // MARK: What tests look at

    /// What apps were told since the last look.
    func takeTold() -> [String] {
        defer { told = [] }
        return told
    }
    func notes(_ kind: Note.Kind) -> [Note] { notes.filter { $0.kind == kind } }
    func tokens(_ kind: Note.Kind) -> [Token] { notes(kind).flatMap(\.tokens) }
    func reasons(_ kind: Note.Kind) -> [String] { notes(kind).map { $0.detail["reason"]?.string ?? "" } }
    var marks: [String] { notes(.mark).compactMap { $0.detail["name"]?.string } }
    func lastMessage(_ name: String) -> Value? { messages.last { $0.message.name == name }?.message.body }
}

extension Payload {
    fileprivate var isResponse: Bool { if case .response = self { true } else { false } }
}

/// Accounts and key-value stores, as far as a Pad needs them; counts what it was asked.
final class ScriptedCloud {
    private(set) var requests: [(request: HTTPRequest, cause: String)] = []
    /// Overrides the answer to a request; nil: the ordinary one.
    var script: (HTTPRequest) -> Payload? = { _ in nil }
    /// Tokens that are dead.
    var revoked: Set<String> = []
    var unknownAccounts: Set<String> = []
    private var sessions = 0
    private(set) var entries: [String: (write: KeyValueWrite, sequence: Int64)] = [:]
    private var sequence: Int64 = 0

    func answer(_ request: HTTPRequest, cause: String) -> Payload? {
        requests.append((request, cause))
        if let scripted = script(request) { return scripted }
        if request.target == "/accounts/v1/signin" { return .response(signIn(request)) }
        let token = String(request.headers["Authorization"]?.dropFirst("Bearer ".utf8.count) ?? "")
        guard !revoked.contains(token), !token.isEmpty else {
            return .response(
                HTTPResponse(status: 401, json: ["serverErrorCode": "AUTHENTICATION_FAILED", "reason": "dead token"]))
        }
        if request.target == "/accounts/v1/signout" { revoked.insert(token) }
        let parts = request.target.split(separator: "/")
        if parts.first == "kvs", parts.count == 4 {
            return .response(sync(request, token.split(separator: "-").first ?? "", parts[2]))
        }
        return .response(HTTPResponse(status: 200, json: ["seq": 0, "changes": [], "items": []]))
    }
    private func signIn(_ request: HTTPRequest) -> HTTPResponse {
        let account = (try? Value(json: request.body))?["account"]?.string ?? ""
        guard !unknownAccounts.contains(account) else {
            return HTTPResponse(
                status: 401, json: ["serverErrorCode": "AUTHENTICATION_FAILED", "reason": "unknown account"])
        }
        sessions += 1
        return HTTPResponse(
            status: 200, json: ["token": .string("\(account)-\(sessions)"), "identity": .string("id-\(account)")])
    }
    private func sync(_ request: HTTPRequest, _ account: Substring, _ store: Substring) -> HTTPResponse {
        let body = (try? Value(json: request.body)) ?? .null
        for write in (body["writes"]?.array ?? []).compactMap(KeyValueWrite.init) {
            put(write, account: String(account), store: String(store))
        }
        let since = body["since"]?.int ?? 0
        let changes = entries.filter { $0.key.hasPrefix("\(account)/\(store)/") && $0.value.sequence > since }
            .sorted { $0.value.sequence < $1.value.sequence }
        return HTTPResponse(
            status: 200, json: ["seq": .int(sequence), "changes": .array(changes.map(\.value.write.body))])
    }
    /// A write by whatever device.
    func put(_ write: KeyValueWrite, account: String = "maya", store: String = "com.example.quiz") {
        let key = "\(account)/\(store)/\(write.key)"
        if let present = entries[key]?.write, !write.wins(over: present) { return }
        sequence += 1
        entries[key] = (write, sequence)
    }
    func value(_ key: String, account: String = "maya", store: String = "com.example.quiz") -> Value? {
        entries["\(account)/\(store)/\(key)"]?.write.value
    }
    /// Requests to a target, in order.
    func count(_ prefix: String) -> Int { requests.filter { $0.request.target.hasPrefix(prefix) }.count }
}
