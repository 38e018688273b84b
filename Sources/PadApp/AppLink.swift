import DeterministicRuntime

/// A part of the app's side that depends on when the app's code runs: a library with state of its own in the process, for instance, which
/// others use in between.
public protocol LinkWatcher: AnyObject {
    /// Code of the app runs from here on: a step begins, or a call to the iPad has returned.
    func appRuns()
    /// The app's code has come to rest: what is posted now is the last of the step.
    func stepEnds()
}

/// The app's end of the local link: what every shim is built on. Each launch has its own; `AppLink.current` is the running app's.
///
/// Singletons of the shims (`NSUbiquitousKeyValueStore.default`, `CKContainer.default()`) live in `singletons`, so that apps which
/// share a process share nothing.
public final class AppLink: @unchecked Sendable {
    /// The link of the app whose code is running.
    /// Traps outside an app: a shim was used by code that no iPad runs.
    public static var current: AppLink {
        guard let link = ifRunning else {
            fatalError("an iPad service was used outside an app: call it from app code that Homeroom runs")
        }
        return link
    }
    /// As `current`; nil outside an app.
    public static var ifRunning: AppLink? { AppLoop.current?.context as? AppLink }

    /// The iPad that the app runs on, which every message goes to.
    public let pad: ParticipantID
    /// The running app's, as installed; empty only where a test gave none.
    public let bundleIdentifier: String
    /// The sandbox: `/var/mobile/Containers/Data/Application/<bundle>`.
    public let home: String
    /// The iCloud identity that the app was launched with and that notices keep up to date; nil: signed out.
    public var identity: String? {
        tellHabit("identityToken")
        return currentIdentity
    }
    private var currentIdentity: String?
    /// The same for the link's own end, which asks for no app.
    var account: String? { currentIdentity }
    private var accountStatus: Int64
    /// What the person changed in Settings before this launch, by key; null removes.
    public let settings: Value.Object
    /// An archive of an earlier launch's interface is there.
    let restores: Bool
    /// The iPad notes what the app does (`HabitLint`).
    public let recordsHabits: Bool

    private var outputs: [Output] = []
    private var exchange: UInt64 = 0
    private struct Question {
        var name: String
        var answered: (Message) -> Void
    }
    private var waiting: [UInt64: Question] = [:]
    private var listeners: [String: [(Message, UInt64) -> Void]] = [:]
    private var singletons: [ObjectIdentifier: AnyObject] = [:]
    private var route: (any CallLink)?
    /// Who has to hear when the app's code begins and ends to run; see `LinkWatcher`.
    public weak var watcher: (any LinkWatcher)?
    /// The process has been killed inside a call: whatever it still does has no effect.
    private var isDead = false

    init(pad: ParticipantID, spec: Value) {
        self.pad = pad
        let told = LaunchSpec(lenient: spec)
        bundleIdentifier = told.bundle
        home = told.home.isEmpty ? "/var/mobile/Containers/Data/Application/\(told.bundle)" : told.home
        (currentIdentity, accountStatus) = (told.identity, told.accountStatus)
        (settings, restores, recordsHabits) = (told.settings, told.restores, told.habits)
    }

    /// The one object of a type in this launch, made at first use.
    public func singleton<T: AnyObject>(_ make: () -> T) -> T {
        if let present = singletons[ObjectIdentifier(T.self)] as? T { return present }
        let made = make()
        singletons[ObjectIdentifier(T.self)] = made
        return made
    }

    /// Takes what the Pad says of the account. The message then says in `changed` what differs from what this launch was told before:
    /// each of the two notices is of one value (identity.md 1).
    func learn(_ message: Message) -> Message {
        var news = AppMessages.IdentityChanged(lenient: message.body)
        let status = news.accountStatus ?? accountStatus
        var changed: [String] = []
        if news.identity != currentIdentity { changed.append("identity") }
        if status != accountStatus { changed.append("accountStatus") }
        (currentIdentity, accountStatus) = (news.identity, status)
        // In this instant: what the app did before belongs to the account of before, what it does from now on to this one.
        if changed.contains("identity") {
            call(IdentityMessages.Taken(currentIdentity))
            // Also for who mirrors what the iPad holds: its notice of the other values comes behind what is here to be done already.
            _ = deliver(Message(IdentityMessages.Taken.name), exchange: 0)
        }
        news.changed = changed
        return news.message
    }

