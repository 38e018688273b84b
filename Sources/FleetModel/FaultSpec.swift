/// One planned fault: what the fault tape holds. Drawn by the swarm, written in a scenario, or read from a trace.
public struct FaultSpec: Hashable, Sendable {
    /// Stable name within the run: `latency-2`, or the scenario's own.
    public var id: String
    /// A registered fault's name: `homeroom list faults`.
    public var kind: String
    /// When it begins. Before the end of the storm.
    public var from: Instant
    /// When it heals; equal to `from` for faults that are an event (a kill), `forever` for one that stays after the storm.
    public var until: Instant
    /// The end of a fault that never heals (decision 0017).
    public static let forever = Instant(nanoseconds: .max)
    /// Whether it never heals. Only kinds with `mayStay` may.
    public var stays: Bool { until == Self.forever }
    /// iPads concerned; empty: all.
    public var pads: [Int]
    /// Fault-specific numbers: probability, span in nanoseconds, route prefix.
    public var parameters: Value

    /// Nothing is checked here: the nemesis refuses what cannot be.
    public init(id: String, kind: String, from: Instant, until: Instant, pads: [Int] = [], parameters: Value = .empty) {
        self.id = id
        self.kind = kind
        self.from = from
        self.until = until
        self.pads = pads
        self.parameters = parameters
    }

    /// A line of the fault tape. Times are nanoseconds since the run began.
    public var body: Value {
        [
            "id": .string(id), "kind": .string(kind), "from": .int(from.nanoseconds), "until": .int(until.nanoseconds),
            "pads": .array(pads.map { .int($0) }), "parameters": parameters,
        ]
    }
    /// Reads what `body` writes; nil where a member other than `parameters` is missing.
    public init?(_ body: Value) {
        guard let id = body["id"]?.string, let kind = body["kind"]?.string, let from = body["from"]?.int,
            let until = body["until"]?.int, let pads = body["pads"]?.array
        else { return nil }
        self.init(
            id: id, kind: kind, from: Instant(nanoseconds: from), until: Instant(nanoseconds: until),
            pads: pads.compactMap { $0.int.map(Int.init) }, parameters: body["parameters"] ?? .empty)
    }
    /// Whether an iPad is among those concerned; nil, that is no iPad, only where all are.
    public func concerns(_ pad: Int?) -> Bool { pads.isEmpty || pad.map(pads.contains) ?? false }
}

/// One line of the workload tape: what a person does, when and where.
public struct PlanStep: Hashable, Sendable {
    /// What the person does, or what happens at the iPad meanwhile.
    public enum Deed: Hashable, Sendable {
        case signIn
        /// Without an account: a session that leaves nothing behind.
        case signInAsGuest
        case signOut
        case open(AppName)
        /// Leave the app for the home screen.
        case home
        case perform(Edit)
        /// What else happens at the iPad while the person is there: a command of Docs/pad-commands.md.
        case command(Message)
        /// Of the person's apps here; the answer is kept for `restore`.
        case backUp
        /// What was backed up so far comes to this iPad.
        case restore
    }
    /// When the person wants to do it.
    public var at: Instant
    /// The person who does it.
    public var person: Person
    /// The iPad at which it is done, from 1.
    public var pad: Int
    /// What is done.
    public var deed: Deed

    /// Nothing is checked here: the scenario and the person's other steps decide what makes sense.
    public init(at: Instant, person: Person, pad: Int, _ deed: Deed) {
        self.at = at
        self.person = person
        self.pad = pad
        self.deed = deed
    }

