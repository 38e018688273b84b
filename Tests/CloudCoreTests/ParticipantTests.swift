import FleetModel
import Testing

@testable import CloudCore

@Suite("Participants", .timeLimit(.minutes(20)))
struct ParticipantTests {
    private static func participant(_ lookup: Value, _ permission: String) -> Value {
        ["permission": .string(permission), "type": "USER", "userIdentity": ["lookupInfo": lookup]]
    }

    // 8.4, 8.12
    @Test("One person named twice, by one lookup or by two: one participant, with what was wanted last")
    func doubled() throws {
        let fleet = try Web.fleet()
        let maya = Web(fleet: fleet, person: "maya")
        let omar: Value = ["userRecordName": .string(Web(fleet: fleet, person: "omar").userRecordName)]
        let (address, stranger): (Value, Value) = (
            ["emailAddress": "omar@example.com"], ["emailAddress": "nobody@elsewhere.example"]
        )
        maya.makeZone()
        maya.save("root")
        for lookups in [
            [omar, omar], [stranger, stranger], [address, omar], [omar, address], [omar, omar, address],
        ] {
            // Made, and then changed.
            for kind in ["forceReplace", "forceUpdate"] {
                let participants = lookups.enumerated().map { number, lookup in
                    Self.participant(lookup, number == lookups.count - 1 ? "READ_WRITE" : "READ_ONLY")
                }
                let share = maya.save(
                    "share", kind: kind, type: "cloudkit.share",
                    extra: ["forRecord": ["recordName": "root"], "participants": .array(participants)])
                #expect(share.code == nil, "\(kind) \(lookups)")
                let guests = (share["participants"]?.array ?? []).filter { $0["type"]?.string == "USER" }
                #expect(guests.map { $0["permission"]?.string } == ["READ_WRITE"], "\(kind) \(lookups)")
            }
            maya.delete("share")
        }
    }
}