    /// Whether app code runs on the main thread now.
    public var isOnMain: Bool { AppLoop.current?.isOnMain ?? true }
    /// Lets everything else of the main thread run for this time, from inside of its own code, as a nested run loop does.
    /// - Parameter once: ends as soon as something of it has run.
    public func runMainThread(forSeconds seconds: Double, once: Bool = false) {
        AppLoop.current?.lendMain(nanoseconds: Int64((seconds * 1e9).rounded(.up)), once: once)
    }
    /// The number of the job or item that the calling code belongs to, also after a wait; never used twice in one launch.
    public var currentUnit: UInt64 { AppLoop.currentUnit }
    /// Tells the iPad what only this side can see, when it notes habits.
    /// - Parameter key: what it is about; nil: nothing more is to be said.
    public func tellHabit(_ what: String, key: String? = nil) {
        guard recordsHabits, AppLoop.current != nil else { return }
        post(AppMessages.Habit { ($0.what, $0.main, $0.key) = (what, isOnMain, key) })
    }

    // MARK: Sending

    /// Asks the Pad and waits in the same instant, as Apple's synchronous interfaces do.
    /// - Returns: the answer's body; an `error` member when the Pad refused.
    @discardableResult public func call(_ name: String, _ body: Value = .empty) -> Value {
        let posts = outputs
        outputs = []
        guard !isDead, let route, let answer = AppLoop.leave({ route.call(Message(name, body), after: posts) }) else {
            isDead = true
            return ["error": ["domain": "POSIX", "code": 3, "message": "the process has been killed"]]
        }
        watcher?.appRuns()
        return answer.body
    }

    /// As `call`, by the message's definition.
    @discardableResult package func call(_ message: some LocalMessage) -> Value {
        let message = message.message
        return call(message.name, message.body)
    }
    /// What the iPad answered; what is missing in it, or all of it when it refused, is as by default.
    package func answer<M: LocalMessage>(to message: M) -> M.Answer { M.Answer(lenient: call(message)) }
    /// As `post`, by the message's definition.
    package func post(_ message: some LocalMessage, exchange: UInt64 = 0) {
        let message = message.message
        post(message.name, message.body, exchange: exchange)
    }

    /// Sends without waiting for anything.
    public func post(_ name: String, _ body: Value = .empty, exchange: UInt64 = 0) {
        guard !isDead else { return }
        outputs.append(Output(to: pad, .post(Message(name, body)), exchange: exchange))
    }

    /// Sends and calls `answered` with the answer's body, perhaps much later, perhaps never.
    public func ask(_ name: String, _ body: Value, answered: @escaping (Value) -> Void) {
        post(name, body, exchange: wait(for: name, answered))
    }
    /// As `ask`, but the Pad says in the same instant what it did with the question.
    /// - Returns: the answer of the call; `answered` is called later, as after `ask`.
    public func handOver(_ name: String, _ body: Value, answered: @escaping (Value) -> Void) -> Value {
        var body = body
        body["exchange"] = .int(Int64(wait(for: name, answered)))
        return call(name, body)
    }
    private func wait(for name: String, _ answered: @escaping (Value) -> Void) -> UInt64 {
        exchange += 1
        waiting[exchange] = Question(name: name) { answered($0.body) }
        return exchange
    }

    /// Sends and suspends until the answer comes.
    public func ask(_ name: String, _ body: Value = .empty) async -> Value {
        await withCheckedContinuation { continuation in ask(name, body) { continuation.resume(returning: $0) } }
    }

    /// Calls `handler` for each post of this name from the Pad. Several may listen to one name; they are called in order.
    public func listen(_ name: String, _ handler: @escaping (Message) -> Void) {
        listen(name) { message, _ in handler(message) }
    }
    /// As above, for posts that the Pad wants answered: post the answer under the same name with the given exchange.
    public func listen(_ name: String, answering handler: @escaping (Message, _ exchange: UInt64) -> Void) {
        listeners[name, default: []].append(handler)
    }

    // MARK: Receiving

    /// An answer goes to who asked, a notice to who listens; false when nobody wants it.
    func deliver(_ message: Message, exchange: UInt64) -> Bool {
        // The Pad numbers its own questions; only the name tells them from answers to ours.
        if let question = waiting[exchange], question.name == message.name {
            waiting[exchange] = nil
            question.answered(message)
            return true
        }
        guard let handlers = listeners[message.name] else { return false }
        for handler in handlers { handler(message, exchange) }
        return true
    }

    /// Opens the way out for one step.
    func open(_ route: any CallLink) {
        self.route = route
        watcher?.appRuns()
    }
    /// Closes it and gives what was posted.
    func close() -> [Output] {
        watcher?.stepEnds()
        route = nil
        defer { outputs = [] }
        return outputs
    }
}
