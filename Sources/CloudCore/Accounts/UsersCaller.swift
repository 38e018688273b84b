import FleetModel

/// `users/caller`: the caller's own identity in this container (cloudkit-web-services.md 7.2).
///
/// Names of people are not modelled: only who opts in would show one.
enum UsersCaller {
    static func handle(_ call: Call, _ work: Work) throws -> Answer {
        let space = try Space(call)
        guard space.isPublic else { throw CloudError.badRequest("users/caller is asked in the public database") }
        return Answer(json: ["users": [["userRecordName": .string(recordName(of: call.caller.name, in: space, work))]]])
    }

    /// `_` and 32 hex digits, random per person and container, the same on every device (cloudkit-framework.md 12).
    static func recordName(of person: Person, in space: Space, _ work: Work) -> String {
        let high = StableHash.of(work.seed, "user", space.container, space.environment, person)
        return "_" + Work.hex(high) + Work.hex(StableHash.mix(high))
    }
}
