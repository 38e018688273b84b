import FleetModel
import Storage
import Testing

@testable import CloudCore

@Suite("Documents", .timeLimit(.minutes(20)))
struct DocumentTests {
    private func fleet() throws -> (Fleet, one: Device, two: Device) {
        let fleet = try Fleet()
        return (fleet, try fleet.device("maya", on: 1), try fleet.device("maya", on: 2))
    }

    @Test("New document, edit from the current base: replaced, no conflict")
    func edit() throws {
        let (fleet, one, two) = try fleet()
        let made = one.put("d", modified: 10, payload("maya.1"))
        #expect(made.json?["conflict"]?.bool == false)
        #expect(fleet.committed == ["maya.1"])
        let edited = two.put("d", base: made.text("version"), modified: 5, payload("maya.2"))
        #expect(edited.json?["conflict"]?.bool == false)
        #expect(fleet.replaced == ["maya.1"])
        let item = one.items().first
        #expect(item?["version"]?.string == edited.text("version"))
        #expect(item?["device"]?.string == "ipad-2")
        #expect(item?["conflicts"]?.array == [])
        #expect(item?["size"]?.int == Int64(payload("maya.2").utf8.count))
        #expect(one.content("d") == payload("maya.2"))
        #expect(one.request("GET", "\(Device.documents)/items/d?version=\(made.text("version"))").status == 404)
    }

    @Test(
        "Conflict: both are kept, newest is current, tie by device (later write newer, older, equal)",
        arguments: [20, 5, 10])
    func conflict(_ modified: Int) throws {
        let (fleet, one, two) = try fleet()
        let base = one.put("d", modified: 1, "start").text("version")
        one.put("d", base: base, modified: 10, payload("maya.1"))
        let second = two.put("d", base: base, modified: modified, payload("maya.2"))
        #expect(second.json?["conflict"]?.bool == true)
        #expect(fleet.replaced == [])
        let item = try #require(one.items().first)
        let winner = modified == 5 ? "maya.1" : "maya.2"
        #expect(one.content("d") == payload(winner))
        let losers = item["conflicts"]?.array ?? []
        #expect(losers.count == 1)
        #expect(
            one.content("d", version: losers.first?["id"]?.string) == payload(winner == "maya.1" ? "maya.2" : "maya.1"))
        #expect(
            Set(fleet.observed("maya").keys) == ["document Documents/page.txt", "document Documents/page.txt conflict"])
    }

    @Test("Conflict: the loser's next edit replaces its own version, resolving removes it, repeated is the same")
    func resolve() throws {
        let (fleet, one, two) = try fleet()
        let base = one.put("d", modified: 1, "start").text("version")
        let current = one.put("d", base: base, modified: 10, payload("maya.1")).text("version")
        let loser = two.put("d", base: base, modified: 5, payload("maya.2")).text("version")
        let again = two.put("d", base: loser, modified: 6, payload("maya.3"))
        #expect(fleet.replaced == ["maya.2"])
        #expect(again.json?["conflict"]?.bool == true)
        let ids = one.items().first?["conflicts"]?.array?.compactMap { $0["id"]?.string } ?? []
        #expect(ids == [again.text("version")])
        let seq = one.post("\(Device.documents)/changes", ["since": 0]).json?["seq"]?.int ?? 0
        let target = "\(Device.documents)/items/d/resolve"
        #expect(one.post(target, ["versions": .strings(ids)]).text("version") == current)
        #expect(fleet.replaced == ["maya.3"])
        #expect(one.post(target, ["versions": .strings(ids)]).status == 200)
        #expect(fleet.notes.isEmpty)
        #expect(two.items(since: seq).first?["conflicts"]?.array == [])
        #expect(two.content("d") == payload("maya.1"))
    }

    @Test("Lost response: a retry makes no second version (same id, or the same write under a new id)")
    func retry() throws {
        let (fleet, one, two) = try fleet()
        let made = one.put("d", modified: 1, "a", request: "r1")
        #expect(one.put("d", modified: 1, "a", request: "r1").body == made.body)
        #expect(one.put("d", modified: 1, "a", request: "r2").text("version") == made.text("version"))
        let edit = two.put("d", base: made.text("version"), modified: 2, payload("maya.1"), request: "r3")
        one.put("d", base: edit.text("version"), modified: 3, payload("maya.2"))
        #expect(
            two.put("d", base: made.text("version"), modified: 2, payload("maya.1"), request: "r3").body == edit.body)
        #expect(fleet.notes.isEmpty)
        #expect(one.items().first?["conflicts"]?.array == [])
        #expect(one.content("d") == payload("maya.2"))
    }

    @Test(
        "Delete: base not current or a conflict unseen: 409 and it stays; else gone everywhere; an edit brings it back")
    func delete() throws {
        let (fleet, one, two) = try fleet()
        let base = one.put("d", modified: 1, payload("maya.1")).text("version")
        let current = one.put("d", base: base, modified: 2, payload("maya.2")).text("version")
        func delete(_ base: String) -> HTTPResponse {
            two.request("DELETE", "\(Device.documents)/items/d?base=\(base)")
        }
        #expect(delete(base).status == 409)
        two.put("d", base: "elsewhere", modified: 1, payload("maya.3"))
        #expect(delete(current).status == 409)
        #expect(one.content("d") == payload("maya.2"))
        let loser = try #require(one.items().first?["conflicts"]?.array?.first?["id"]?.string)
        one.post("\(Device.documents)/items/d/resolve", ["versions": [.string(loser)]])
        let seq = one.post("\(Device.documents)/changes", ["since": 0]).json?["seq"]?.int ?? 0
        #expect(delete(current).status == 200)
        #expect(fleet.replaced == ["maya.2"])
        #expect(delete(current).status == 200)
        #expect(one.items(since: seq).first?["deleted"]?.bool == true)
        #expect(one.items() == [])
        #expect(one.request("GET", "\(Device.documents)/items/d").status == 404)
        #expect(one.put("d", base: current, modified: 9, payload("maya.4")).status == 200)
        #expect(two.content("d") == payload("maya.4"))
    }

    @Test("Path taken: the second is renamed; a move keeps the content's edits free of conflict")
    func paths() throws {
        let (_, one, two) = try fleet()
        let made = one.put("a", path: "Documents/my page.txt", modified: 1, "a")
        #expect(made.text("path") == "Documents/my page.txt")
        #expect(two.put("b", path: "Documents/my page.txt", modified: 1, "b").text("path") == "Documents/my page 2.txt")
        #expect(two.put("c", path: "Documents/my page.txt", modified: 1, "c").text("path") == "Documents/my page 3.txt")
        let move = "\(Device.documents)/items/a/move"
        let moved = one.post(move, ["base": .string(made.text("version")), "path": "Documents/other.txt"], id: "m1")
        #expect(moved.text("version") != made.text("version"))
        #expect(
            one.post(move, ["base": .string(made.text("version")), "path": "Documents/other.txt"], id: "m1").body
                == moved.body)
        #expect(two.post(move, ["base": .string(made.text("version")), "path": "x"]).status == 409)
        let edit = two.put("a", base: made.text("version"), path: "Documents/my page.txt", modified: 2, "aa")
        #expect(edit.json?["conflict"]?.bool == false)
        #expect(edit.text("path") == "Documents/other.txt")
        #expect(one.post("\(Device.documents)/items/none/move", ["base": "", "path": "x"]).status == 404)
    }
}
