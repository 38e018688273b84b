import FleetModel

/// Why a message of an app was not accepted.
enum RecordFault: Error, Hashable {
    /// Not the message that local-link.md describes.
    case malformed(String)
    /// Well formed, and refused by CloudKit's own rules before anything is sent.
    case refused(CloudKitFailure)

    /// The answer to the app.
    var answer: Value {
        switch self {
        case .malformed(let reason): ["error": ["domain": "POSIX", "code": 22, "message": .string(reason)]]
        case .refused(let failure): failure.answer
        }
    }
}

/// Which database of which container a message speaks about.
struct RecordScope: Hashable {
    var container: String
    /// `private`, `public` or `shared`.
    var database: String
    /// `production` or `development`, as the app is entitled.
    var environment: String

    /// - Throws: `malformed` for a missing member, `badContainer` 5 or `badDatabase` 24 for one that cannot be.
    init(_ message: RecordMessage, environment: String) throws(RecordFault) {
        container = try message.text("container")
        database = try message.text("database")
        self.environment = environment
        guard container.hasPrefix("iCloud."), container.utf8.count <= 255, container.utf8.allSatisfy(Self.isSafe) else {
            throw .refused(
                CloudKitFailure(
                    code: 5, "'\(container)' is no container; its name is 'iCloud.' and a reverse domain name"))
        }
        guard ["private", "public", "shared"].contains(database) else {
            throw .refused(
                CloudKitFailure(
                    code: 24, "there is no database '\(database)' here; use 'private', 'public' or 'shared'"))
        }
    }

    /// Path of a call: `records/modify` in this database.
    func target(_ call: WebCall) -> String {
        "/database/1/\(container)/\(environment)/\(call.isPublicOnly ? "public" : database)/\(call.path)"
    }

    /// Letters, digits, dot and hyphen: the name becomes a part of the path.
    private static func isSafe(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}

/// A `ck.` message whose members are read with care: an app may send anything.
struct RecordMessage {
    var name: String
    var body: Value

    init(_ message: Message) {
        name = message.name
        body = message.body
    }

    /// A text that must be there and not be empty.
    func text(_ key: String) throws(RecordFault) -> String {
        guard let text = body[key]?.string, !text.isEmpty else {
            throw .malformed("\(name): '\(key)' must be a text that is not empty")
        }
        return text
    }
    /// A text that may be missing or null.
    func optionalText(_ key: String) throws(RecordFault) -> String? {
        guard let value = body[key], !value.isNull else { return nil }
        guard let text = value.string else { throw .malformed("\(name): '\(key)' must be a text") }
        return text
    }
    /// A flag, false when missing.
    func flag(_ key: String, default missing: Bool = false) throws(RecordFault) -> Bool {
        guard let value = body[key], !value.isNull else { return missing }
        guard let flag = value.bool else { throw .malformed("\(name): '\(key)' must be true or false") }
        return flag
    }
    /// A list, empty when missing.
    func list(_ key: String) throws(RecordFault) -> [Value] {
        guard let value = body[key], !value.isNull else { return [] }
        guard let list = value.array else { throw .malformed("\(name): '\(key)' must be a list") }
        return list
    }
    /// A list of texts, none of them empty.
    func texts(_ key: String) throws(RecordFault) -> [String] {
        var texts: [String] = []
        for value in try list(key) {
            guard let text = value.string, !text.isEmpty else {
                throw .malformed("\(name): '\(key)' must hold texts that are not empty")
            }
            texts.append(text)
        }
        return texts
    }
    /// How many results a page may have: 1 to 200 (cloudkit-web-services.md 10); nil when the service decides.
    func pageLimit() throws(RecordFault) -> Value? {
        guard let value = body["limit"], !value.isNull else { return nil }
        guard let limit = value.int else { throw .malformed("\(name): 'limit' must be a whole number") }
        // A bare nil beside a value would be read as `Value.null`.
        guard limit > 0 else { return Optional.none }
        return .int(min(limit, 200))
    }
    /// The zone's name; the default zone when missing.
    func zoneName() throws(RecordFault) -> String { try optionalText("zone") ?? RecordZone.defaultName }
}

/// Names of zones on the wire (cloudkit-web-services.md 8.1), and on the local link: `NAME`, or `OWNER/NAME` for a zone of somebody
/// else. The two cannot be confused: an owner's name begins with `_`, a zone of one's own does not, but for the default one.
enum RecordZone {
    static let defaultName = "_defaultZone"
    /// The owner that stands for the caller.
    private static let caller = "__defaultOwner__"

    static func id(_ name: String) -> Value {
        let (owner, zone) = parts(name)
        return owner.map { ["ownerRecordName": .string($0), "zoneName": .string(zone)] } ?? ["zoneName": .string(zone)]
    }
    /// The name without its owner, as the history has it.
    static func plain(_ name: String) -> String { parts(name).zone }
    /// The name on the local link; nil for what is no zone ID.
    static func name(of id: WebEntry.Zone) -> String? {
        guard let name = id.zoneName else { return nil }
        guard let owner = id.ownerRecordName, owner != caller else { return name }
        return "\(owner)/\(name)"
    }
    private static func parts(_ name: String) -> (owner: String?, zone: String) {
        guard name.hasPrefix("_"), let slash = name.firstIndex(of: "/") else { return (nil, name) }
        return (String(name[..<slash]), String(name[name.index(after: slash)...]))
    }
}
