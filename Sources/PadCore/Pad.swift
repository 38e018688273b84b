import FleetModel
import Storage

/// One emulated iPad: people and their sessions, apps and their states, storage, and the daemons that keep what apps hand over.
///
/// A synchronous state machine: an input changes state, `settle` then does what follows until nothing more does.
/// What is not modelled here: the screen.
public final class Pad: Participant {
    let spec: PadSpec
    /// Opens a volume by its name: `system`, `person-maya`. The same name gives the same disk after a restart.
    let openDisk: (String) throws -> Disk
    let systemDisk: Disk
    let manifests: [AppName: AppManifest]
    let entitlements: [AppName: Entitlements]
    /// System services in a fixed order. A new one is one folder and one line here.
    let daemons: [any Daemon]
    let daemonOf: [String: any Daemon]

    // What survives a restart
    var state: SystemState { didSet { if state != oldValue { isStateDirty = true } } }
    var isStateDirty = false
    var volumes: [Person: Volume] = [:]

    // What does not
    public internal(set) var now = Instant.zero
    var isBooted = false
    /// The power is gone: nothing happens until the World makes this iPad anew.
    var isDown = false
    var session = Session.none
    /// Who was signed in last, for the mark `user-switched`.
    var lastPerson: Person?
    /// Whose session ended by itself, until the next one begins.
    var timedOut: Person?
    var signIn: SignInAttempt?
    var queuedSignIns: [Command] = []
    /// When the person signs out without being asked again (fault).
    var signOutMoment: SignOutMoment?
    /// No more people than are cached have room here (fault).
    var isSqueezed = false
    /// The app that comes back to the screen when its suspension is over (fault).
    var suspendedApp: AppName?
    var signOutCommands: [Command] = []
    /// Live launches by number.
    var runs: [Int: AppRun] = [:]
    /// The launch that has, gets or leaves the screen.
    var foreground: Int?
    var opening: Opening?
    var homeCommands: [Command] = []
    var questions: [Int: Question] = [:]
    var nextQuestion = 0
    /// Apps that the person quit by force: no background launch until opened or restarted (app-lifecycle.md 5).
    var barred: [Barred] = []
    /// The screen is locked while a person is signed in (`device.lock`).
    var isLocked = false
    /// How long after a lock the person needs no passcode: what was set when they signed in, or less.
    var lockGrace = Span.zero
    /// The app that comes back when the person unlocks.
    var lockedApp: AppName?
    /// Whether files of class complete can be read (app-lifecycle.md 10); with nobody signed in there is no key (shared-ipad.md 2).
    var isProtectedDataAvailable = false
    var localNotifications: [LocalNotification] = []
    var shownNotifications: [LocalNotification] = []
    /// Memory that the system wants back.
    var pressure: MemoryPressure?
    /// Only with `habits`.
    var fetches = FetchWatch()
    var polls = PollWatch()
    var secrets = SecretWatch()
    var copies = KeptCopies()
    var network = NetworkState()
    var pushChannel = PushChannel()
    var managementLinks: [ManagementSide: ManagementLink] = [:]
    /// Of whoever is logged in, where there is a server.
    var userChannel: (person: Person, channel: ManagementChannel)?
    /// After a log-out by an administrator commands are put off until then.
    var managementPausedUntil = Instant.zero
    /// Sign-ins that are held in Setup Assistant until the server says UserConfigured; nil: nobody is.
    var heldSignIns: [Command]?
    /// Sign-ins that wait for DeviceConfigured, each for its own time; first come, first due.
    var setupSignIns: [(command: Command, until: Instant)] = []
    /// Exchanges of the Pad's own questions; far from those that apps choose, since an answer is found by its number.
    var nextExchange: UInt64 = 1 << 32
    var timers = TimerQueue()
    var needsSettling = false
    var outputs: [Output] = []
    var reachedMarks: [String] = []
    /// Failures of the machine's own disk: a harness error, told to the World.
    var problems: [String] = []

    struct Barred: Hashable {
        var person: Person
        var app: AppName
    }

