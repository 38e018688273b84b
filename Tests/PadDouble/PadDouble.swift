import FleetModel
import PadApp

/// An iPad for the tests of shims and apps: it keeps what the services keep and drives one app, launch by launch.
///
/// Not modelled: people, deadlines, suspension, the Cloud. Network answers are played by the test.
public final class PadDouble: CallLink {
    public let bundle: String
    public var home: String { "/var/mobile/Containers/Data/Application/\(bundle)" }
    public var identity: String? = "token-maya"
    public private(set) var now = Instant.zero

    // What survives a launch.
    public var files: [String: [UInt8]] = [:]
    /// What the disk holds after a power cut.
    public var durable: [String: [UInt8]] = [:]
    /// Files that stay out of backups.
    public var excluded: Set<String> = []
    public var store: [String: Value] = [:]
    public var keychain: [String: [UInt8]] = [:]
    public var documents = DocumentsDouble()
    public var transfers: [TransferDouble] = []
    public var online = true
    /// Answers a foreground request; nil: it stays unanswered.
    public var http: (Value) -> Value? = { _ in nil }
    /// Answers a CloudKit request; nil: it stays unanswered.
    public var records: (Message) -> Value? = { _ in nil }
    /// What the record service keeps of long-lived operations: `{op, name, done}`.
    public var longLived: [Value] = []
    /// Whether there is room for another long-lived operation.
    public var takesLongLived = true
    /// Errors to give instead of an answer, by name of the call.
    public var refusals: [String: Value] = [:]

    // What the test looks at.
    public private(set) var calls: [Message] = []
    public private(set) var posts: [Message] = []
    /// The process dies at the call with this number (from 1) of its launch.
    public var killAtCall: Int?
    /// What else happens on the iPad just before a call is answered.
    public var beforeCall: (Message) -> Void = { _ in }
    /// What else happens just before a download is answered.
    public var beforeDownload: () -> Void = {}
    public private(set) var isAlive = false
    /// More members of a launch's specification.
    public var launchExtras = Value.empty
    /// Answers to calls of the prefix `app`, by name.
    public var systemAnswers: [String: Value] = [:]
    /// Whether the snapshot is taken as soon as the app is in the background, and what it wants kept asked for.
    public var asksForState = true
    /// What the app keeps of its interface.
    public var archive: [UInt8]?

    private var app: AppParticipant?
    private var type: (any PadApp.Type)?
    private var launches = 0
    private var callsOfLaunch = 0
    private var exchange: UInt64 = 1000
    private var answers: [UInt64: Value] = [:]
    /// Questions of this launch that the test has left without an answer.
    private var unanswered: [(name: String, exchange: UInt64)] = []
    private var inputs: [Input] = []
    private var timer: Instant?

    public init(bundle: String = "com.example.test") { self.bundle = bundle }

    // MARK: Life

    /// A launch to the foreground, as far as `applicationDidBecomeActive`.
    public func launch(_ type: any PadApp.Type, reason: String = "user") {
        launches += 1
        callsOfLaunch = 0
        inputs = []
        unanswered = []
        timer = nil
        isAlive = true
        var spec: Value = [
            "bundle": .string(bundle), "home": .string(home), "identity": .optional(identity), "seed": 7,
            "reason": .string(reason),
        ]
        if archive != nil { spec["restores"] = true }
        for pair in launchExtras.object?.pairs ?? [] { spec[pair.key] = pair.value }
        app = AppParticipant(id: .app(pad: 1, launch: launches), type: type, spec: spec)
        ask("app.didFinishLaunching", ["reason": .string(reason)])
        if reason == "user" { ask("app.didBecomeActive") }
    }
    public func kill() {
        app = nil
        isAlive = false
    }
    /// Removes all local data of the app.
    public func purge() {
        kill()
        files = files.filter { !$0.key.hasPrefix(home) }
        durable = durable.filter { !$0.key.hasPrefix(home) }
    }
    /// What was not synced is gone.
    public func powerCut() {
        kill()
        files = durable
    }

    // MARK: Messages

