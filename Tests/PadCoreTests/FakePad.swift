import FleetModel
import Storage

@testable import PadCore

/// A Pad for the tests of one daemon: it records what the daemon asks for and lets the test play the network, the apps and fate.
///
/// Not modelled: deadlines, queues of suspended apps (every post is recorded at once), request timeouts.
final class FakePad: PadServices {
    /// A request that left and has no answer yet.
    struct Sent {
        var request: HTTPRequest
        var task: NetworkTask
        var cause: String
        var timeout: Span?
        /// The request's JSON body; null when it has none.
        var json: Value { (try? Value(json: request.body)) ?? .null }
    }
    /// A message that an app was given.
    struct Posted {
        var message: Message
        var exchange: UInt64
        var app: AppIdentity
    }
    struct BackgroundLaunch: Hashable {
        var app: AppName
        var person: Person
        var reason: String
    }

    /// The disks' clocks go with it.
    var now = Instant.zero { didSet { for person in people { disks[person]?.now = now } } }
    /// Seconds by which the device's clock runs ahead of the virtual time.
    var clockSkew: Int64 = 0
    var deviceClock: Int64 { Instant.epochNanoseconds + now.nanoseconds + clockSkew * 1_000_000_000 }
    var deviceName = "ipad-1"
    private(set) var people: [Person] = []
    private var volumes: [Person: Volume] = [:]
    private var disks: [Person: Disk] = [:]
    /// Whether requests can leave.
    var online = true
    /// People without an iCloud identity.
    var withoutIdentity: Set<Person> = []
    var isProtectedDataAvailable = true
    /// People who have entered their passcode; nil: all.
    var unlocked: Set<Person>?
    func hasUnlocked(_ person: Person) -> Bool { unlocked?.contains(person) ?? true }
    var withoutPasscode: Set<Person> = []
    func hasPasscode(_ person: Person) -> Bool { !withoutPasscode.contains(person) }
    /// Live launches in the order they started, with their phase.
    private var launches: [(app: AppIdentity, phase: AppPhase)] = []
    var manifests: [AppName: AppManifest] = [:]
    /// Whether `launchInBackground` succeeds.
    var launchesInBackground = true

    private(set) var sent: [Sent] = []
    /// Whether what was sent waits for a new token.
    var isRenewing = false
    private(set) var forgotten: [NetworkTask] = []
    var posts: [Posted] = []
    var backgroundLaunches: [BackgroundLaunch] = []
    var notes: [Note] = []
    /// How many notes were made at a time.
    var noteCounts: [Int] = []
    func noteAll(_ notes: [Note]) {
        noteCounts.append(notes.count)
        self.notes += notes
    }
    /// Failures that nobody could be told of.
    var problems: [String] = []

    /// - Parameter people: cached on this iPad, each with an empty volume.
    init(people: [Person] = ["maya"]) throws {
        for person in people { try add(person) }
    }

    func add(_ person: Person) throws {
        let disk = Disk.memory()
        disk.now = now
        try disk.makeFolder("/var/mobile")
        disks[person] = disk
        people.append(person)
        try open(person, disk)
    }
    private func open(_ person: Person, _ disk: Disk) throws {
        volumes[person] = Volume(
            person: person, disk: disk, database: try Database(disk: disk, path: "/var/mobile/daemons.sqlite"))
    }

    // MARK: Life

    /// A launch of an app; its bundle is `com.example.<app>`.
    @discardableResult func launch(
        _ app: AppName, of person: Person = "maya", launch: Int = 1, phase: AppPhase = .active,
        daemon: (any Daemon)? = nil
    ) -> AppIdentity {
        let identity = AppIdentity(person: person, app: app, bundle: "com.example.\(app)", launch: launch)
        launches.append((identity, phase))
        daemon?.observe(.appEntered(identity, phase), self)
        return identity
    }
    func enter(_ phase: AppPhase, _ app: AppIdentity, _ daemon: any Daemon) {
        guard let index = launches.firstIndex(where: { $0.app == app }) else { return }
        launches[index].phase = phase
        daemon.observe(.appEntered(app, phase), self)
    }
    func end(_ app: AppIdentity, forced: Bool = false, _ daemon: any Daemon) {
        launches.removeAll { $0.app == app }
        daemon.observe(.appEnded(app, forced: forced), self)
    }
    /// The power fails: un-synced writes are dropped or torn, apps and requests are gone; the same disks come back.
    func powerCut(seed: UInt64 = 1) throws {
        launches = []
        sent = []
        for person in people {
            guard let disk = disks[person] else { continue }
            disk.powerCut(seed: seed)
            volumes[person]?.database.close()
            try open(person, disk)
        }
    }
    /// Lets time pass, waking the daemon whenever it asked for it.
    func advance(_ span: Span, _ daemon: any Daemon) {
        let end = now + span
        while let wake = daemon.nextWake, wake <= end {
            now = max(now, wake)
            daemon.wake(self)
            if daemon.nextWake == wake { break }
        }
        now = end
    }

