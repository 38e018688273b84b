import FleetModel
import Storage

/// What the iPad itself remembers, whoever is signed in: who is cached, their account tokens, counters, switches.
struct SystemState: Hashable {
    /// A person whose volume is on this iPad.
    struct Resident: Hashable {
        var person: Person = ""
        /// Bearer token of the account at the Cloud.
        var token = ""
        /// Stable name of the account, given by the Cloud at sign-in.
        var account = ""
        var iCloud: ICloudState = .own
        /// The person is signed in to the second account, or was last.
        var usesSecond = false
        /// Bearer token of the second account; nil: the person was never signed in to it here; empty: none was given yet.
        var secondToken: String?
        /// Ordinal of the last sign-out: the smallest was away longest. 0: never left.
        var left: Int64 = 0
        /// Local data of apps that allow it shall go as soon as nothing waits in a queue.
        var isPurgeDue = false
        /// Apps that were in use while iCloud could not be, and have not been in the foreground with it since.
        var unsettled: [AppName] = []
        /// Without an account; goes at the end of the session.
        var isGuest = false
        /// When the accounts service last said who this is.
        var authenticated = Instant.zero
        /// What the person changed in Settings and an app has not taken yet, by bundle identifier (S182).
        var settings = Value.Object()
        /// Apps of the person that want background fetches.
        var fetches: [FetchPlan] = []
    }

    /// In order of first sign-in.
    var residents: [Resident] = []
    var counters = Counters()
    var device = DeviceConditions()
    var management = ManagementRecord()
    var apps = InstalledApps()

    init() {}

    func index(of person: Person) -> Int? { residents.firstIndex { $0.person == person } }
    subscript(person: Person) -> Resident? { index(of: person).map { residents[$0] } }
}

/// Numbers that a reboot must not use again.
struct Counters: Hashable {
    var launches = 0
    /// Sign-ins sent to the Cloud so far: part of their request ids.
    var signIns: Int64 = 0
    var signOuts: Int64 = 0
}

/// The iPad as a machine.
struct DeviceConditions: Hashable {
    /// Bytes of the iPad that are taken by what nobody here models (fault `disk-full`).
    var filledBytes = 0
    var clock = DeviceClock()
    var isAirplaneMode = false
    /// What discretionary transfers wait for. ASSUMED: an iPad of a school has both unless told otherwise; without Wi-Fi a cellular
    /// network is left.
    var isOnPower = true
    var isOnWiFi = true
}

/// What an administrator has set, and what the iPad owes its management server.
struct ManagementRecord: Hashable {
    /// What was set, and what of it holds: quota and number of people change when nobody is cached (shared-ipad.md 9.1; ASSUMED: deferred
    /// until then).
    var configuration = SharedDeviceConfiguration()
    var inForce = SharedDeviceConfiguration()
    /// DiagnosticSubmission and AppAnalytics: nothing here submits anything, but DeviceInformation tells them.
    var submitsDiagnostics = false
    var submitsAnalytics = false
    /// Managed configuration of apps, by bundle identifier; null: taken back.
    var managedApps = Value.Object()
    /// What it owes the management server on its own connection.
    var channel = ManagementChannel()
    /// Set up but not configured: nobody logs in before the server has said DeviceConfigured.
    var isAwaitingConfiguration = false
    /// A management server has called, or is to be told of the set-up: it is told of each log-in too.
    var hasServer = false
}

/// What was done to the apps of this iPad.
struct InstalledApps: Hashable {
    /// Apps that an administrator has taken off this iPad.
    var removed: [AppName] = []
    /// How often the last app of a vendor was removed, by vendor: part of `identifierForVendor`.
    var vendorsGone = Value.Object()
    /// Versions of apps that were updated on this iPad, by name (S218); the others are as their bundle says.
    var versions = Value.Object()
}

/// The device's own clock against virtual time (fault `clock-skew`).
struct DeviceClock: Hashable {
    /// Nanoseconds ahead at `since`.
    var offset: Int64 = 0
    /// Parts in a billion by which it runs fast.
    var drift: Int64 = 0
    var since = Instant.zero

    /// Nanoseconds since 1970 that the device shows.
    func reading(at now: Instant) -> Int64 {
        let gained = Double(now.nanoseconds &- since.nanoseconds) * Double(drift) / 1e9
        return Instant.epochNanoseconds &+ now.nanoseconds &+ offset &+ (Int64(exactly: gained.rounded()) ?? 0)
    }
}

