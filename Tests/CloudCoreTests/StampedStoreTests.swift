import FleetModel
import Storage
import Testing

@testable import CloudCore

@Suite("Key-value and keychain", .timeLimit(.minutes(20)))
struct StampedStoreTests {
    /// Every order of n things.
    static func orders<T>(_ things: [T]) -> [[T]] {
        guard things.count > 1 else { return [things] }
        return things.indices.flatMap { index -> [[T]] in
            var rest = things
            let first = rest.remove(at: index)
            return orders(rest).map { [first] + $0 }
        }
    }

    @Test(
        "Largest (stamp, device) wins in every order of arrival (3 devices x 2 writes, 720 orders, ties included) (S113)"
    )
    func everyOrder() throws {
        let fleet = try Fleet((0..<720).map { "p\($0)" })
        // Two ties: equal stamps of different devices, the larger device wins.
        let writes = [(1, 10), (1, 30), (2, 20), (2, 30), (3, 5), (3, 25)].map { device, stamp in
            Device.write("k", .string("\(stamp)/\(device)"), stamp: stamp, device: "ipad-\(device)")
        }
        for (index, order) in Self.orders(writes).enumerated() {
            let device = try fleet.device("p\(index)", on: 1)
            for write in order { device.sync([write]) }
            let value = device.sync()["changes"]?.array?.first?["value"]?.string
            guard value == "30/2" else {
                Issue.record("order \(order.compactMap { $0["value"]?.string }) ended at \(value ?? "nothing")")
                return
            }
        }
    }

    @Test("Sync: changes since, removal competes as a write, notes")
    func sync() throws {
        let fleet = try Fleet()
        let (one, two) = (try fleet.device("maya", on: 1), try fleet.device("maya", on: 2))
        let first = one.sync([
            Device.write("a", .string(payload("maya.1")), stamp: 1, device: "ipad-1"),
            Device.write("b", 1, stamp: 1, device: "ipad-1"),
        ])
        #expect(fleet.committed == ["maya.1"])
        #expect(first["changes"]?.array?.count == 2)
        let seq = first["seq"]?.int ?? 0
        #expect(two.sync(since: seq)["changes"]?.array == [])
        let second = two.sync([Device.write("a", .null, stamp: 2, device: "ipad-2")], since: seq)
        #expect(fleet.replaced == ["maya.1"])
        #expect(second["changes"]?.array == [Device.write("a", .null, stamp: 2, device: "ipad-2")])
        // Older by the device's clock: it has lost before it arrived.
        let late = one.sync(
            [Device.write("a", .string(payload("maya.2")), stamp: 1, device: "ipad-9")], since: second["seq"]?.int ?? 0)
        #expect(fleet.committed == [])
        #expect(fleet.replaced == ["maya.2"])
        #expect(late["changes"]?.array == [])
        #expect(one.sync(at: "/kvs/v1/another/sync")["changes"]?.array == [])
    }

    @Test("Full account: key-value goes on where documents are refused (S57)")
    func fullAccount() throws {
        let fleet = try Fleet()
        let one = try fleet.device("maya", on: 1)
        fleet.command("cloud.quota", ["account": "maya", "bytes": 0])
        #expect(one.put("d", modified: 1, "x").code == "QUOTA_EXCEEDED")
        let answer = one.sync([Device.write("k", .string(payload("maya.1")), stamp: 1, device: "ipad-1")])
        #expect(fleet.committed == ["maya.1"])
        #expect(answer["changes"]?.array?.count == 1)
    }

    @Test("Keychain: the same rule in a store of its own")
    func keychain() throws {
        let fleet = try Fleet()
        let one = try fleet.device("maya", on: 1)
        one.sync([Device.write("k", .string(payload("maya.1")), stamp: 5, device: "ipad-1")], at: "/keychain/v1/sync")
        #expect(fleet.notes.first?.channel == .keychain)
        one.sync([Device.write("k", "old", stamp: 4, device: "ipad-2")], at: "/keychain/v1/sync")
        #expect(fleet.observed("maya") == ["keychain k": ["maya.1"]])
        #expect(one.sync()["changes"]?.array == [])
    }

    @Test("Malformed write: refused whole, nothing of the request is taken")
    func malformed() throws {
        let one = try Fleet().device("maya", on: 1)
        #expect(one.sync([Device.write("a", 1, stamp: 1, device: "d"), ["key": "b"]]).code == "BAD_REQUEST")
        #expect(one.sync()["changes"]?.array == [])
    }

    @Test("Changes that do not fit into one answer come after its 'seq', each once, and it says so")
    func pages() throws {
        let maya = try Fleet().device("maya", on: 1)
        let writes = (1...2500).map { Device.write("k\($0)", 1, stamp: $0, device: "ipad-1") }
        maya.sync(writes, since: 1 << 40)
        var (since, counts, keys): (Int64, [Int], Set<String>) = (0, [], [])
        while counts.count < 9 {
            let page = maya.sync(since: since)
            let changes = page["changes"]?.array ?? []
            counts.append(changes.count)
            keys.formUnion(changes.compactMap { $0["key"]?.string })
            since = page["seq"]?.int ?? 0
            guard page["moreComing"]?.bool == true else { break }
        }
        #expect(counts == [2000, 500])
        #expect(keys.count == 2500)
        #expect(maya.sync(since: since)["changes"]?.array == [])
    }
}
