import FleetModel
import Storage
import Testing

@testable import CloudCore

@Suite("History of the Cloud", .timeLimit(.minutes(20))) struct HistoryTests {
    private func saved(_ more: Value = ["history": true]) throws -> (Fleet, Device) {
        let fleet = try Fleet(more: more)
        let device = try fleet.device("maya", on: 1)
        device.makeZone()
        device.save("create", "a", EditPayload.text(token: "maya.1", "x"))
        return (fleet, device)
    }
    private func page(_ fleet: Fleet, after: Int64 = 0) -> Value {
        fleet.cloud.command(Message("cloud.history", ["after": .int(after)]), now: fleet.now).answer
    }
    private func tokens(_ page: Value) -> [[Token]] {
        (page["events"]?.array ?? []).compactMap(HistoryEvent.init).map(\.note.tokens)
    }

    @Test("What a request led to is kept with its moment, in its order")
    func kept() throws {
        let (fleet, device) = try saved()
        device.save("create", "b", EditPayload.text(token: "maya.2", "y"))
        let events = (page(fleet)["events"]?.array ?? []).compactMap(HistoryEvent.init)
        #expect(events.map(\.note.tokens) == [["maya.1"], ["maya.2"]])
        #expect(events.map(\.note.kind) == [.committed, .committed])
        #expect(events.last?.at == fleet.now)
    }

    @Test("A crash takes neither a kept note nor leaves one of what was undone")
    func crash() throws {
        let (fleet, device) = try saved()
        // Refused: nothing happened, and nothing is told.
        device.save("create", "a", EditPayload.text(token: "maya.2", "y"))
        try fleet.crash()
        #expect(tokens(page(fleet)) == [["maya.1"]])
    }

    @Test("Pages: 'last' is where the next one begins, and the end is empty")
    func pages() throws {
        let (fleet, device) = try saved()
        let last = try #require(page(fleet)["last"]?.int)
        #expect(tokens(page(fleet, after: last)) == [])
        device.save("create", "b", EditPayload.text(token: "maya.2", "y"))
        #expect(tokens(page(fleet, after: last)) == [["maya.2"]])
    }

    @Test("A full disk: told with the history from then on, also when there is room again")
    func fullDisk() throws {
        let fleet = try Fleet(more: ["history": true], disk: .memory(capacityBytes: 2 << 20))
        let device = try fleet.device("maya", on: 1)
        device.makeZone()
        device.save("create", "a", EditPayload.text(token: "maya.1", "x"))
        #expect(page(fleet)["failure"] == nil)
        func save(_ device: Device, _ name: String, _ text: String) -> Int {
            device.modify([Device.operation("create", name, text: text)], zone: "Notes").status
        }
        var statuses: [Int] = []
        for number in 2..<60 where statuses.last ?? 200 == 200 {
            let text = String(repeating: "long ", count: 20_000)
            statuses.append(save(device, "b\(number)", EditPayload.text(token: "maya.\(number)", text)))
        }
        #expect(statuses.count > 1 && statuses.last == 503)
        #expect(page(fleet)["failure"]?.string?.contains("full") == true, "\(page(fleet)["failure"] ?? .null)")
        fleet.disk.capacityBytes = .max
        #expect(save(device, "c", EditPayload.text(token: "maya.99", "x")) == 200)
        #expect(tokens(page(fleet)).contains(["maya.99"]) && page(fleet)["failure"] != nil)
    }

    @Test("A zone that is deleted by a command: kept with what was in it")
    func deletedZone() throws {
        let (fleet, _) = try saved()
        let last = try #require(page(fleet)["last"]?.int)
        let answer = fleet.cloud.command(Message("cloud.deleteZones", ["account": "maya"]), now: fleet.now).answer
        #expect(answer["ok"]?.bool == true)
        let events = (page(fleet, after: last)["events"]?.array ?? []).compactMap(HistoryEvent.init)
        #expect(events.last { $0.note.kind == .zoneDeleted }?.note.tokens == ["maya.1"])
        #expect(events.last?.note.detail["name"] == "zone-deleted")
    }

    @Test("Without the setting: refused, with the way to have one")
    func off() throws {
        let (fleet, _) = try saved(.empty)
        #expect(page(fleet)["refused"]?.string?.contains("--testbed") == true)
    }

    @Test("Commands of a run by the administrator's way: the same as by a message (parameters: names)")
    func commands() throws {
        let (fleet, device) = try saved()
        let cloud = fleet.cloud
        let observed = cloud.command(Message("cloud.observe"), now: fleet.now).answer
        let notes = (observed["notes"]?.array ?? []).compactMap(HistoryEvent.init)
        #expect(notes.map(\.note.tokens) == [["maya.1"]])
        #expect(cloud.command(Message("cloud.quota", ["bytes": 0]), now: fleet.now).answer["ok"]?.bool == true)
        #expect(cloud.command(Message("cloud.quota", ["bytes": -1]), now: fleet.now).answer["refused"] != nil)
        #expect(cloud.command(Message("cloud.revoke", ["account": "maya"]), now: fleet.now).answer["ok"]?.bool == true)
        #expect(device.ck("zones/list", .empty).status == 401)
        #expect(cloud.command(Message("cloud.crash"), now: fleet.now).answer["refused"] != nil)
    }

    @Test("Sessions: only those that are good on that device name an account")
    func holders() throws {
        let (fleet, device) = try saved()
        let omar = try fleet.device("omar", on: 2)
        #expect(fleet.cloud.holders(of: [device.token, "guess", omar.token], on: "ipad-1") == ["maya"])
        #expect(fleet.cloud.holders(of: [device.token], on: "ipad-2") == [])
    }
}
