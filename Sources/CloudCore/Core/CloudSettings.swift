import FleetModel

/// Facts about which the sources differ, marked (disagree) in Docs/sources/cloudkit-web-services.md: this service takes one side, and
/// who has seen the other sets it (`homeroom-cloud serve --set NAME=VALUE`). The only place where they are read.
public struct CloudSettings: Hashable, Sendable {
    /// All there are.
    public static let all: [Switches.Switch] = [
        .init(
            name: "deleteComparesTag", values: ["true", "false"],
            meaning: "5.2: 'delete' compares a 'recordChangeTag' that is sent"),
        .init(
            name: "createExisting", values: ["EXISTS", "CONFLICT"],
            meaning:
                "5.2: code of 'create' for a record that is there; Apple's pages say EXISTS, tests of clients CONFLICT"),
        .init(
            name: "zonesChangesToken", values: ["both", "metaSyncToken", "syncToken"],
            meaning: "6: name of the token in answers of zones/changes; both are read"),
        .init(
            name: "zoneSubscriptionZone", values: ["required", "optional"],
            meaning: "7.1: 'zoneID' of a zone subscription; without it the subscription is for every custom zone"),
        .init(
            name: "zoneOwnerKey", values: ["ownerRecordName", "ownerName"],
            meaning: "8.1: name of the owner in zone IDs of answers; both are read"),
        .init(
            name: "stampUserKey", values: ["userRecordName", "user"],
            meaning: "8.4: name of the person in 'created' and 'modified' of answers"),
        .init(
            name: "assetType", values: ["ASSETID", "ASSET"],
            meaning: "8.6: type tag of assets in answers, of lists of them with '_LIST'; both are read"),
        .init(
            name: "untypedTimestamp", values: ["refused", "taken"],
            meaning:
                "8.6: a number without 'type' for a TIMESTAMP field; Apple's service refuses it, its pages say that types are inferred"
        ),
        .init(
            name: "listMemberBeginsWith", values: ["some", "first"],
            meaning: "8.9: which member LIST_MEMBER_BEGINS_WITH looks at"),
        .init(
            name: "serverKeyOnUsers", values: ["AUTHENTICATION_FAILED", "ACCESS_DENIED"],
            meaning: "3: code of users/... for a server-to-server key, which is nobody"),
        .init(
            name: "invitedStatus", values: ["PENDING", "INVITED"],
            meaning: "8.12: 'acceptanceStatus' of who has not accepted yet"),
        .init(name: "assetMegabytes", values: ["50", "15"], meaning: "10: largest file, MB"),
    ]
    private var sides = Switches(all, noun: "setting", tellsDefaults: true)

    /// Every setting at its default.
    public init() {}

    /// Sets one switch.
    /// - Throws: `CloudSpecError` naming what there is instead.
    public mutating func set(_ name: String, to value: String) throws(CloudSpecError) {
        if let wrong = sides.set(name, to: value) { throw CloudSpecError(wrong) }
        hasOwnWords = Self.words.allSatisfy(sides.isDefault)
    }
    /// Reads the key `settings` of a Cloud's spec: `{name: value}`.
    init(spec: Value) throws(CloudSpecError) {
        guard let given = spec["settings"] else { return }
        guard let pairs = given.object?.pairs else {
            throw CloudSpecError("'settings' of the Cloud's spec must be an object of texts")
        }
        for pair in pairs {
            guard let value = pair.value.string else {
                throw CloudSpecError("the setting '\(pair.key)' must be a text")
            }
            try set(pair.key, to: value)
        }
    }
    /// As the key `settings` of a Cloud's spec has it.
    public var spec: Value { sides.body }

    private subscript(name: String) -> String { sides[name] ?? "" }

    // MARK: What they mean

    var deleteComparesTag: Bool { sides.isDefault("deleteComparesTag") }
    /// Code of a `create` of what exists.
    var existing: ServerErrorCode { sides.isDefault("createExisting") ? .exists : .conflict }
    /// Whether a number without a type is none for a `TIMESTAMP` field.
    var untypedTimestampIsRefused: Bool { sides.isDefault("untypedTimestamp") }
    /// Code of questions about users that a server's key asks.
    var serverKeyOnUsers: ServerErrorCode {
        sides.isDefault("serverKeyOnUsers") ? .authenticationFailed : .accessDenied
    }
    var zoneSubscriptionNeedsZone: Bool { sides.isDefault("zoneSubscriptionZone") }
    var listMemberBeginsWithFirst: Bool { !sides.isDefault("listMemberBeginsWith") }
    /// Bytes of the largest file.
    var assetBytesMax: Int { (Int(self["assetMegabytes"]) ?? 50) << 20 }

    /// Whether answers are worded as the core makes them.
    private var hasOwnWords = true
    private static let words = ["zonesChangesToken", "zoneOwnerKey", "stampUserKey", "assetType", "invitedStatus"]
    /// An answer of CloudKit in the words that were set: the core makes and keeps all dictionaries in the default ones.
    func worded(_ body: [UInt8]) -> [UInt8] {
        guard !hasOwnWords, let value = try? Value(json: body), value.object != nil else { return body }
        return worded(value, under: "").jsonBytes
    }
    private func worded(_ value: Value, under key: String) -> Value {
        if let list = value.array { return .array(list.map { worded($0, under: key) }) }
        guard let object = value.object else { return value }
        var result = Value.Object()
        for pair in object.pairs {
            // What apps have written is theirs.
            if key == "fields" {
                result[pair.key] = field(pair.value)
            } else if let name = self.name(of: pair.key, in: value, under: key) {
                result[name] = worded(pair.value, under: pair.key)
            }
        }
        if key != "fields" {
            for status in ["acceptanceStatus", "participantStatus"] where value[status]?.string == "PENDING" {
                result[status] = .string(self["invitedStatus"])
            }
        }
        return .object(result)
    }
    /// Nil for a key that is left out.
    private func name(of key: String, in object: Value, under parent: String) -> String? {
        switch key {
        case "ownerRecordName" where object["zoneName"] != nil: return self["zoneOwnerKey"]
        case "userRecordName" where parent == "created" || parent == "modified": return self["stampUserKey"]
        case "metaSyncToken": return self["zonesChangesToken"] == "syncToken" ? nil : key
        case "syncToken" where object["metaSyncToken"] != nil:
            return self["zonesChangesToken"] == "metaSyncToken" ? nil : key
        default: return key
        }
    }
    private func field(_ field: Value) -> Value {
        guard RecordFields.isAsset(field) else { return field }
        var field = field
        let suffix = field["type"]?.string?.hasSuffix("_LIST") == true ? "_LIST" : ""
        field["type"] = .string(self["assetType"] + suffix)
        return field
    }
}
