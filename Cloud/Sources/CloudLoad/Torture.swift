import FleetModel
import Foundation

/// Kills a server with SIGKILL while it is written to, again and again, and looks what is left: every acknowledged write
/// must be there, and every change token handed out before must go on where it was.
public struct Torture {
    private let server: ServerProcess
    private var writers: [Writer]
    private var draw: Draw
    /// What was wrong; empty: nothing was lost.
    public private(set) var faults: [String] = []
    public private(set) var kills = 0
    public private(set) var slowestStart = 0.0
    public var acknowledged: Int { writers.reduce(0) { $0 + $1.acknowledged.count + $1.counted } }

    public init(server: ServerProcess, writers: Int, seed: UInt64) {
        self.server = server
        self.writers = (0..<writers).map { Writer(name: "writer\($0)") }
        draw = Draw(seed: seed)
    }

    /// One more kill, and the look afterwards.
    public mutating func round() throws {
        slowestStart = max(slowestStart, try server.start())
        let group = DispatchGroup()
        for writer in writers {
            group.enter()
            let port = server.port
            Thread.detachNewThread {
                writer.write(port: port)
                group.leave()
            }
        }
        Thread.sleep(forTimeInterval: 0.05 + Double(draw.below(350)) / 1000)
        server.kill()
        group.wait()
        kills += 1
        slowestStart = max(slowestStart, try server.start())
        for writer in writers {
            do { faults += try writer.check(port: server.port).map { "after kill \(kills): \($0)" } } catch {
                faults.append("after kill \(kills): \(writer.name) cannot look: \(error)")
            }
        }
        // Every other life ends without a request under way.
        server.kill()
    }
}

/// What is wrong with what is left after a kill.
enum Losses {
    /// - Parameters:
    ///   - followed: read from token to token, over all kills.
    ///   - present: read from the beginning, after the last one.
    static func faults(_ acknowledged: Set<String>, followed: Set<String>, present: Set<String>) -> [String] {
        [
            ("are lost", acknowledged.subtracting(present)),
            ("are skipped by the feed", acknowledged.subtracting(followed)),
        ]
        .filter { !$0.1.isEmpty }.map { "\($0.1.sorted().prefix(5)) \($0.0)" }
    }
}

/// A person who writes until the server is gone, and remembers what was acknowledged.
private final class Writer: @unchecked Sendable {
    let name: String
    private(set) var acknowledged: Set<String> = []
    /// Acknowledged increments of one record.
    private(set) var counted = 0
    private var isUncertain = false
    private var next = 0
    /// Records seen in the feed so far, and the token after them.
    private var seen: Set<String> = []
    private var token: Value?
    private var hasZone = false

    init(name: String) { self.name = name }

    func write(port: Int) {
        guard let person = try? Person(port: port, name: name) else { return }
        do {
            if !hasZone {
                try person.makeZone()
                _ = try person.save(["recordName": "n", "recordType": "Note", "fields": ["n": ["value": 0]]], "create")
                hasZone = true
            }
            while true {
                next += 1
                let record: Value = [
                    "recordName": .string("r\(next)"), "recordType": "Note", "fields": ["i": ["value": .int(next)]],
                ]
                let saved = try person.save(record, "create")
                if saved["serverErrorCode"] == nil { acknowledged.insert("r\(next)") }
                isUncertain = true
                if try person.increment("n") { counted += 1 }
                isUncertain = false
                // A token of the middle of things, now and then.
                if next % 7 == 0 { try follow(person) }
            }
        } catch {}
    }

    /// Reads the feed on from the last token.
    private func follow(_ person: Person) throws { seen.formUnion(try Self.read(person, from: &token)) }
    /// The names in the feed from a token on, which is moved to the end.
    private static func read(_ person: Person, from token: inout Value?) throws -> Set<String> {
        var names: Set<String> = []
        while true {
            var body: Value = ["zoneID": Person.zone]
            body["syncToken"] = token
            let page = try person.call("records/changes", body)
            guard let records = page["records"]?.array, let after = page["syncToken"] else {
                throw ConnectionError("the token handed out before is refused: \(page.json)")
            }
            for record in records { if let name = record["recordName"]?.string { names.insert(name) } }
            token = after
            if page["moreComing"]?.bool != true { return names }
        }
    }

    func check(port: Int) throws -> [String] {
        guard hasZone else { return [] }
        let person = try Person(port: port, name: name)
        var faults: [String] = []
        try follow(person)
        // What was seen in the feed before the kill may have been lost by it: the whole is read again, too.
        var start: Value?
        faults += Losses.faults(acknowledged, followed: seen, present: try Self.read(person, from: &start)).map {
            "\(name): \($0)"
        }
        let value = Int(try person.lookup("n")["fields"]?["n"]?["value"]?.int ?? -1)
        // An increment that was under way may have been done.
        let allowed = isUncertain ? counted...counted + 1 : counted...counted
        if !allowed.contains(value) {
            faults.append("\(name): \(counted) increments were acknowledged, the record says \(value)")
        }
        counted = max(value, 0)
        isUncertain = false
        return faults
    }
}
