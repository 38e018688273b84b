import FleetModel
import Testing

@testable import CloudCore

@Suite("References", .timeLimit(.minutes(20)))
struct ReferenceTests {
    // 8.8
    @Test("DELETE_SELF in a custom zone: sources go at once, over several steps, cycles end, others stay (S247, S248)")
    func cascade() throws {
        let maya = Web(fleet: try Web.fleet(), person: "maya")
        maya.makeZone()
        for (name, target) in [("b", "a"), ("c", "b"), ("a", "c")] {
            #expect(maya.save(name, ["up": Web.reference(target, "DELETE_SELF")]).code == nil)
        }
        maya.save("dangling", ["up": Web.reference("a")])
        let token = maya.call("private/records/changes", ["zoneID": Device.zoneID("Z")]).json?.syncToken
        #expect(maya.delete("b").code == nil)
        for name in ["a", "b", "c"] { #expect(maya.lookup(name).code == "NOT_FOUND") }
        #expect(maya.lookup("dangling").value("up")?["recordName"]?.string == "a")
        let feed = maya.call(
            "private/records/changes", ["zoneID": Device.zoneID("Z"), "syncToken": .optional(token)])
        #expect(feed.records.filter { $0["deleted"]?.bool == true }.count == 3)
    }

    // 8.8
    @Test("DELETE_SELF in the default zone: sources go later")
    func later() throws {
        let fleet = try Web.fleet()
        let maya = Web(fleet: fleet, person: "maya")
        maya.save("a", zone: .none, scope: "public")
        maya.save("b", ["up": Web.reference("a", "DELETE_SELF")], zone: .none, scope: "public")
        maya.save("c", ["up": Web.reference("b", "DELETE_SELF")], zone: .none, scope: "public")
        maya.delete("a", zone: .none, scope: "public")
        #expect(maya.has("b", zone: .none, scope: "public"))
        #expect(fleet.nextTimer != nil)
        fleet.wait(.seconds(10))
        #expect(!maya.has("b", zone: .none, scope: "public"))
        #expect(!maya.has("c", zone: .none, scope: "public"))
        #expect(fleet.nextTimer == nil)
    }

    // 8.8
    @Test(
        "VALIDATE: target must be there, also in the same batch; its deletion is refused while sources are there (S246)"
    )
    func validate() throws {
        let maya = Web(fleet: try Web.fleet(), person: "maya")
        maya.makeZone()
        let source = Web.operation("create", "s", ["up": Web.reference("t", "VALIDATE")])
        let refused = maya.modify([source], atomic: false).records.first
        #expect(refused?.code == "VALIDATING_REFERENCE_ERROR")
        #expect(maya.modify([source]).status == 400)
        #expect(maya.modify([source, Web.operation("create", "t")]).status == 200)
        let delete = Web.operation("forceDelete", "t")
        #expect(maya.modify([delete], atomic: false).records.first?.code == "VALIDATING_REFERENCE_ERROR")
        #expect(maya.modify([delete, Web.operation("forceDelete", "s")]).status == 200)
        #expect(!maya.has("t"))
    }

    // 8.8
    @Test("NONE: a target that is not there is accepted, and stays missing (S249)")
    func dangling() throws {
        let maya = Web(fleet: try Web.fleet(), person: "maya")
        maya.makeZone()
        #expect(maya.save("s", ["up": Web.reference("nowhere")]).code == nil)
        #expect(maya.lookup("s").value("up")?["recordName"]?.string == "nowhere")
        #expect(maya.lookup("nowhere").code == "NOT_FOUND")
    }

    // 8.8
    @Test("VALIDATE: who leans on a refused operation of the batch is refused too")
    func leaning() throws {
        let maya = Web(fleet: try Web.fleet(), person: "maya")
        maya.makeZone()
        maya.save("there")
        let batch = [
            Web.operation("create", "s", ["up": Web.reference("t", "VALIDATE")]),
            Web.operation("update", "t", extra: ["recordChangeTag": "stale"]),
            Web.operation("create", "u", ["up": Web.reference("there", "VALIDATE")]),
        ]
        let codes = maya.modify(batch, atomic: false).records.map { $0.code ?? "ok" }
        #expect(codes == ["VALIDATING_REFERENCE_ERROR", "NOT_FOUND", "ok"])
    }

    // 8.8, 10
    @Test("DELETE_SELF: 750 sources a target, not 751")
    func count() throws {
        let maya = Web(fleet: try Web.fleet(), person: "maya")
        maya.makeZone()
        for part in 0..<4 {
            let range = part * 200..<min(750, part * 200 + 200)
            let batch = range.map { Web.operation("create", "s\($0)", ["up": Web.reference("t", "DELETE_SELF")]) }
            #expect(maya.modify(batch).status == 200)
        }
        #expect(maya.save("more", ["up": Web.reference("t", "DELETE_SELF")], kind: "create").code == "BAD_REQUEST")
        #expect(maya.save("s0", ["up": Web.reference("t", "DELETE_SELF")]).code == nil)
    }

    // 8.4
    @Test("Parent: must be there, keeps through updates, null clears, no cycle, only NONE")
    func parent() throws {
        let maya = Web(fleet: try Web.fleet(), person: "maya")
        maya.makeZone()
        let under: (String) -> Value = { ["parent": ["recordName": .string($0)]] }
        #expect(maya.save("child", extra: under("none")).code == "VALIDATING_REFERENCE_ERROR")
        maya.save("top")
        #expect(maya.save("child", extra: under("top"))["parent"]?["recordName"]?.string == "top")
        #expect(maya.save("child", ["n": ["value": 1]])["parent"]?["recordName"]?.string == "top")
        #expect(maya.save("top", extra: under("child")).code == "BAD_REQUEST")
        #expect(maya.save("child", extra: under("child")).code == "BAD_REQUEST")
        #expect(maya.save("child", extra: ["parent": .null])["parent"] == nil)
        #expect(
            maya.save("child", extra: ["parent": ["recordName": "top", "action": "DELETE_SELF"]]).code == "BAD_REQUEST")
    }
}