    // MARK: The network, played by the test

    /// Takes the oldest unanswered request off the wire; nil when nothing is on its way.
    func takeRequest() -> Sent? { sent.isEmpty ? nil : sent.removeFirst() }
    /// Answers the oldest unanswered request.
    @discardableResult func answer(_ json: Value, _ daemon: any Daemon) -> Sent? { answer(200, json, daemon) }
    @discardableResult func answer(_ status: Int, _ json: Value, _ daemon: any Daemon) -> Sent? {
        guard let request = takeRequest() else { return nil }
        daemon.reply(.response(HTTPResponse(status: status, json: json)), to: request.task, self)
        return request
    }
    /// Fails the oldest unanswered request on its way.
    @discardableResult func fail(_ failure: NetworkFailure, _ daemon: any Daemon) -> Sent? {
        guard let request = takeRequest() else { return nil }
        daemon.reply(.failure(failure), to: request.task, self)
        return request
    }

    // MARK: What the test looks at

    /// The newest message of a name that an app was given.
    func lastPost(_ name: String, to app: AppIdentity? = nil) -> Value? {
        posts.last { $0.message.name == name && (app == nil || $0.app == app) }?.message.body
    }
    func notes(_ kind: Note.Kind) -> [Note] { notes.filter { $0.kind == kind } }
    /// All tokens of all notes of a kind, in order.
    func tokens(_ kind: Note.Kind) -> [Token] { notes(kind).flatMap(\.tokens) }
    /// Names of the mustReach marks that were reached.
    var marks: [String] { notes(.mark).compactMap { $0.detail["name"]?.string } }

    // MARK: PadServices

    func volume(of person: Person) -> Volume? { volumes[person] }
    func canReachNetwork(as person: Person) -> Bool { online && people.contains(person) }
    /// People without an account.
    var guests: Set<Person> = []
    func hasAccount(_ person: Person) -> Bool { !guests.contains(person) }
    /// Whether the iPad has power and Wi-Fi.
    var suitsDiscretionary = true
    func isInBackground(_ app: AppIdentity) -> Bool { phase(of: app) == .background }
    func identity(of person: Person) -> String? { withoutIdentity.contains(person) ? nil : "identity-\(person)" }
    func send(_ request: HTTPRequest, task: NetworkTask, cause: String, timeout: Span?) {
        sent.append(Sent(request: request, task: task, cause: cause, timeout: timeout))
    }
    func isOnItsWay(_ task: NetworkTask) -> Bool { !isRenewing && sent.contains { $0.task == task } }
    func forget(_ task: NetworkTask) {
        forgotten.append(task)
        sent.removeAll { $0.task == task }
    }
    func post(_ message: Message, exchange: UInt64, to app: AppIdentity) {
        guard launches.contains(where: { $0.app == app }) else { return }
        posts.append(Posted(message: message, exchange: exchange, app: app))
    }
    func running(_ person: Person, app: AppName?) -> [AppIdentity] {
        launches.map(\.app).filter { $0.person == person && (app == nil || $0.app == app) }
    }
    func phase(of app: AppIdentity) -> AppPhase { launches.first { $0.app == app }?.phase ?? .notRunning }
    @discardableResult func launchInBackground(_ app: AppName, person: Person, reason: String) -> Bool {
        backgroundLaunches.append(BackgroundLaunch(app: app, person: person, reason: reason))
        return launchesInBackground
    }
    var packageExtensions: [String] { manifests.keys.sorted().flatMap { manifests[$0]?.packageExtensions ?? [] } }
    var isDesktop = false
    func manifest(of app: AppName) -> AppManifest? { manifests[app] }
    func entitlements(of app: AppIdentity) -> Entitlements { Entitlements(manifests[app.app], bundle: app.bundle) }
    func note(_ note: Note) { notes.append(note) }
    func isCaring(_ app: AppIdentity) -> Bool { false }
    func arrived(_ tokens: [Token]) {}
    func problem(_ what: String) { problems.append(what) }
}
