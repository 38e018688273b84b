import FleetModel
import Testing

@testable import PadCore

@Suite("Protected files, bundle, Inbox", .timeLimit(.minutes(20))) struct ProtectionTests {
    private static let home = Pad.home(of: "com.example.quiz")
    private let path = home + "/Documents/secret"
    private func running() throws -> PadBench {
        let bench = try PadBench()
        bench.signIn("maya")
        bench.open("quiz")
        return bench
    }
    @discardableResult private func file(
        _ bench: PadBench, _ verb: String, _ path: String, _ more: Value = .empty
    ) -> Value {
        var body = more
        body[verb == "move" ? "from" : "path"] = .string(path)
        return bench.call(bench.launch("quiz"), "file.\(verb)", body) ?? .null
    }
    private func code(_ value: Value) -> Int64? { value["error"]?["code"]?.int }
    /// Locked for so long that the key is gone, with the app still running.
    private func lock(_ bench: PadBench) {
        bench.call(bench.launch("quiz"), "app.beginBackgroundTask")
        bench.ask("device.lock")
        bench.advance(.seconds(11))
    }

    @Test("Class complete: unreadable and unwritable while locked, readable again after the unlock (S190)")
    func complete() throws {
        let bench = try running()
        #expect(file(bench, "write", path, ["data": .data([1]), "protection": "complete"]) == .empty)
        #expect(file(bench, "write", Self.home + "/Documents/open", ["data": .data([2])]) == .empty)
        bench.call(bench.launch("quiz"), "app.beginBackgroundTask")
        bench.ask("device.lock")
        bench.advance(.milliseconds(9900))
        #expect(file(bench, "read", path) == ["data": .data([1])])
        bench.advance(.milliseconds(200))
        #expect(code(file(bench, "read", path)) == 257)
        #expect(code(file(bench, "write", path, ["data": .data([3])])) == 513)
        #expect(code(file(bench, "append", path, ["data": .data([3])])) == 513)
        #expect(file(bench, "read", Self.home + "/Documents/open") == ["data": .data([2])])
        bench.ask("device.unlock")
        #expect(file(bench, "read", path) == ["data": .data([1])])
    }

    @Test("A file that was in use when the iPad was locked: the app hears before, then every access fails (S173)")
    func inUse() throws {
        let bench = try running()
        file(bench, "write", path, ["data": .data([1]), "protection": "complete"])
        #expect(file(bench, "append", path, ["data": .data([2])]) == .empty)
        var readAtNotice: Value = .null
        bench.inApp = { _, message in
            if message["name"] == "UIApplicationProtectedDataWillBecomeUnavailable" {
                readAtNotice = self.file(bench, "read", self.path)
            }
        }
        lock(bench)
        #expect(readAtNotice == ["data": .data([1, 2])])
        #expect(code(file(bench, "append", path, ["data": .data([3])])) == 513)
        #expect(code(file(bench, "read", path)) == 257)
        bench.ask("device.unlock")
        #expect(bench.lastMessage("app.notice")?["name"] == "UIApplicationProtectedDataDidBecomeAvailable")
        #expect(file(bench, "read", path) == ["data": .data([1, 2])])
    }

    @Test("A class is set with the data or by attributes, is kept by move, overwrite and power cut, and shown (S191)")
    func attributes() throws {
        let bench = try running()
        let moved = Self.home + "/Documents/moved"
        file(bench, "write", path, ["data": .data([]), "atomic": true])
        #expect(file(bench, "stat", path)["protection"] == nil)
        #expect(file(bench, "protect", path, ["protection": "complete"]) == .empty)
        #expect(code(file(bench, "protect", path, ["protection": "always"])) == 22)
        #expect(code(file(bench, "protect", moved, ["protection": "complete"])) == 4)
        file(bench, "write", path, ["data": .data([1]), "atomic": true])
        file(bench, "move", path, ["to": .string(moved)])
        file(bench, "write", path, ["data": .data([9])])
        file(bench, "sync", moved)
        #expect(
            file(bench, "stat", moved)["protection"] == "complete" && file(bench, "stat", path)["protection"] == nil)
        bench.ask("device.powerCut", ["seed": 1])
        try bench.restart()
        bench.signIn("maya")
        bench.open("quiz")
        #expect(bench.call(bench.launch("quiz"), "app.state")?["protectedData"] == true)
        lock(bench)
        #expect(bench.call(bench.launch("quiz"), "app.state")?["protectedData"] == false)
        #expect(code(file(bench, "read", moved)) == 257)
        // A new file of the class cannot be made now; nothing of it is on the disk unprotected either.
        let new = Self.home + "/Documents/new"
        #expect(code(file(bench, "write", new, ["data": .data([1]), "protection": "complete"])) == 513)
        #expect(bench.disk(of: "maya")?.status(new) == nil)
        #expect(file(bench, "write", new, ["data": .data([1]), "protection": "completeUnlessOpen"]) == .empty)
        #expect(code(file(bench, "read", new)) == 257)
    }

    @Test("Bundle: readable, with the Info.plist; every change is refused, a copy can be changed (S170)")
    func bundle() throws {
        let bench = try running()
        let plist = AppManifest.bundlePath(of: "com.example.quiz") + "/Info.plist"
        let data = try #require(file(bench, "read", plist)["data"]?.data)
        #expect(String(decoding: data, as: UTF8.self).contains("<key>NSSupportsPurgeableLocalStorage</key><true/>"))
        #expect(file(bench, "list", AppManifest.bundlePath(of: "com.example.quiz")) == ["names": ["Info.plist"]])
        #expect(file(bench, "stat", plist)["size"] == .int(data.count))
        for verb in ["write", "append", "remove", "move", "makeFolder", "sync", "protect"] {
            let answer = file(
                bench, verb, plist, ["data": .data([1]), "to": .string(Self.home + "/tmp/x"), "protection": "complete"])
            #expect(code(answer) == 513, "\(verb)")
        }
        file(bench, "write", Self.home + "/tmp/a", ["data": .data([1])])
        #expect(code(file(bench, "move", Self.home + "/tmp/a", ["to": .string(plist + "2")])) == 513)
        let copy = Self.home + "/Documents/Info.plist"
        #expect(file(bench, "write", copy, ["data": .data(data)]) == .empty)
        #expect(file(bench, "append", copy, ["data": .data([32])]) == .empty)
        #expect(code(file(bench, "read", AppManifest.bundlePath(of: "com.example.notes") + "/Info.plist")) == 257)
    }

    @Test("Inbox: a received file is read, moved out or deleted, never changed; locked it stays shut (S202)")
    func inbox() throws {
        let bench = try running()
        _ = bench.takeTold()
        let sent: Value = ["app": "quiz", "name": "plan.txt", "data": .data([1, 2])]
        #expect(bench.ask("app.receiveFile", sent)?["ok"]?.bool == true)
        let received = Self.home + "/Documents/Inbox/plan.txt"
        #expect(bench.lastMessage("app.openURL") == ["url": .string("file://" + received)])
        #expect(file(bench, "read", received) == ["data": .data([1, 2])])
        for verb in ["write", "append"] { #expect(code(file(bench, verb, received, ["data": .data([3])])) == 513) }
        file(bench, "write", Self.home + "/tmp/a", ["data": .data([1])])
        #expect(code(file(bench, "move", Self.home + "/tmp/a", ["to": .string(received + "2")])) == 513)
        lock(bench)
        #expect(code(file(bench, "read", received)) == 257)
        bench.ask("device.unlock")
        #expect(file(bench, "move", received, ["to": .string(Self.home + "/Documents/plan.txt")]) == .empty)
        #expect(file(bench, "write", Self.home + "/Documents/plan.txt", ["data": .data([3])]) == .empty)
        bench.ask("app.receiveFile", sent)
        #expect(file(bench, "remove", received) == .empty)
        for bad in ["../x", "", ".hidden"] as [Value] {
            #expect(bench.ask("app.receiveFile", ["app": "quiz", "name": bad, "data": .data([1])])?["refused"] != nil)
        }
    }

    @Test("Class completeUnlessOpen: what is open for adding when the iPad is locked stays open, until it is closed")
    func unlessOpen() throws {
        let bench = try running()
        for name in ["open", "shut"] {
            let body: Value = ["data": .data([1]), "protection": "completeUnlessOpen"]
            file(bench, "write", Self.home + "/Documents/" + name, body)
        }
        func add(_ name: String) -> Value {
            file(bench, "append", Self.home + "/Documents/" + name, ["data": .data([2])])
        }
        #expect(add("open") == .empty)
        lock(bench)
        #expect(add("open") == .empty && code(add("shut")) == 513)
        #expect(code(file(bench, "read", Self.home + "/Documents/open")) == 257)
        #expect(code(file(bench, "write", Self.home + "/Documents/open", ["data": .data([3])])) == 513)
        file(bench, "close", Self.home + "/Documents/open")
        #expect(code(add("open")) == 513)
        bench.ask("device.unlock")
        #expect(file(bench, "read", Self.home + "/Documents/open") == ["data": .data([1, 2, 2])])
    }

    @Test("A class that a file has from its folder goes with it, out of the folder and into another (S191)")
    func inherited() throws {
        let bench = try running()
        let (safe, open) = (Self.home + "/Documents/safe", Self.home + "/Documents/open")
        file(bench, "makeFolder", safe)
        file(bench, "protect", safe, ["protection": "complete"])
        file(bench, "write", safe + "/a", ["data": .data([1])])
        file(bench, "move", safe + "/a", ["to": .string(open)])
        #expect(file(bench, "stat", open)["protection"] == "complete")
        file(bench, "write", Self.home + "/Documents/plain", ["data": .data([1])])
        file(bench, "move", Self.home + "/Documents/plain", ["to": .string(safe + "/b")])
        #expect(file(bench, "stat", safe + "/b")["protection"] == "completeUntilFirstUserAuthentication")
        lock(bench)
        #expect(code(file(bench, "read", open)) == 257 && code(file(bench, "read", safe + "/b")) == nil)
    }

    @Test("Inbox: two files of a name lie beside each other; the folder cannot be moved away and changed (S202)")
    func inboxTwice() throws {
        let bench = try running()
        for (name, byte) in [("plan.txt", 1), ("plan.txt", 2), ("plan.txt", 3), ("plan", 4), ("plan", 5)]
            as [(Value, UInt8)]
        {
            bench.ask("app.receiveFile", ["app": "quiz", "name": name, "data": .data([byte])])
        }
        let inbox = Self.home + "/Documents/Inbox"
        let names = ["plan", "plan-1", "plan-1.txt", "plan-2.txt", "plan.txt"]
        #expect(file(bench, "list", inbox)["names"]?.strings == names)
        #expect(file(bench, "read", inbox + "/plan.txt") == ["data": .data([1])])
        #expect(bench.lastMessage("app.openURL") == ["url": .string("file://\(inbox)/plan-1")])
        for folder in [inbox, Self.home + "/Documents"] {
            #expect(code(file(bench, "move", folder, ["to": .string(Self.home + "/tmp/x")])) == 513)
        }
    }

    @Test("Full volume: a protected write is refused, file and class stay; a protected file can go (S191)")
    func full() throws {
        let bench = try running()
        let big = Value.data([UInt8](repeating: 7, count: 300_000))
        file(bench, "write", path, ["data": .data([1])])
        file(bench, "write", Self.home + "/Documents/safe", ["data": .data([2]), "protection": "complete"])
        bench.ask("storage.fill", ["free": 0])
        #expect(code(file(bench, "write", path, ["data": big, "protection": "complete"])) == 640)
        #expect(file(bench, "stat", path)["protection"] == nil && file(bench, "read", path) == ["data": .data([1])])
        #expect(code(file(bench, "write", path + "2", ["data": big, "protection": "complete"])) == 640)
        #expect(file(bench, "stat", path + "2")["exists"] == false)
        #expect(file(bench, "remove", Self.home + "/Documents/safe") == .empty)
        #expect(bench.problems.isEmpty)
    }

    @Test("Class completeUnlessOpen: a file that is open for adding stays open where it is moved to")
    func movedOpen() throws {
        let bench = try running()
        let (old, new) = (Self.home + "/Documents/a", Self.home + "/Documents/b")
        file(bench, "write", old, ["data": .data([1]), "protection": "completeUnlessOpen"])
        file(bench, "append", old, ["data": .data([2])])
        file(bench, "move", old, ["to": .string(new)])
        file(bench, "write", old, ["data": .data([3]), "protection": "completeUnlessOpen"])
        lock(bench)
        #expect(file(bench, "append", new, ["data": .data([4])]) == .empty)
        #expect(code(file(bench, "append", old, ["data": .data([4])])) == 513)
    }

    @Test("Background upload of a sealed file: refused while locked, taken before (S191)", arguments: [true, false])
    func sealedUpload(isLocked: Bool) throws {
        let bench = try running()
        file(bench, "write", path, ["data": .data([1]), "protection": "complete"])
        if isLocked { lock(bench) }
        let upload: Value = [
            "session": "s", "path": .string(path), "url": "https://backend.quiz/a", "method": "POST",
            "headers": .empty, "description": "a",
        ]
        let answer = bench.call(bench.launch("quiz"), "transfer.upload", upload)
        #expect(isLocked ? answer?["error"]?["code"] == -1102 : answer?["task"] != nil, "\(String(describing: answer))")
    }
}
