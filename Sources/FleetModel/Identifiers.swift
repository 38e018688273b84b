/// Names a participant of a run. Stable across modes and runs: it is written to the trace.
public enum ParticipantID: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The workload: what people do.
    case people
    /// The reference iCloud.
    case cloud
    /// An emulated iPad, by its number in the scenario (from 1).
    case pad(Int)
    /// One launch of an app on an iPad; launches are counted per iPad, so adding an iPad shifts no other's numbers.
    case app(pad: Int, launch: Int)

    /// Its name in traces and messages: `people`, `cloud`, `ipad-3`, `ipad-3/app-2`.
    public var description: String {
        switch self {
        case .people: "people"
        case .cloud: "cloud"
        case .pad(let pad): "ipad-\(pad)"
        case .app(let pad, let launch): "ipad-\(pad)/app-\(launch)"
        }
    }

    /// Reads what `description` writes.
    public init?(_ text: some StringProtocol) {
        if text == "people" { self = .people; return }
        if text == "cloud" { self = .cloud; return }
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard let head = parts.first, head.hasPrefix("ipad-"), let pad = Int(head.dropFirst(5)), pad > 0 else {
            return nil
        }
        if parts.count == 1 { self = .pad(pad); return }
        guard parts.count == 2, parts[1].hasPrefix("app-"), let launch = Int(parts[1].dropFirst(4)) else { return nil }
        self = .app(pad: pad, launch: launch)
    }

    /// The iPad that this participant is or runs on; nil for people and the Cloud.
    public var pad: Int? {
        switch self {
        case .people, .cloud: nil
        case .pad(let pad), .app(let pad, _): pad
        }
    }

    private var order: (Int, Int, Int) {
        switch self {
        case .people: (0, 0, 0)
        case .cloud: (1, 0, 0)
        case .pad(let pad): (2, pad, 0)
        case .app(let pad, let launch): (3, pad, launch)
        }
    }
    /// People, the Cloud, iPads by number, then apps by iPad and launch: an order that is the same everywhere.
    public static func < (a: ParticipantID, b: ParticipantID) -> Bool { a.order < b.order }
}

/// A person of the school: the short name of a Managed Apple Account, `[a-z][a-z0-9-]*`.
public typealias Person = String

/// The second iCloud account that somebody may be signed in to instead of the own one (identity.md 3, A to B; ASSUMED: one a person).
///
/// An account is named like a person, and the own account has the person's name: whoever speaks of a person's iCloud means an account,
/// and `maya@home` is another one than `maya`, with data of its own. No person is called so.
public enum SecondAccount {
    private static let ending = "@home"
    /// The second account of a person: `maya@home`.
    public static func name(of person: Person) -> Person { person + ending }
    /// Who uses an account; of an own account, the person of its name.
    public static func user(of account: Person) -> Person {
        account.hasSuffix(ending) ? String(account.dropLast(ending.utf8.count)) : account
    }
    /// Whether an account is somebody's second one.
    public static func isOne(_ account: Person) -> Bool { account.hasSuffix(ending) }
}

/// An app by its short name, as `homeroom list apps` prints it.
public typealias AppName = String