    /// A line of the workload tape: `t` in nanoseconds, `person`, `pad`, `do`, and what the deed needs.
    public var body: Value {
        var body: Value = ["t": .int(at.nanoseconds), "person": .string(person), "pad": .int(pad)]
        switch deed {
        case .signIn: body["do"] = "signIn"
        case .signInAsGuest: body["do"] = "signInAsGuest"
        case .signOut: body["do"] = "signOut"
        case .open(let app): body["do"] = "open"; body["app"] = .string(app)
        case .home: body["do"] = "home"
        case .perform(let edit): body["do"] = "perform"; body["edit"] = edit.body
        case .command(let message):
            body["do"] = "command"
            body["name"] = .string(message.name)
            body["body"] = message.body
        case .backUp: body["do"] = "backUp"
        case .restore: body["do"] = "restore"
        }
        return body
    }
    /// Reads what `body` writes; nil where a member is missing or there is no such deed.
    public init?(_ body: Value) {
        guard let at = body["t"]?.int, let person = body["person"]?.string, let pad = body["pad"]?.int else {
            return nil
        }
        let deed: Deed
        switch body["do"]?.string {
        case "signIn": deed = .signIn
        case "signInAsGuest": deed = .signInAsGuest
        case "signOut": deed = .signOut
        case "home": deed = .home
        case "backUp": deed = .backUp
        case "restore": deed = .restore
        case "command":
            guard let name = body["name"]?.string else { return nil }
            deed = .command(Message(name, body["body"] ?? .empty))
        case "open":
            guard let app = body["app"]?.string else { return nil }
            deed = .open(app)
        case "perform":
            guard let edit = body["edit"].flatMap(Edit.init) else { return nil }
            deed = .perform(edit)
        default: return nil
        }
        self.init(at: Instant(nanoseconds: at), person: person, pad: Int(pad), deed)
    }
}

/// What an app is, as its author declares it: the workload generates from it, the checkers judge by it.
public struct AppManifest: Hashable, Sendable {
    /// Something a person can do in the app.
    public struct Action: Hashable, Sendable {
        /// Name given to `perform`.
        public var name: String
        /// Kind of the item it touches.
        public var kind: String
        /// What its edits do to the item.
        public var verb: Edit.Verb
        /// How often, relative to the app's other actions.
        public var weight: Int
        /// Items to choose from: `prefix-1` ... `prefix-N`; with 0 each edit makes a new item named by its token.
        public var pool: Int
        /// Prefix of the item's id; the id is what `visibleState` reports.
        public var prefix: String

        /// Ordinary weight and a new item for each edit, unless more is given.
        public init(_ name: String, kind: String, verb: Edit.Verb, weight: Int = 1, pool: Int = 0, prefix: String) {
            self.name = name
            self.kind = kind
            self.verb = verb
            self.weight = weight
            self.pool = pool
            self.prefix = prefix
        }
    }

    /// The short name, which scenarios and the history use.
    public var name: AppName
    /// Apple's identifier: it names the app's folders and its default container.
    public var bundleID: String
    /// The app's Info.plist, parsed; `NSSupportsPurgeableLocalStorage` is read from it.
    public var infoPlist: Value
    /// The app's entitlements, parsed; nil: none were given, and the app has what every app has by default, its own container and store
    /// (icloud-documents.md 1, key-value-store.md 1).
    public var entitlements: Value?
    /// What people can do in it.
    public var actions: [Action]
    /// Promise by item kind.
    public var promises: [String: Promise]
    /// Kinds of items that are meant for all users of the app, as CloudKit's public database is (cloudkit-framework.md 1; S294); what is of
    /// another kind is its person's alone.
    public var forEveryone: Set<String>
    /// Kinds of items that people share with each other: who takes part in a record's CloudKit share sees it (cloudkit-framework.md 16).
    public var shared: Set<String>
    /// The system that carries its edits.
    public var channel: Channel

    /// Nothing is checked here: the values are the author's declaration.
    public init(
        name: AppName, bundleID: String, infoPlist: Value, entitlements: Value? = nil, actions: [Action],
        promises: [String: Promise], forEveryone: Set<String> = [], shared: Set<String> = [], channel: Channel
    ) {
        self.name = name
        self.bundleID = bundleID
        self.infoPlist = infoPlist
        self.entitlements = entitlements
        self.actions = actions
        self.promises = promises
        self.forEveryone = forEveryone
        self.shared = shared
        self.channel = channel
    }

    /// Whether the app declares that its local storage may be removed (S11, S12).
    public var isPurgeable: Bool { infoPlist["NSSupportsPurgeableLocalStorage"]?.bool ?? false }
    /// Whether the app ends instead of being suspended (S161).
    public var exitsOnSuspend: Bool { infoPlist["UIApplicationExitsOnSuspend"]?.bool ?? false }
}
