import FleetModel
import Storage

/// The record of type `Users` that each person has in the public and private database of a container
/// (cloudkit-framework.md 2). It is there as soon as its person asks for it by name.
enum UserRecords {
    static let type = "Users"

    /// - Throws: `BAD_REQUEST` for a new record of the reserved type: the service alone makes them (S279).
    static func checkType(_ type: String) throws(CloudError) {
        guard type != Self.type else {
            throw .badRequest("'\(type)' is the service's own record type; choose another name for yours")
        }
    }

    /// - Throws: `ACCESS_DENIED` for a new record under the name that is, or may become, somebody else's user record;
    ///   `BAD_REQUEST` for another name that begins with a low line (cloudkit-framework.md 2).
    static func checkName(_ name: String, in reach: Reach, _ caller: Caller, _ work: Work) throws(CloudError) {
        guard name.utf8.first == UInt8(ascii: "_"), !(reach.zone.isDefault && isOwn(name, in: reach, caller, work))
        else { return }
        guard isName(name), reach.zone.isDefault else {
            throw .badRequest(
                "'\(name)' is no name for a record: those that begin with '_' are the service's; choose another")
        }
        throw CloudError(.accessDenied, "'\(name)' is the form of user records; only its person has one of this name")
    }
    private static func isName(_ name: String) -> Bool {
        name.utf8.count == 33 && name.utf8.first == UInt8(ascii: "_")
            && name.utf8.dropFirst().allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }
    private static func isOwn(_ name: String, in reach: Reach, _ caller: Caller, _ work: Work) -> Bool {
        caller.isPerson && name == UsersCaller.recordName(of: caller.name, in: reach.space, work)
    }

    static func prepare(_ name: String, in reach: Reach, _ caller: Caller, _ work: Work) throws {
        guard isName(name), reach.zone.isDefault, !reach.space.isShared, isOwn(name, in: reach, caller, work),
            try RecordRow.find(name, in: reach.zone, work) == nil
        else { return }
        let now: Value = [
            "deviceID": .string(caller.device), "timestamp": .int(work.timestamp), "userRecordName": .string(name),
        ]
        let tag = try work.newTag(reach.space.owner)
        let body: Value = [
            "created": now, "fields": .empty, "modified": now, "recordChangeTag": .string(tag),
            "recordName": .string(name), "recordType": .string(type),
        ]
        let row = RecordRow(
            name: name, sequence: try work.nextSequence(reach.space.owner), type: type, tag: tag,
            creator: caller.account, tokens: [], json: body.jsonBytes)
        try row.save(in: reach.zone, work)
        try work.use(bytes: Int64(row.json.count), in: reach.space)
    }
}
