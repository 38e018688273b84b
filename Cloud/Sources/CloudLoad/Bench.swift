import FleetModel
import Foundation
import Storage

/// The figures of issue 3, point 6: load over HTTP on a server in a process of its own, each beside SQLite alone, measured
/// in the same run on the same disk.
public struct Bench {
    private let server: ServerProcess
    private let folder: URL
    private let say: (String) -> Void

    public init(binary: String, folder: URL, port: Int, say: @escaping (String) -> Void) {
        self.folder = folder
        self.say = say
        server = ServerProcess(binary: binary, folder: folder.appendingPathComponent("server"), port: port)
    }

    /// - Parameters:
    ///   - seconds: how long each load lasts.
    ///   - records: in the zone of feed and query.
    ///   - million: whether memory is watched over a million records too; takes minutes.
    public func run(seconds: Double, records: Int, million: Bool) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try server.start()
        say("numbers mixed in a loop: \(Self.spin()) M/s (to compare machines)")
        try singles(seconds)
        try batches(records)
        try feed(records)
        try query(records)
        if million { try memory(1_000_000) }
        server.kill()
    }

    /// How fast this machine is just now.
    private static func spin() -> String {
        let start = ContinuousClock.now
        var value: UInt64 = 1
        for index in 0..<4_000_000 { value = StableHash.mix(value ^ UInt64(index)) }
        let seconds = ServerProcess.seconds(ContinuousClock.now - start)
        return two(4 / seconds) + (value == 0 ? "!" : "")
    }

    // MARK: Loads

    private struct Load {
        var count = 0
        var seconds = 0.0
        var processor = 0.0
        var perSecond: Double { Double(count) / seconds }
        var microseconds: Double { processor / Double(max(count, 1)) * 1e6 }
    }
    private func measure(_ body: () throws -> Int) rethrows -> Load {
        let (start, used) = (ContinuousClock.now, Machine.processorSeconds(of: server.id))
        let count = try body()
        return Load(
            count: count, seconds: ServerProcess.seconds(ContinuousClock.now - start),
            processor: Machine.processorSeconds(of: server.id) - used)
    }
    private static func record(_ name: String, _ number: Int) -> Value {
        [
            "recordName": .string(name), "recordType": "Note",
            "fields": [
                "n": ["value": .int(number)],
                "text": ["value": .string("note \(number % 1000) with a few words in it")],
                "done": ["value": .int(number % 2)],
            ],
        ]
    }

    /// Durable single-record saves, 64 connections.
    private func singles(_ seconds: Double) throws {
        try Person(port: server.port, name: "single").makeZone()
        let raw = try rawSingles(seconds)
        let counts = Tally()
        let port = server.port
        let load = measure {
            let end = ContinuousClock.now + .milliseconds(Int(seconds * 1000))
            let group = DispatchGroup()
            for client in 0..<64 {
                group.enter()
                Thread.detachNewThread {
                    defer { group.leave() }
                    guard let person = try? Person(port: port, name: "single") else { return }
                    var done = 0
                    while ContinuousClock.now < end {
                        let saved = try? person.save(Self.record("c\(client)-\(done)", done), "create")
                        guard let saved, saved["serverErrorCode"] == nil else { break }
                        done += 1
                    }
                    counts.add(done)
                }
            }
            group.wait()
            return counts.sum
        }
        say(
            "single saves, 64 connections: \(Int(load.perSecond))/s, \(Int(load.microseconds)) us CPU each (goals 3000/s, 150 us)"
        )
        say("  SQLite alone, one insert a commit: \(Int(raw))/s")
    }

    /// Batches of 200, one connection after the other fills the zone of feed and query.
    private func batches(_ records: Int) throws {
        let raw = try rawBatches(records)
        let person = try Person(port: server.port, name: "batch")
        try person.makeZone()
        let load = try measure { try fill(person, from: 0, to: records) }
        say(
            "batches of 200: \(Int(load.perSecond)) records/s, \(Int(load.microseconds)) us CPU a record, "
                + "\(Self.two(load.perSecond / raw)) of SQLite alone (goals 30 us, 0.4)")
        say("  SQLite alone, 200 inserts a commit: \(Int(raw)) rows/s")
    }
    private func fill(_ person: Person, from: Int, to: Int) throws -> Int {
        for start in stride(from: from, to: to, by: 200) {
            let operations: [Value] = (start..<min(start + 200, to)).map {
                ["operationType": "create", "record": Self.record("r\($0)", $0)]
            }
            let answer = try person.call(
                "records/modify", ["zoneID": Person.zone, "desiredKeys": [], "operations": .array(operations)])
            guard answer["records"] != nil, answer["serverErrorCode"] == nil else {
                throw ConnectionError("a batch was refused: \(answer.json)")
            }
        }
        return to - from
    }

    private func feed(_ records: Int) throws {
        let raw = try rawFeed(records)
        let person = try Person(port: server.port, name: "batch")
        let load = try measure {
            var count = 0
            var body: Value = ["zoneID": Person.zone]
            while true {
                let page = try person.bytes("records/changes", body)
                // Only the ends are read: a client's work is not the server's.
                count += Self.count(page, of: "\"recordType\"")
                guard Self.count(page.prefix(40)[...], of: "\"moreComing\":true") > 0 else { return count }
                body["syncToken"] = .string(Self.token(page))
            }
        }
        say(
            "change feed: \(Int(load.perSecond)) records/s, \(Self.two(load.microseconds)) us CPU each, "
                + "\(Self.two(load.perSecond / raw)) of SQLite alone (goals 100000/s, 0.3)")
        say("  SQLite alone, pages of 200: \(Int(raw)) rows/s")
    }

    private func query(_ records: Int) throws {
        let person = try Person(port: server.port, name: "batch")
        func filter(_ comparator: String, _ field: String, _ value: Value) -> Value {
            ["comparator": .string(comparator), "fieldName": .string(field), "fieldValue": ["value": value]]
        }
        let kinds: [(String, (Int) -> [Value])] = [
            ("equality, 1 record", { [filter("EQUALS", "n", .int($0 * 37 % records))] }),
            (
                "range, 20 records",
                { index in
                    let low = index * 37 % (records - 20)
                    return [filter("GREATER_THAN_OR_EQUALS", "n", .int(low)), filter("LESS_THAN", "n", .int(low + 20))]
                }
            ),
            (
                "text, \(records / 1000) records",
                { [filter("EQUALS", "text", .string("Note \($0 * 37 % 1000) with a few words in it"))] }
            ),
        ]
        for (name, filters) in kinds {
            var found = 0
            let load = try measure {
                for index in 0..<200 {
                    let query: Value = ["recordType": "Note", "filterBy": .array(filters(index))]
                    found += Self.count(
                        try person.bytes("records/query", ["zoneID": Person.zone, "query": query]), of: "\"recordType\""
                    )
                }
                return 200
            }
            say(
                "query over \(records) records, \(name): \(Self.two(load.seconds / 200 * 1000)) ms, "
                    + "\(Self.two(load.microseconds / 1000)) ms CPU, \(found / 200) found (goal 2 ms)")
        }
        let raw = try rawQuery(records)
        say("  SQLite alone, 20 rows by an index: \(Self.two(raw * 1000)) ms")
    }

    private func memory(_ records: Int) throws {
        let person = try Person(port: server.port, name: "million")
        try person.makeZone()
        var seen: [String] = []
        for part in 0..<10 {
            _ = try fill(person, from: part * records / 10, to: (part + 1) * records / 10)
            seen.append(String(Machine.memoryKiB(of: server.id) / 1024))
        }
        say(
            "memory of the server after each \(records / 10) of \(records) records, MiB: \(seen.joined(separator: " "))"
        )
    }

    // MARK: Reading answers cheaply

    private static func count(_ bytes: some Collection<UInt8>, of text: String) -> Int {
        let (bytes, wanted) = (Array(bytes), Array(text.utf8))
        var (count, at) = (0, 0)
        while at + wanted.count <= bytes.count {
            if bytes[at] == wanted[0], bytes[at..<at + wanted.count].elementsEqual(wanted) {
                count += 1
                at += wanted.count
            } else {
                at += 1
            }
        }
        return count
    }
    /// `syncToken` is the last key of a page.
    private static func token(_ page: [UInt8]) -> String {
        let tail = String(decoding: page.suffix(200), as: UTF8.self)
        guard let start = tail.range(of: "\"syncToken\":\"")?.upperBound, let end = tail[start...].firstIndex(of: "\"")
        else {
            return ""
        }
        return String(tail[start..<end])
    }
    private static func two(_ number: Double) -> String { String(format: "%.2f", number) }

    // MARK: SQLite alone

    private func raw(_ name: String) throws -> Database {
        let database = try Database(file: folder.appendingPathComponent("\(name).db").path, entropy: 1)
        try database.script(
            "CREATE TABLE row(name TEXT PRIMARY KEY, seq INTEGER NOT NULL, n INTEGER NOT NULL, json BLOB NOT NULL) WITHOUT ROWID;"
                + "CREATE INDEX row_seq ON row(seq); CREATE INDEX row_n ON row(n);")
        return database
    }
    private func insert(_ index: Int, _ json: [UInt8], _ database: Database) throws {
        try database.execute(
            "INSERT INTO row(name, seq, n, json) VALUES(?, ?, ?, ?)", .text("r\(index)"), .int(index), .int(index),
            .blob(json))
    }
    private var json: [UInt8] { Self.record("r", 1).jsonBytes + Array(repeating: 0x20, count: 300) }

    private func rawSingles(_ seconds: Double) throws -> Double {
        let (database, json) = (try raw("singles"), json)
        let start = ContinuousClock.now
        var count = 0
        while ContinuousClock.now - start < .milliseconds(Int(seconds * 1000)) {
            try insert(count, json, database)
            count += 1
        }
        return Double(count) / ServerProcess.seconds(ContinuousClock.now - start)
    }
    private func rawBatches(_ records: Int) throws -> Double {
        let (database, json) = (try raw("batches"), json)
        let start = ContinuousClock.now
        for first in stride(from: 0, to: records, by: 200) {
            try database.transaction {
                for index in first..<min(first + 200, records) { try insert(index, json, database) }
            }
        }
        return Double(records) / ServerProcess.seconds(ContinuousClock.now - start)
    }
    private func rawFeed(_ records: Int) throws -> Double {
        let database = try Database(file: folder.appendingPathComponent("batches.db").path, entropy: 2)
        let start = ContinuousClock.now
        var (last, count) = (Int64(-1), 0)
        while true {
            let rows = try database.query(
                "SELECT seq, json FROM row WHERE seq > ? ORDER BY seq LIMIT 200", .int(last))
            guard let end = rows.last else { break }
            last = end.int(0)
            count += rows.count
        }
        return Double(count) / ServerProcess.seconds(ContinuousClock.now - start)
    }
    private func rawQuery(_ records: Int) throws -> Double {
        let database = try Database(file: folder.appendingPathComponent("batches.db").path, entropy: 3)
        let start = ContinuousClock.now
        for index in 0..<200 {
            let low = index * 37 % (records - 20)
            _ = try database.query(
                "SELECT json FROM row WHERE n >= ? AND n < ? ORDER BY name", .int(low), .int(low + 20))
        }
        return ServerProcess.seconds(ContinuousClock.now - start) / 200
    }
}

/// Adds up from many threads.
private final class Tally: @unchecked Sendable {
    private let lock = NSLock()
    private var total = 0
    func add(_ number: Int) { lock.withLock { total += number } }
    var sum: Int { lock.withLock { total } }
}
