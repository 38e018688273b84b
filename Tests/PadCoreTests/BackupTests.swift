import FleetModel
import Testing

@testable import PadCore

@Suite("Backup and update", .timeLimit(.minutes(20))) struct BackupTests {
    private static let home = Pad.home(of: "com.example.quiz")
    private static let places = [
        "Documents/work", "Library/Application Support/com.example.quiz/index", "Library/Preferences/p.plist",
        "Library/Caches/c", "tmp/t", "other/o",
    ]
    private static let kept = Array(places.prefix(3))

    /// An app with a file in each place.
    private func filled() throws -> PadBench {
        let bench = try PadBench()
        bench.signIn("maya")
        bench.open("quiz")
        for (number, place) in Self.places.enumerated() { write(bench, place, UInt8(number)) }
        return bench
    }
    private func write(_ bench: PadBench, _ place: String, _ byte: UInt8) {
        let path = "\(Self.home)/\(place)"
        let folder = String(path[..<(path.lastIndex(of: "/") ?? path.endIndex)])
        bench.call(bench.launch("quiz"), "file.makeFolder", ["path": .string(folder)])
        bench.call(bench.launch("quiz"), "file.write", ["path": .string(path), "data": .data([byte])])
    }
    /// - Parameter since: a backup that is there.
    private func backup(_ bench: PadBench, since: Value = .empty) -> Value {
        var body: Value = ["person": "maya"]
        if let number = since["backup"] { body["since"] = number }
        return bench.ask("device.backup", body) ?? .null
    }
    private func paths(_ backup: Value) -> [String] {
        (backup["files"]?.array ?? []).map { String(($0["path"]?.string ?? "").dropFirst(Self.home.count + 1)) }
    }
    private func present(_ bench: PadBench) -> [String] {
        (bench.disk(of: "maya")?.files(under: Self.home) ?? []).map { String($0.dropFirst(Self.home.count + 1)) }
    }

    @Test("Backup: the first takes all, the next what changed and what is gone (S215)")
    func incremental() throws {
        let bench = try filled()
        let first = backup(bench)
        #expect(paths(first) == Self.kept)
        let second = backup(bench, since: first)
        #expect(paths(second).isEmpty && second["unchanged"] == 3)
        write(bench, "Documents/work", 9)
        write(bench, "Documents/more", 9)
        bench.call(bench.launch("quiz"), "file.remove", ["path": .string("\(Self.home)/Library/Preferences/p.plist")])
        let third = backup(bench, since: second)
        #expect(paths(third) == ["Documents/more", "Documents/work"] && third["unchanged"] == 1)
        #expect(third["removed"] == .strings(["\(Self.home)/Library/Preferences/p.plist"]))
    }

    @Test("Restore to another iPad: Documents and Library are back, not the bundle, Caches and tmp (S216, S217)")
    func restore() throws {
        let bench = try filled()
        let first = backup(bench)
        write(bench, "Documents/work", 9)
        let second = backup(bench, since: first)
        #expect(!(first.jsonBytes + second.jsonBytes).isEmpty)
        let other = try PadBench(more: ["pad": 1, "seed": 9])
        other.signIn("maya")
        var hostile: Value = ["files": [["path": "/var/mobile/daemons.sqlite", "data": .data([1])]]]
        hostile["removed"] = ["/var/mobile/daemons.sqlite"]
        #expect(
            other.ask("device.restore", ["person": "maya", "backups": [first, second, hostile]])?["ok"]?.bool == true)
        #expect(present(other) == Self.kept.sorted())
        #expect(try other.disk(of: "maya")?.read("\(Self.home)/Documents/work") == [9])
        other.open("quiz")
        #expect(other.launches.count == 1 && other.problems.isEmpty)
        #expect(other.ask("device.restore", ["person": "maya", "backups": [first]])?["refused"] != nil)
        #expect(other.ask("device.backup", ["person": "leo"])?["refused"] != nil)
    }

    @Test("Update: the app is ended, Documents and Library stay, the rest goes; the bundle is the new one (S218)")
    func update() throws {
        let bench = try filled()
        #expect(bench.ask("app.update", ["app": "quiz", "version": "2"])?["ok"]?.bool == true)
        #expect(bench.reasons(.appExited) == ["update"])
        #expect(present(bench) == Self.places.prefix(4).sorted())
        bench.open("quiz")
        let plist = AppManifest.bundlePath(of: "com.example.quiz") + "/Info.plist"
        func version() -> Bool {
            let data = bench.call(bench.launch("quiz"), "file.read", ["path": .string(plist)])?["data"]?.data ?? []
            return String(decoding: data, as: UTF8.self).contains("<key>CFBundleVersion</key><string>2</string>")
        }
        #expect(version())
        bench.ask("device.reboot")
        try bench.restart()
        bench.signIn("maya")
        bench.open("quiz")
        #expect(version())
    }

    @Test(
        "First data under Application Support/<bundle>: there at later launches, after an update, kept in a backup (S169)"
    )
    func firstData() throws {
        let bench = try PadBench(purgeable: false)
        bench.signIn("maya")
        bench.open("quiz")
        let folder = "\(Self.home)/Library/Application Support"
        let launch = bench.launch("quiz")
        #expect(bench.call(launch, "file.stat", ["path": .string(folder)])?["folder"] == true)
        write(bench, "Library/Application Support/com.example.quiz/starter", 7)
        write(bench, "Library/Caches/starter", 7)
        bench.ask("person.signOut")
        bench.advance(.minutes(1))
        bench.ask("storage.purge")
        bench.ask("app.update", ["app": "quiz", "version": "2"])
        bench.signIn("maya")
        bench.open("quiz")
        let starter: Value = ["path": .string(folder + "/com.example.quiz/starter")]
        #expect(bench.call(bench.launch("quiz"), "file.read", starter) == ["data": .data([7])])
        #expect(
            bench.call(bench.launch("quiz"), "file.read", ["path": .string("\(Self.home)/Library/Caches/starter")])?[
                "error"] != nil)
        #expect(paths(backup(bench)) == ["Library/Application Support/com.example.quiz/starter"])
    }

    @Test("Backup: what was in an answer that nobody got is in the next one; without a known one all is taken (S215)")
    func lostAnswer() throws {
        let bench = try filled()
        let first = backup(bench)
        write(bench, "Documents/work", 9)
        let lost = backup(bench, since: first)
        let again = backup(bench, since: first)
        #expect(paths(lost) == ["Documents/work"] && paths(again) == paths(lost) && again["backup"] != lost["backup"])
        #expect(paths(backup(bench, since: again)).isEmpty)
        #expect(paths(backup(bench, since: ["backup": 77])) == Self.kept && paths(backup(bench)) == Self.kept)
    }

    @Test("Backup and restore: a file of class complete is of that class on the other iPad too (S191, S216)")
    func classes() throws {
        let bench = try filled()
        let path: Value = .string("\(Self.home)/Documents/work")
        let before = backup(bench)
        bench.call(bench.launch("quiz"), "file.protect", ["path": path, "protection": "complete"])
        #expect(paths(backup(bench, since: before)) == ["Documents/work"])
        let other = try PadBench(more: ["seed": 9])
        other.signIn("maya")
        other.ask("device.restore", ["person": "maya", "backups": [backup(bench)]])
        other.open("quiz")
        let stat = other.call(other.launch("quiz"), "file.stat", ["path": path])
        #expect(stat?["exists"] == true && stat?["protection"] == "complete")
    }

    private func exclude(_ bench: PadBench, _ place: String, _ isExcluded: Bool = true) -> Value? {
        bench.call(
            bench.launch("quiz"), "file.exclude",
            ["path": .string("\(Self.home)/\(place)"), "excluded": .bool(isExcluded)])
    }
    private func isMarked(_ bench: PadBench, _ place: String) -> Bool {
        bench.call(bench.launch("quiz"), "file.stat", ["path": .string("\(Self.home)/\(place)")])?["excluded"] == true
    }

    @Test(
        "isExcludedFromBackup: a file or all of a folder is in no backup and not restored; after an update it is there and marked (S215)"
    )
    func excluded() throws {
        let bench = try filled()
        write(bench, "Documents/lessons/one", 1)
        let before = backup(bench)
        #expect(exclude(bench, "Documents/work") == .empty && exclude(bench, "Documents/lessons") == .empty)
        let next = backup(bench, since: before)
        #expect(paths(next).isEmpty && next["removed"]?.strings.map { $0.suffix(4) } == ["/one", "work"])
        let all = backup(bench)
        #expect(paths(all) == Array(Self.kept.dropFirst()))
        bench.ask("app.update", ["app": "quiz", "version": "2"])
        bench.ask("device.reboot")
        try bench.restart()
        bench.signIn("maya")
        bench.open("quiz")
        #expect(present(bench).contains("Documents/work") && isMarked(bench, "Documents/work"))
        #expect(paths(backup(bench)) == Array(Self.kept.dropFirst()))
        let other = try PadBench(more: ["seed": 9])
        other.signIn("maya")
        other.ask("device.restore", ["person": "maya", "backups": [before, next]])
        #expect(present(other) == Self.kept.dropFirst().sorted())
        #expect(exclude(bench, "Documents/work", false) == .empty)
        #expect(paths(backup(bench)) == Self.kept)
    }

    @Test("isExcludedFromBackup: the mark moves and goes with its file; what takes the file's place has none (S215)")
    func marks() throws {
        let bench = try filled()
        let launch = bench.launch("quiz")
        func path(_ place: String) -> Value { .string("\(Self.home)/\(place)") }
        for place in ["none", "Documents/none"] { #expect(exclude(bench, place)?["error"]?["code"] == 4) }
        #expect(exclude(bench, "../other")?["error"] != nil)
        #expect(bench.call(launch, "file.exclude", ["path": path("Documents/work")])?["error"] != nil)
        _ = exclude(bench, "Documents/work")
        write(bench, "Documents/work", 7)
        #expect(isMarked(bench, "Documents/work"), "written into, it is the same file")
        bench.call(launch, "file.move", ["from": path("Documents/work"), "to": path("Documents/moved")])
        #expect(isMarked(bench, "Documents/moved"))
        write(bench, "Documents/work", 8)
        #expect(!isMarked(bench, "Documents/work"))
        bench.call(launch, "file.remove", ["path": path("Documents/moved")])
        write(bench, "Documents/moved", 9)
        #expect(!isMarked(bench, "Documents/moved"))
        _ = exclude(bench, "Documents/moved")
        bench.call(launch, "file.write", ["path": path("Documents/moved"), "data": .data([1]), "atomic": true])
        #expect(!isMarked(bench, "Documents/moved"))
        _ = exclude(bench, "tmp/t")
        bench.ask("app.update", ["app": "quiz", "version": "2"])
        bench.open("quiz")
        write(bench, "tmp/t", 1)
        #expect(!isMarked(bench, "tmp/t"))
    }

    @Test(
        "isExcludedFromBackup: what a power cut took has no mark afterwards, and its successor none; what is left keeps it (S215)"
    )
    func marksOverPowerCut() throws {
        var (gone, left) = (0, 0)
        for seed in 1...12 {
            let bench = try filled()
            write(bench, "Documents/draft", 1)
            #expect(exclude(bench, "Documents/draft") == .empty)
            if seed > 6 {
                bench.call(bench.launch("quiz"), "file.sync", ["path": .string("\(Self.home)/Documents/draft")])
            }
            bench.ask("device.powerCut", ["seed": .int(seed)])
            try bench.restart()
            bench.signIn("maya")
            bench.open("quiz")
            if present(bench).contains("Documents/draft") {
                left += 1
                #expect(isMarked(bench, "Documents/draft"))
            } else {
                gone += 1
                write(bench, "Documents/draft", 2)
                #expect(!isMarked(bench, "Documents/draft") && paths(backup(bench)).contains("Documents/draft"))
            }
        }
        #expect(gone > 0 && left > 0, "\(gone) gone, \(left) left")
    }

    @Test("Update of everything: each app ends and has its new version")
    func updateAll() throws {
        let bench = try filled()
        bench.open("notes")
        #expect(bench.ask("app.update", ["version": "3"])?["ok"]?.bool == true)
        #expect(bench.reasons(.appExited) == ["update", "update"])
        #expect(
            bench.pad.kernel.state.apps.versions["quiz"] == "3" && bench.pad.kernel.state.apps.versions["notes"] == "3")
        #expect(bench.ask("app.update", ["app": "chess", "version": "3"])?["refused"] != nil)
        #expect(bench.ask("app.update", ["app": "quiz"])?["refused"] != nil)
    }
}