    /// - Parameters:
    ///   - spec: Docs/pad-commands.md, last line.
    ///   - disk: opens a volume by name; a restarted iPad is given the same disks.
    /// - Throws: `PadProblem` for a wrong specification, or what the disk throws.
    public convenience init(spec: Value, disk: @escaping (String) throws -> Disk) throws {
        try self.init(spec: spec, disk: disk, daemons: Self.systemDaemons())
    }
    init(spec: Value, disk: @escaping (String) throws -> Disk, daemons: [any Daemon]) throws {
        self.spec = try PadSpec(spec)
        openDisk = disk
        systemDisk = try disk("system")
        systemDisk.processEnded()
        state = try SystemState(from: systemDisk) ?? SystemState(self.spec)
        manifests = Dictionary(self.spec.apps.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        entitlements = manifests.mapValues { Entitlements($0, bundle: $0.bundleID) }
        self.daemons = daemons
        daemonOf = Dictionary(daemons.map { (type(of: $0).service, $0) }, uniquingKeysWith: { first, _ in first })
    }

    static func systemDaemons() -> [any Daemon] {
        [KeyValueDaemon(), RecordDaemon(), DocumentDaemon(), TransferDaemon(), HTTPDaemon(), KeychainDaemon()]
    }

    // MARK: The seam

    public func step(now: Instant, inputs: [Input], link: any CallLink) -> StepResult {
        self.now = max(now, self.now)
        setDiskClocks()
        fireTimers()
        for input in inputs {
            take(input)
            settle()
        }
        wakeDaemons()
        signOutIfDue()
        keepPolling()
        saveState()
        defer { (outputs, problems) = ([], []) }
        return StepResult(outputs: outputs, nextTimer: nextTimer, problems: problems)
    }

    private func take(_ input: Input) {
        if case .command(let message) = input.payload {
            return obey(Command(from: input.from, message: message, exchange: input.exchange))
        }
        guard !isDown else {
            if case .call(let message) = input.payload {
                answer(message, LinkError.malformed("the iPad is off").body, to: input)
            }
            return
        }
        switch input.payload {
        case .call(let message): answer(message, serve(message, from: input.from), to: input)
        case .post(let message): receive(message, exchange: input.exchange, from: input.from)
        case .response(let response): requestEnded(input.exchange, .response(response))
        case .failure(let failure): requestEnded(input.exchange, .failure(failure))
        case .push(let message): pushed(message)
        case .answer, .request, .command, .host, .note: break
        }
    }
    private func answer(_ message: Message, _ body: Value, to input: Input) {
        emit(Output(to: input.from, .answer(Message(message.name, body)), exchange: input.exchange))
    }

    // MARK: Time

    private func fireTimers() {
        guard !isDown else { return }
        while let timer = timers.popDue(now) {
            fire(timer)
            settle()
        }
    }

    private func fire(_ timer: PadTimer) {
        switch timer {
        case .request(let exchange): requestTimedOut(exchange)
        case .refusals: giveRefusals()
        case .ready(let launch): processReady(launch)
        case .callback(let launch, let exchange): callbackOverdue(launch, exchange)
        case .suspend(let launch): suspend(launch)
        case .backgroundLimit(let launch): backgroundTimeUsedUp(launch)
        case .expiryGrace(let launch): expiryGraceOver(launch)
        case .memoryKill(let launch): end(launch, reason: "memory")
        case .localNotification: notificationsDue()
        case .identityNotice(let person):
            mark("delayed-notice")
            giveIdentity(of: person)
        case .memoryPressure: memoryStillShort()
        case .protectedDataNotice: announceSealing()
        case .protectedData: isProtectedDataAvailable = false
        case .question(let number): questionOverdue(number)
        case .signInRetry: sendSignIn()
        case .idle: sessionIsIdle()
        case .autoLock:
            lockScreen()
            mark("auto-locked")
        case .renewal(let person): sendRenewal(person)
        case .poll: pollAgain()
        case .management(let side): managementRested(side)
        case .setup: setupTakesTooLong()
        case .fetch: fetchesDue()
        }
    }

    private func wakeDaemons() {
        guard !isDown, isBooted else { return }
        for daemon in daemons {
            guard let wake = daemon.nextWake, wake <= now else { continue }
            daemon.wake(self)
            settle()
        }
    }

    private var nextTimer: Instant? {
        guard !isDown else { return nil }
        var next = timers.next
        for daemon in daemons {
            guard let wake = daemon.nextWake else { continue }
            // A daemon that has just been woken and still wants this very instant waits a little: time must pass.
            let instant = wake > now ? wake : now + .milliseconds(1)
            next = next.map { min($0, instant) } ?? instant
        }
        return next
    }

    // MARK: What follows

    /// More rounds than any chain of consequences needs: what goes on longer turns in a circle.
    private static let roundsMax = 1000

    /// Does what follows from changed state, until nothing more does. What never ends is our error and ends the run.
    func settle() {
        var rounds = 0
        while needsSettling, !isDown {
            needsSettling = false
            guard rounds < Self.roundsMax else {
                problems.append("\(deviceName) does not settle, \(rounds) rounds and still \(whatMoves)")
                return
            }
            rounds += 1
            for launch in runs.keys.sorted() { advance(launch) }
            continueOpening()
            askQuestions()
            continueSignOut()
        }
    }
    /// What `settle` works on, for whoever looks for the circle.
    private var whatMoves: String {
        var parts = runs.keys.sorted().compactMap { number in
            runs[number].map {
                "\($0.identity.app) \(number) is \($0.process), \($0.phase), to the \($0.goal): \($0.next)"
            }
        }
        if let opening { parts.append("\(opening.app) is to be opened") }
        if case .leaving(let person, _) = session { parts.append("\(person) signs out") }
        if !questions.isEmpty { parts.append("\(questions.count) questions wait") }
        return parts.isEmpty ? "something changes though nobody moves" : parts.joined(separator: "; ")
    }

    /// The way out of the iPad, for everything.
    func emit(_ output: Output) {
        outputs.append(output)
        noteArrivals(in: output)
    }

    func mark(_ name: String) {
        guard !reachedMarks.contains(name) else { return }
        reachedMarks.append(name)
        note(Note(.mark, detail: ["name": .string(name)]))
    }
    func newExchange() -> UInt64 {
        nextExchange += 1
        return nextExchange
    }
}