    /// Posts to the app and runs it until it is quiet.
    public func deliver(_ name: String, _ body: Value = .empty, exchange: UInt64 = 0) {
        inputs.append(Input(from: .pad(1), .post(Message(name, body)), exchange: exchange))
        run()
    }
    /// Answers the questions of a name that were left without an answer, and runs the app until it is quiet.
    public func answerLate(_ name: String, _ body: Value) {
        for question in unanswered where question.name == name {
            inputs.append(Input(from: .pad(1), .post(Message(name, body)), exchange: question.exchange))
        }
        unanswered.removeAll { $0.name == name }
        run()
    }
    /// Posts and waits, at most `seconds` of virtual time, for the answer.
    @discardableResult public func ask(_ name: String, _ body: Value = .empty, within seconds: Int64 = 120) -> Value? {
        exchange += 1
        let mine = exchange
        deliver(name, body, exchange: mine)
        let end = now + .seconds(seconds)
        while answers[mine] == nil, isAlive, let next = timer, next <= end { advance(to: next) }
        return answers.removeValue(forKey: mine)
    }
    /// The answer to an edit, with what the app said that it `saw` before.
    @discardableResult public func perform(_ edit: Edit) -> Value? {
        guard var answer = ask("ui.perform", edit.body) else { return nil }
        answer["saw"] = posts("ui.began").last { $0["token"]?.string == edit.token }?["saw"]
        return answer
    }
    /// What the person sees; nil when the app did not answer.
    public func state() -> VisibleState? {
        guard let body = ask("ui.state") else { return nil }
        return VisibleState(
            (body["items"]?.array ?? []).compactMap(Item.init), complete: body["complete"]?.bool ?? false)
    }

    // MARK: Time

    public func advance(by span: Span) { advance(to: now + span) }
    private func advance(to end: Instant) {
        while isAlive, let next = timer, next <= end {
            now = max(now, next)
            run()
            if timer == next { break }
        }
        now = max(now, end)
        run()
    }

    private func run() {
        repeat {
            guard let app, isAlive else { return }
            let given = inputs
            inputs = []
            let result = app.step(now: now, inputs: given, link: self)
            guard isAlive else { return }
            timer = result.nextTimer
            for output in result.outputs { take(output) }
        } while !inputs.isEmpty
    }
    private func take(_ output: Output) {
        guard case .post(let message) = output.payload else { return }
        posts.append(message)
        if message.name == "app.didEnterBackground", message["preserves"] == true, asksForState {
            // The snapshot is taken now.
            inputs.append(Input(from: .pad(1), .post(Message("app.saveState"))))
        }
        if message.name.hasPrefix("docs.begin") {
            unanswered.append((message.name, output.exchange))
        } else if message.name == "http.send" || message.name == "docs.download" || message.name.hasPrefix("ck.") {
            if let answer = answer(toPost: message) {
                inputs.append(Input(from: .pad(1), .post(Message(message.name, answer)), exchange: output.exchange))
            } else {
                unanswered.append((message.name, output.exchange))
            }
        } else if message.name == "kvs.set" {
            let value = message["value"] ?? .null
            store[message["key"]?.string ?? ""] = value.isNull ? nil : value
        } else if message.name == "transfer.completed" {
            transfers.removeAll { UInt64($0.task) == output.exchange }
        } else if output.exchange != 0 {
            answers[output.exchange] = message.body
        }
    }

    /// A long-lived operation is called: its results come like those of a post.
    func takeOver(_ message: Message) -> Bool {
        let exchange = message["exchange"]?.int.flatMap(UInt64.init(exactly:)) ?? 0
        take(Output(to: .pad(1), .post(message), exchange: exchange))
        return takesLongLived
    }
    public func call(_ message: Message, after posts: [Output]) -> Message? {
        for post in posts { take(post) }
        calls.append(message)
        callsOfLaunch += 1
        if callsOfLaunch == killAtCall { isAlive = false }
        guard isAlive else { return nil }
        beforeCall(message)
        return Message(message.name, refusals[message.name] ?? answer(toCall: message))
    }
    /// Bodies of the calls of a name.
    public func calls(_ name: String) -> [Value] { calls.filter { $0.name == name }.map(\.body) }
    public func posts(_ name: String) -> [Value] { posts.filter { $0.name == name }.map(\.body) }
    public func forgetCalls() {
        calls = []
        posts = []
    }
}
