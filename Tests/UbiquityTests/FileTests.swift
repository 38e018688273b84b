import Foundation
import PadDouble
import Testing
import Ubiquity

extension UbiquityTests {
    @Suite("Files", .timeLimit(.minutes(20))) struct Files {
        @Test("Sandbox: written, listed, moved, read and removed on the iPad's disk, with Cocoa's errors")
        func sandbox() {
            let pad = PadDouble()
            let found = pad.run {
                let files = FileManager.default
                let folder = files.urls(for: .applicationSupportDirectory, in: .userDomainMask)[0]
                let note = folder.appending(path: "note.txt")
                try "hello".write(to: note, atomically: true, encoding: .utf8)
                try FileHandle(forWritingTo: note).synchronize()
                files.createFile(atPath: folder.path + "/b.bin", contents: Data([1, 2, 3]))
                try files.moveItem(at: folder.appending(path: "b.bin"), to: folder.appending(path: "a.bin"))
                let text = String(decoding: try Data(contentsOf: note), as: UTF8.self)
                let size = try files.attributesOfItem(atPath: folder.path + "/a.bin")[.size] as? Int ?? 0
                let names = try files.contentsOfDirectory(atPath: folder.path)
                try files.removeItem(at: note)
                return [folder.path, text, "\(size)", "\(names)", "\(files.fileExists(atPath: note.path))"]
            }
            #expect(
                found == [
                    "\(pad.home)/Library/Application Support", "hello", "3", #"["a.bin", "note.txt"]"#, "false",
                ])
            #expect(pad.durable.isEmpty, "the synced file was removed, the other was never synced")
            let missing = URL(filePath: "\(pad.home)/Documents/missing")
            #expect(
                pad.run { [String(decoding: try Data(contentsOf: missing), as: UTF8.self)] } == [
                    "NSCocoaErrorDomain 260"
                ])
            #expect(
                pad.run {
                    try FileManager.default.removeItem(at: missing); return []
                } == ["NSCocoaErrorDomain 4"])
            pad.refusals["file.write"] = linkError("NSCocoaErrorDomain", 640)
            #expect(
                pad.run {
                    try Data([1]).write(to: missing); return []
                } == ["NSCocoaErrorDomain 640"])
            #expect(pad.run { ["\(FileManager.default.createFile(atPath: missing.path, contents: nil))"] } == ["false"])
        }

        @Test("Resource values: excluded from backup, kept by a copy; size and kind; an error for what is not there")
        func resourceValues() {
            let pad = PadDouble()
            let found = pad.run {
                let files = FileManager.default
                var url = files.temporaryDirectory.appending(path: "a")
                try Data([1, 2]).write(to: url)
                var values = URLResourceValues()
                try url.setResourceValues(values)
                let before = try url.resourceValues(forKeys: [.isExcludedFromBackupKey])
                values.isExcludedFromBackup = true
                try url.setResourceValues(values)
                let copy = files.temporaryDirectory.appending(path: "b")
                try files.copyItem(at: url, to: copy)
                let after = try copy.resourceValues(forKeys: [
                    .isExcludedFromBackupKey, .fileSizeKey, .isDirectoryKey, .isUbiquitousItemKey,
                ])
                values.isExcludedFromBackup = false
                try url.setResourceValues(values)
                return [
                    "\(before.isExcludedFromBackup ?? true) \(before.fileSize == nil)",
                    "\(after.isExcludedFromBackup ?? false) \(after.fileSize ?? 0) \(after.isDirectory ?? true)",
                    "\(after.isUbiquitousItem ?? true)",
                ]
            }
            #expect(found == ["false true", "true 2 false", "false"])
            #expect(pad.excluded == [pad.home + "/tmp/b"])
            let missing = pad.run {
                var url = FileManager.default.temporaryDirectory.appending(path: "none")
                var values = URLResourceValues()
                values.isExcludedFromBackup = true
                try url.setResourceValues(values)
                return []
            }
            #expect(missing == ["NSCocoaErrorDomain 4"])
            let unknown = pad.run {
                let url = FileManager.default.temporaryDirectory.appending(path: "none")
                return ["\(try url.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0)"]
            }
            #expect(unknown == ["NSCocoaErrorDomain 260"])
        }

        @Test("Files: written atomically is not yet durable, synchronized is")
        func synchronized() {
            let pad = PadDouble()
            let file = URL(filePath: "\(pad.home)/Documents/note")
            #expect(
                pad.run {
                    try "one".write(to: file, atomically: true, encoding: .utf8); return []
                } == [])
            #expect(pad.durable.isEmpty)
            #expect(pad.calls("file.write").last?["atomic"] == true)
            #expect(
                pad.run {
                    let handle = try FileHandle(forWritingTo: file)
                    try handle.synchronize()
                    try handle.close()
                    return []
                } == [])
            #expect(pad.durable == [file.path: Array("one".utf8)])
            #expect(
                pad.run {
                    try FileHandle(forWritingTo: URL(filePath: "/var/none")).synchronize(); return []
                } == ["NSCocoaErrorDomain 4"])
        }

        @Test("Shadows: beside Foundation the names mean the iPad's, not the machine's")
        func shadows() {
            let pad = PadDouble()
            #expect(pad.run { try touchShadows() } == ["text", "1", "kept", "1"])
            #expect(pad.files["\(pad.home)/tmp/shadow"] == [1])
        }

        @Test("Shadowed members outside an app: the machine's files, as Foundation's")
        func outside() throws {
            let url = URL(filePath: "/tmp/homeroom-shims-\(ProcessInfo.processInfo.processIdentifier)")
            try "text".write(to: url, atomically: true, encoding: .utf8)
            try Data(try Data(contentsOf: url).reversed()).write(to: url)
            #expect(try Data(contentsOf: url) == Data("txet".utf8))
            try Foundation.FileManager.default.removeItem(at: url)
        }

        @Test("Identity: the token and its notice; no container while signed out (S43, S85)")
        func identity() {
            let pad = PadDouble()
            nonisolated(unsafe) var heard: [String] = []
            let found = pad.run {
                NotificationCenter.default.addObserver(forName: .NSUbiquityIdentityDidChange, object: nil, queue: .main)
                { _ in
                    heard.append(FileManager.default.ubiquityIdentityToken == nil ? "out" : "in")
                }
                let token = FileManager.default.ubiquityIdentityToken
                let same = token?.isEqual(FileManager.default.ubiquityIdentityToken) ?? false
                return ["\(same)", FileManager.default.url(forUbiquityContainerIdentifier: nil)?.path ?? "none"]
            }
            #expect(found == ["true", "/var/mobile/Library/Mobile Documents/iCloud.com.example.test"])
            pad.identity = nil
            pad.ask("app.identityChanged", ["identity": .null])
            #expect(heard == ["out"])
            #expect(
                pad.run { [FileManager.default.url(forUbiquityContainerIdentifier: nil)?.path ?? "none"] } == ["none"])
        }
    }

    @Suite("Notification center", .timeLimit(.minutes(20))) struct Center {
        @Test("Account: each notice when its own value is another one, and only then")
        func account() {
            let pad = PadDouble()
            nonisolated(unsafe) var heard: [String] = []
            _ = pad.run {
                for name in [Notification.Name.NSUbiquityIdentityDidChange, Notification.Name("CKAccountChanged")] {
                    NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) {
                        heard.append($0.name == .NSUbiquityIdentityDidChange ? "token" : "status")
                    }
                }
                return []
            }
            func tell(_ identity: String?, _ status: Int) -> [String] {
                heard = []
                pad.deliver("app.identityChanged", ["identity": .optional(identity), "accountStatus": .int(status)])
                return heard
            }
            #expect(tell("token-maya", 4) == ["status"])
            #expect(tell("token-maya", 4) == [])
            #expect(tell("token-maya", 1) == ["status"])
            #expect(tell("token-other", 1) == ["token"])
            #expect(tell(nil, 3) == ["token", "status"])
            #expect(tell(nil, 2) == ["status"])
            pad.kill()
            pad.launchExtras = ["accountStatus": 3]
            pad.identity = nil
            _ = pad.run {
                NotificationCenter.default.addObserver(
                    forName: Notification.Name("CKAccountChanged"), object: nil, queue: nil
                ) { _ in heard.append("status") }
                return []
            }
            #expect(tell(nil, 3) == [] && tell(nil, 1) == ["status"])
        }

        @Test("Delivery: by name and sender, in order, until removed; as a stream too")
        func delivery() {
            let found = PadDouble().run {
                let (center, name, sender) = (NotificationCenter.default, Notification.Name("n"), NSObject())
                nonisolated(unsafe) var heard: [String] = []
                let first = center.addObserver(forName: name, object: nil, queue: nil) { _ in heard.append("any") }
                center.addObserver(forName: name, object: sender, queue: nil) { _ in heard.append("sender") }
                center.addObserver(forName: nil, object: sender, queue: nil) { heard.append("all \($0.name.rawValue)") }
                let stream = center.notifications(named: name)
                center.post(name: name, object: sender)
                center.removeObserver(first)
                center.post(name: name, object: NSObject())
                center.post(name: Notification.Name("m"), object: sender)
                var streamed = 0
                for await _ in stream {
                    streamed += 1
                    if streamed == 2 { break }
                }
                return heard + ["\(streamed)"]
            }
            #expect(found == ["any", "sender", "all n", "all m", "2"])
        }
    }
}