/// What the iPad tells apps about the iCloud account that the person is signed in to, whichever it is (identity.md 3).
enum ICloudState: Hashable {
    /// All of it can be used.
    case own
    case none, unavailable, restricted
    /// Documents & Data are switched off: the account is there, its documents and their token are not (identity.md 2).
    case withoutDocuments
}

// MARK: The form on the system volume

extension SystemState {
    private static let path = "/private/var/db/homeroom.json"
    private static let folder = "/private/var/db"

    /// A new iPad.
    init(_ spec: PadSpec) {
        (management.configuration, management.inForce) = (spec.configuration, spec.configuration)
        management.isAwaitingConfiguration = spec.awaitsConfiguration
        management.channel.mustCheckIn = spec.awaitsConfiguration
        management.hasServer = spec.awaitsConfiguration
    }
    /// Reads what was saved; nil: a new iPad.
    /// - Throws: `DiskError`, or `PadProblem` when the file is not what `save` wrote: a harness error.
    init?(from disk: Disk) throws {
        guard disk.status(Self.path) != nil else { return nil }
        guard let body = try? Value(json: disk.read(Self.path)), let state = SystemState(fieldValue: body) else {
            throw PadProblem("the system volume holds no readable \(Self.path): something else wrote to it")
        }
        self = state
    }
    /// Durable when it returns.
    func save(to disk: Disk) throws {
        if disk.status(Self.folder) == nil { try disk.makeFolder(Self.folder) }
        try disk.write(Self.path, body.jsonBytes, sync: true)
    }

}

extension SystemState: FieldGroup {
    mutating func visit(_ fields: inout Fields) {
        var people = residents.map(\.body)
        fields.always("airplane", &device.isAirplaneMode)
        fields.unless(false, "analytics", &management.submitsAnalytics)
        fields.unless(false, "awaiting", &management.isAwaitingConfiguration)
        fields.always("clockDrift", &device.clock.drift)
        fields.always("clockOffset", &device.clock.offset)
        fields.always("clockSince", &device.clock.since)
        fields.checked(unless: SharedDeviceConfiguration(), "configuration", &management.configuration)
        fields.unless(false, "diagnostics", &management.submitsDiagnostics)
        fields.unless(0, "filled", &device.filledBytes)
        fields.checked(unless: SharedDeviceConfiguration(), "inForce", &management.inForce)
        fields.required("launches", &counters.launches)
        fields.unless(Value.Object(), "managedApps", &management.managedApps)
        fields.unless(ManagementChannel(), "management", &management.channel)
        fields.required("people", &people)
        fields.unless(true, "power", &device.isOnPower)
        fields.unless([], "removedApps", &apps.removed)
        fields.unless(false, "server", &management.hasServer)
        fields.required("signIns", &counters.signIns)
        fields.required("signOuts", &counters.signOuts)
        fields.unless(Value.Object(), "vendorsGone", &apps.vendorsGone)
        fields.unless(Value.Object(), "versions", &apps.versions)
        fields.unless(true, "wifi", &device.isOnWiFi)
        guard fields.isReading else { return }
        residents = people.compactMap(Resident.init(fieldValue:))
        if residents.count != people.count { fields.reject("needs people that can be read") }
    }
}

extension SystemState.Resident: FieldGroup {
    mutating func visit(_ fields: inout Fields) {
        fields.required("account", &account)
        fields.unless(.zero, "authenticated", &authenticated)
        fields.unless([], "fetches", &fetches)
        fields.unless(false, "guest", &isGuest)
        fields.always("iCloud", &iCloud)
        fields.required("left", &left)
        fields.required("person", &person)
        fields.always("purgeDue", &isPurgeDue)
        fields.optional("second", &secondToken)
        fields.unless(Value.Object(), "settings", &settings)
        fields.required("token", &token)
        fields.always("unsettled", &unsettled)
        fields.unless(false, "usesSecond", &usesSecond)
    }
}

extension ICloudState: FieldValue {
    /// As in the command `identity.change`.
    var fieldValue: Value {
        switch self {
        case .own: "own"
        case .none: .null
        case .unavailable: "unavailable"
        case .restricted: "restricted"
        case .withoutDocuments: "withoutDocuments"
        }
    }
    init?(fieldValue value: Value) {
        switch value.string {
        case "own": self = .own
        case "unavailable": self = .unavailable
        case "restricted": self = .restricted
        case "withoutDocuments": self = .withoutDocuments
        case nil where value.isNull: self = .none
        default: return nil
        }
    }
    static var kindName: String { "state" }
}
