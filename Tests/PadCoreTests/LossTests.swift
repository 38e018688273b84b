import FleetModel
import Storage
import Testing

@testable import PadCore

/// What bad habits cost, counted: runs beside the lints that only name them.
@Suite("Losses", .timeLimit(.minutes(20))) final class LossTests: TwoDocumentSites {
    // MARK: Batches

    /// Edits that were performed and are nowhere, of an app that hands over when it has `batch` of them and is killed at a random time.
    private func lost(batch: Int, seed: UInt64) throws -> Int {
        let bench = try PadBench(apps: ["homework"])
        bench.signIn("maya")
        bench.open("homework")
        let file = Pad.home(of: "com.example.homework") + "/tmp/batch"
        var waiting: [Token] = []
        var files = 0
        bench.inApp = { launch, message in
            guard message.name == "ui.perform", let edit = Edit(message.body) else { return }
            waiting.append(edit.token)
            guard waiting.count == batch else { return }
            let text = waiting.map { EditPayload.text(token: $0, "essay") }.joined()
            waiting = []
            files += 1
            bench.call(launch, "file.write", ["path": .string(file), "data": .data(Array(text.utf8))])
            bench.call(
                launch, "transfer.upload",
                [
                    "session": "s", "path": .string(file), "method": "PUT", "headers": .empty,
                    "url": .string("https://backend.homework/batch-\(files)"),
                ])
        }
        // Some time within the work, the same for all sizes.
        let end = 20 + Int(StableHash.of(seed, "kill") % 60)
        for number in 1...end {
            let token = "maya.\(number)"
            bench.command(
                "app.perform",
                Edit(
                    token: token, person: "maya", app: "homework", action: "handIn", item: "e", verb: .put,
                    value: EditPayload.text(token: token, "essay")
                ).body)
            bench.advance(.seconds(2))
        }
        bench.ask("app.memoryKill", ["app": "homework"])
        bench.advance(.hours(1))
        return Set(bench.tokens(.performed)).subtracting(bench.tokens(.handedOver)).count
    }

    @Test(
        "Batches: a kill at a random time costs half a batch on average, and nothing where each edit is handed over (S21)"
    )
    func batches() throws {
        let sizes = [1, 2, 5, 10, 20]
        let kills: ClosedRange<UInt64> = 1...10
        let curve = try sizes.map { size in try kills.reduce(0) { try $0 + lost(batch: size, seed: $1) } }
        #expect(curve.first == 0, "\(curve)")
        #expect(zip(curve, curve.dropFirst()).allSatisfy { $0 < $1 }, "edits lost by \(sizes): \(curve)")
        for (size, lost) in zip(sizes, curve) {
            let mean = Double(lost) / Double(kills.count)
            #expect(abs(mean - Double(size - 1) / 2) <= Double(size) / 4, "\(size): \(mean) a kill")
        }
    }

    // MARK: Coordination

    /// What an app coordinates of an update.
    private enum Coordination { case all, writingOnly, nothing }

    /// Both iPads add a line to the same page at the same time, `rounds` times.
    /// - Returns: lines of the other iPad that are gone without a conflict.
    private func lostUpdates(_ coordination: Coordination, rounds: Int) throws -> Int {
        try share()
        var lost = 0
        for round in 1...rounds {
            let path = DocumentSite.path("page.txt")
            let (theirs, own) = (text("maya.\(round * 2)"), text("maya.\(round * 2 + 1)"))
            if coordination == .all { b.call("beginWrite", ["path": .string(path)]) }
            let seen = b.read("page.txt") ?? ""
            // While the app has the text in hand, the other iPad's line arrives.
            try a.write("page.txt", (a.read("page.txt") ?? "") + theirs)
            _ = a.exchange(with: cloud)
            b.daemon.observe(.networkReturned, b.pad)
            _ = b.exchange(with: cloud)
            b.pad.now = b.pad.now + .seconds(1)
            b.disk.now = b.pad.now
            if coordination == .writingOnly { b.call("beginWrite", ["path": .string(path)]) }
            try b.disk.write(path, Array((seen + own).utf8), sync: false)
            if coordination != .nothing {
                b.call("endWrite", ["path": .string(path)])
            } else {
                b.daemon.observe(.appEntered(b.app, .background), b.pad)
                b.daemon.observe(.appEntered(b.app, .active), b.pad)
            }
            settle()
            a.download("page.txt")
            settle()
            let kept =
                [b.read("page.txt") ?? ""]
                + b.versions("page.txt").map { String(decoding: $0["data"]?.data ?? [], as: UTF8.self) }
            if !kept.contains(where: { $0.contains(theirs) }) { lost += 1 }
            // Whoever sees a conflict puts both together.
            try b.write("page.txt", kept.joined())
            b.resolveAll("page.txt")
            settle()
            a.download("page.txt")
            settle()
        }
        return lost
    }

    @Test("Coordination: without it each update that comes in between is lost, with it none (S52)")
    func coordination() throws {
        #expect(try lostUpdates(.nothing, rounds: 10) == 10)
        let other = try LossTests()
        #expect(try other.lostUpdates(.all, rounds: 10) == 0)
        let late = try LossTests()
        #expect(try late.lostUpdates(.writingOnly, rounds: 10) == 10, "what was read before may be old")
    }

    @Test(
        "Coordination: a page that is half written is not sent; without it the half reaches the other iPad (S52)",
        arguments: [true, false])
    func torn(isCoordinated: Bool) throws {
        try share()
        let path = DocumentSite.path("page.txt")
        let (old, first, second) = (b.read("page.txt"), text("maya.2"), text("maya.3"))
        /// The person looks at another app: the system takes notice of what lies there.
        func look() {
            b.daemon.observe(.appEntered(b.app, .background), b.pad)
            b.daemon.observe(.appEntered(b.app, .active), b.pad)
            settle()
            a.download("page.txt")
            settle()
        }
        b.pad.now = b.pad.now + .seconds(1)
        if isCoordinated { b.call("beginWrite", ["path": .string(path)]) }
        try b.disk.write(path, Array(first.utf8), sync: false)
        look()
        #expect(a.read("page.txt") == (isCoordinated ? old : first))
        b.pad.now = b.pad.now + .seconds(1)
        try b.disk.write(path, Array((first + second).utf8), sync: false)
        if isCoordinated { b.call("endWrite", ["path": .string(path)]) }
        look()
        #expect(a.read("page.txt") == first + second)
    }

    // MARK: A database in the container

    /// Whether a copy of a database holds one state and no mixture; nil: it cannot be opened.
    private func isWhole(_ bytes: [UInt8]) -> Bool? {
        let disk = Disk.memory()
        guard (try? disk.write("/copy.sqlite", bytes, sync: true)) != nil,
            let copy = try? Database(disk: disk, path: "/copy.sqlite"),
            let states = try? copy.query("SELECT count(DISTINCT round) FROM mark").first?.int(0),
            let check = try? copy.query("PRAGMA integrity_check").first?.text(0)
        else { return nil }
        return states == 1 && check == "ok"
    }

    @Test(
        "A live database in the container arrives torn; its contents, written as a document after each commit, do not (S58)"
    )
    func database() throws {
        let name = "marks.sqlite"
        let live = try Database(disk: a.disk, path: DocumentSite.path(name))
        try live.script(
            """
            PRAGMA journal_mode=DELETE; PRAGMA cache_size=2;
            CREATE TABLE mark(pupil INTEGER PRIMARY KEY, round INTEGER, note TEXT);
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400)
                INSERT INTO mark SELECT i, 0, hex(zeroblob(100)) FROM n;
            """)
        var torn = 0
        var mixed = 0
        for round in 1...10 {
            a.pad.now = a.pad.now + .seconds(10)
            a.disk.now = a.pad.now
            try live.script("BEGIN")
            try live.execute("UPDATE mark SET round = ?", .int(Int64(round)))
            // The person turns to another app in the middle: the system takes the file as it lies there.
            a.daemon.observe(.appEntered(a.app, .background), a.pad)
            a.daemon.observe(.appEntered(a.app, .active), a.pad)
            settle()
            b.download(name)
            settle()
            if let bytes = try? b.disk.read(DocumentSite.path(name)), isWhole(bytes) != true { torn += 1 }
            try live.script("COMMIT")
            let states = try live.query("SELECT DISTINCT round FROM mark").map { String($0.int(0)) }
            try a.write("marks.txt", states.joined(separator: ","))
            settle()
            b.download("marks.txt")
            settle()
            if b.read("marks.txt") != String(round) { mixed += 1 }
        }
        #expect(torn == 10 && mixed == 0)
    }
}
