import FleetModel
import Testing

@testable import CloudCore

@Suite("Parents", .timeLimit(.minutes(20))) struct ParentTests {
    private static func under(_ parent: String) -> Value { ["parent": ["recordName": .string(parent)]] }
    /// A zone with `root`, under which `leaf` hangs, under which `tip` hangs.
    private func maya(zone: Value? = Device.zoneID("Z")) throws -> Web {
        let maya = Web(fleet: try Web.fleet(), person: "maya")
        maya.makeZone()
        maya.save("root", zone: zone)
        maya.save("leaf", zone: zone, extra: Self.under("root"))
        maya.save("tip", zone: zone, extra: Self.under("leaf"))
        return maya
    }

    // framework 4, 16: a parent is a validating reference
    @Test(
        "Deletion of a parent: refused while children are there, and they can be saved as before",
        arguments: [
            Device.zoneID("Z"), nil,
        ])
    func refused(_ zone: Value?) throws {
        let maya = try maya(zone: zone)
        let refusal = maya.delete("root", zone: zone)
        let code = refusal["records"]?.array?.first?.code ?? refusal.code
        #expect(code == "VALIDATING_REFERENCE_ERROR")
        #expect(maya.has("root", zone: zone))
        #expect(maya.save("leaf", ["t": ["value": "new"]], zone: zone).code == nil)
        #expect(maya.delete("tip", zone: zone).code == nil && maya.delete("leaf", zone: zone).code == nil)
        #expect(maya.delete("root", zone: zone).code == nil)
    }

    @Test("Deletion of a parent: the children go in the same request, in any order, or are moved in it")
    func together() throws {
        func delete(_ names: String...) -> [Value] { names.map { Web.operation("forceDelete", $0) } }
        #expect(try maya().modify(delete("root", "leaf", "tip")).status == 200)
        #expect(try maya().modify(delete("tip", "leaf", "root")).status == 200)
        #expect(try maya().modify(delete("root", "leaf")).status == 400)
        let move = Web.operation("forceUpdate", "leaf", extra: ["parent": .null])
        #expect(try maya().modify(delete("root") + [move]).status == 200)
        let stay = Web.operation("forceUpdate", "leaf", extra: Self.under("root"))
        #expect(try maya().modify(delete("root") + [stay]).status == 400)
    }

    @Test("Deletion of a parent: a child that stays because its own deletion is refused keeps the parent")
    func partly() throws {
        let maya = try maya()
        let stale = Web.operation("delete", "tip", extra: ["recordChangeTag": "stale"])
        let codes = maya.modify([Web.operation("forceDelete", "leaf"), stale], atomic: false).records.map(\.code)
        #expect(codes == ["VALIDATING_REFERENCE_ERROR", "CONFLICT"])
        #expect(maya.has("leaf"))
    }

    // 8.8
    @Test("Deletion of a parent: children that go by DELETE_SELF do not hold it, their own children do")
    func cascade() throws {
        let maya = try maya()
        maya.save("leaf", ["up": Web.reference("root", "DELETE_SELF")], extra: Self.under("root"))
        #expect(
            maya.modify([Web.operation("forceDelete", "root")], atomic: false).records.first?.code
                == "VALIDATING_REFERENCE_ERROR")
        maya.save("tip", ["up": Web.reference("leaf", "DELETE_SELF")], extra: Self.under("leaf"))
        #expect(maya.delete("root").code == nil)
        #expect(!maya.has("leaf") && !maya.has("tip"))
    }

    // 8.8
    @Test("Deletion of a parent in a default zone: DELETE_SELF takes the children a moment later")
    func later() throws {
        let maya = Web(fleet: try Web.fleet(), person: "maya")
        maya.save("root", zone: nil)
        maya.save("leaf", ["up": Web.reference("root", "DELETE_SELF")], zone: nil, extra: Self.under("root"))
        #expect(maya.delete("root", zone: nil).code == nil)
        maya.fleet.wait(.seconds(10))
        #expect(!maya.has("leaf", zone: nil))
    }

    // 8.8
    @Test(
        "Deletion of a parent in a default zone: of a large tree the request looks at the top, and the cascade at the rest"
    )
    func large() throws {
        let maya = Web(fleet: try Web.fleet(), person: "maya")
        maya.save("root", zone: nil)
        func hang(_ names: [String], under target: String) {
            for start in stride(from: 0, to: names.count, by: 200) {
                let batch = names[start..<min(start + 200, names.count)].map {
                    Web.operation("create", $0, ["up": Web.reference(target, "DELETE_SELF")])
                }
                #expect(maya.call("private/records/modify", ["operations": .array(batch)]).status == 200)
            }
        }
        hang((0..<700).map { "leaf-\($0)" }, under: "root")
        hang((0..<400).map { "tip-\($0)" }, under: "leaf-0")
        maya.save("child", zone: nil, extra: Self.under("leaf-5"))
        #expect(maya.delete("root", zone: nil).code == nil)
        maya.fleet.wait(.seconds(10))
        #expect(!maya.has("leaf-0", zone: nil) && !maya.has("tip-399", zone: nil))
        #expect(maya.has("leaf-5", zone: nil) && maya.has("child", zone: nil))
    }
    @Test("Deletion of a parent in a default zone: of a small tree all children are looked at before")
    func small() throws {
        let maya = Web(fleet: try Web.fleet(), person: "maya")
        maya.save("root", zone: nil)
        maya.save("leaf", ["up": Web.reference("root", "DELETE_SELF")], zone: nil)
        maya.save("child", zone: nil, extra: Self.under("leaf"))
        let refusal = maya.delete("root", zone: nil)
        #expect((refusal["records"]?.array?.first?.code ?? refusal.code) == "VALIDATING_REFERENCE_ERROR")
    }
}
