import FleetModel

/// What a request wants of a share record beside its fields (cloudkit-web-services.md 8.4, 8.12).
struct ShareWish: Hashable {
    struct Participant: Hashable {
        /// Whom it means: `userRecordName`, `emailAddress` or `phoneNumber`.
        var lookup: Value
        var permission: String
    }
    /// The root, with the tag it was read with.
    var root: String?
    var rootTag: String?
    var publicPermission: String?
    /// Nil: as they are. The owner is never in the list.
    var participants: [Participant]?

    /// cloudkit-framework.md 9.
    static let participantsMax = 100
    private static let permissions = ["NONE", "READ_ONLY", "READ_WRITE"]

    init(_ record: Value) throws(CloudError) {
        if let target = record["forRecord"], !target.isNull {
            root = try target.text("recordName")
            rootTag = try target.optionalText("recordChangeTag")
        }
        publicPermission = try record.optionalText("publicPermission")
        if let publicPermission { try Self.check(publicPermission) }
        guard let list = record["participants"], !list.isNull else { return }
        guard let entries = list.array else { throw .badRequest("'participants' must be a list") }
        guard entries.count <= Self.participantsMax else {
            throw CloudError.badRequest("\(entries.count) participants are more than \(Self.participantsMax)")
                .naming("shareProblem", "tooManyParticipants")
        }
        var wanted: [Participant] = []
        for entry in entries { if let participant = try Self.participant(entry) { wanted.append(participant) } }
        participants = wanted
    }

    private static func participant(_ entry: Value) throws(CloudError) -> Participant? {
        guard try entry.optionalText("type") != "OWNER" else { return nil }
        guard let identity = entry["userIdentity"] else { throw .badRequest("a participant has no 'userIdentity'") }
        var lookup = identity["lookupInfo"] ?? .empty
        // What the service has shown names people by their record; that is the surer way.
        if let name = try identity.optionalText("userRecordName") { lookup = ["userRecordName": .string(name)] }
        guard ["userRecordName", "emailAddress", "phoneNumber"].contains(where: { lookup[$0]?.string != nil }) else {
            throw .badRequest("a participant needs 'userRecordName', 'emailAddress' or 'phoneNumber'")
        }
        let permission = try entry.optionalText("permission") ?? "READ_ONLY"
        try check(permission)
        return Participant(lookup: lookup, permission: permission)
    }
    private static func check(_ permission: String) throws(CloudError) {
        guard permissions.contains(permission) else {
            throw .badRequest("there is no permission '\(permission)'; use 'NONE', 'READ_ONLY' or 'READ_WRITE'")
        }
    }
}
