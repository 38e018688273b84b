import FleetModel

/// Why an iPad could not be made: its specification is wrong. The World's fault, never an app's.
public struct PadProblem: Error, Hashable, Sendable, CustomStringConvertible {
    /// Which member of the specification is wrong, and what it may be.
    public var description: String
    init(_ description: String) { self.description = description }
}

/// What the World says about an iPad when it makes it (Docs/pad-commands.md, last line).
struct PadSpec: Hashable {
    /// From 1; `ipad-3` is the device's name towards the Cloud.
    let number: Int
    /// Installed apps, shared by all people of the iPad (shared-ipad.md 2).
    let apps: [AppManifest]
    /// People who can be cached at once. Source: shared-ipad.md 6, at most 10 when nothing is configured.
    let slots: Int
    /// Whether the local data of apps that allow it goes at sign-out (shared-ipad.md 4 step 9: optional).
    let purgesAtSignOut: Bool
    /// GB. ASSUMED: 64 when nothing is said.
    let capacity: Int
    /// What an administrator has set before anybody came.
    let configuration: SharedDeviceConfiguration
    /// The server is asked to configure a new or erased iPad before anybody logs in (the enrolment's `await_device_configured`).
    let awaitsConfiguration: Bool
    /// What an app has for its launch methods. Source: app-lifecycle.md 3 (disagree): 5 s (the older guide's) or about 20 s (today's).
    let launchLimit: Span
    /// Sides that are taken where the sources differ.
    let switches: PadSwitches
    /// A desktop computer's storage: all documents are kept complete (S117, S292).
    let isDesktop: Bool
    let watches: Watches
    /// Makes identifiers that differ between fleets.
    let seed: UInt64
    /// After which a poll for pushes is given up; nil: pushes come by themselves.
    let pushPatience: Span?
    /// Virtual seconds a second of the machine, where apps and network run in real time; 1 otherwise. Limits on their work are longer by
    /// it: compressed time makes no app and no network faster.
    let timeScale: Double

    /// Who looks on.
    struct Watches: Hashable {
        /// Whether what apps do is noted for `HabitLint`.
        let habits: Bool
        /// Whether edits that apps are handed are noted, for those who measure how long they take.
        let arrivals: Bool
    }

    var deviceName: String { ParticipantID.pad(number).description }

    /// Of the machine's time: what a process or a socket of a busy machine may need for its work, so that an allowance which ends before it
    /// would say something about the machine. ASSUMED.
    private static let machineNeeds = Span.seconds(1)

    /// How long apps and network get for work that real ones are given `span` for: never less, and in compressed time for as long as the
    /// machine may need for it. All of the span in real time would be too much: at 60 times the speed a watchdog of 10 s would wait 10 minutes.
    func real(_ span: Span) -> Span {
        guard timeScale > 1 else { return span }
        return max(span, machineTime(min(span, Self.machineNeeds)))
    }
    /// What lasts so long by the machine's clock, however fast the run is.
    func machineTime(_ span: Span) -> Span {
        timeScale <= 1 ? span : span.scaled(by: timeScale)
    }

    init(_ body: Value) throws(PadProblem) {
        let told = SpecFields(lenient: body)
        guard told.pad > 0 else { throw PadProblem("the specification of an iPad needs 'pad', its number from 1") }
        number = told.pad
        let name = ParticipantID.pad(told.pad).description
        var apps: [AppManifest] = []
        for manifest in told.apps {
            guard let app = AppManifest(manifest) else {
                throw PadProblem("\(name): the manifest of '\(SpecFields.App(lenient: manifest).name)' cannot be read")
            }
            apps.append(app)
        }
        self.apps = apps
        slots = told.slots
        guard slots > 0 else { throw PadProblem("\(name): 'slots' must be at least 1, so that somebody can sign in") }
        purgesAtSignOut = told.purgeAtSignOut
        capacity = told.capacity
        guard capacity >= 32 else { throw PadProblem("\(name): a Shared iPad has at least 32 GB, not \(capacity)") }
        guard let configuration = SharedDeviceConfiguration(told.configuration) else {
            throw PadProblem("\(name): 'configuration' is no SharedDeviceConfiguration")
        }
        self.configuration = configuration
        awaitsConfiguration = told.awaitDeviceConfigured
        guard (1...600).contains(told.launchLimit) else {
            throw PadProblem("\(name): 'launchLimit' is a number of seconds from 1 to 600")
        }
        launchLimit = Span(nanoseconds: Int64(told.launchLimit * 1e9))
        var switches = PadSwitches()
        for pair in told.switches.pairs {
            if let wrong = switches.set(pair.key, to: pair.value.string ?? "") { throw PadProblem("\(name): \(wrong)") }
        }
        self.switches = switches
        guard ["ipad", "desktop"].contains(told.profile) else {
            throw PadProblem("\(name): there is no profile '\(told.profile)'; use 'ipad' or 'desktop'")
        }
        isDesktop = told.profile == "desktop"
        watches = Watches(habits: told.watches.habits, arrivals: told.watches.arrivals)
        seed = told.seed
        let patience = told.push?.poll
        guard patience ?? 1 > 0, patience ?? 1 <= 1_000_000 else {
            throw PadProblem("\(name): 'push' is {poll: seconds}, 1 to 1000000")
        }
        timeScale = told.timeScale
        guard timeScale > 0, timeScale <= 1_000_000 else {
            throw PadProblem("\(name): 'timeScale' is a number from more than 0 to 1000000")
        }
        pushPatience = patience.map(Span.seconds)
    }
}

/// The specification as it travels (Docs/pad-commands.md, Its specification).
private struct SpecFields: FieldGroup {
    struct App: FieldGroup {
        var name = "?"
        init() {}
        mutating func visit(_ fields: inout Fields) { fields.always("name", &name) }
    }
    struct Push: FieldGroup {
        /// Seconds.
        var poll: Int64?
        init() {}
        mutating func visit(_ fields: inout Fields) { fields.optional("poll", &poll) }
    }
    var apps: [Value] = []
    var awaitDeviceConfigured = false
    var capacity = 64
    var configuration = Value.empty
    var launchLimit = 20.0
    var pad = 0
    var profile = "ipad"
    var purgeAtSignOut = false
    var push: Push?
    var seed: UInt64 = 0
    var slots = 10
    var switches = Value.Object()
    var timeScale = 1.0
    var watches = (habits: false, arrivals: false)
    init() {}
    mutating func visit(_ fields: inout Fields) {
        fields.always("apps", &apps)
        fields.always("awaitDeviceConfigured", &awaitDeviceConfigured)
        fields.always("capacity", &capacity)
        fields.always("configuration", &configuration)
        fields.always("habits", &watches.habits)
        fields.always("launchLimit", &launchLimit)
        fields.always("notesArrivals", &watches.arrivals)
        fields.always("pad", &pad)
        fields.always("profile", &profile)
        fields.always("purgeAtSignOut", &purgeAtSignOut)
        fields.optional("push", &push)
        fields.bits("seed", &seed)
        fields.always("slots", &slots)
        fields.always("switches", &switches)
        fields.always("timeScale", &timeScale)
    }
}
