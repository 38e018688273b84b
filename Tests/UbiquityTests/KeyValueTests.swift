import Foundation
import PadDouble
import Testing
import Ubiquity

extension UbiquityTests {
    @Suite("Key-value store", .timeLimit(.minutes(20))) struct KeyValue {
        @Test("Types: each is stored as itself and read back; absent keys are nil, 0, false (S100, S109, S111)")
        func types() {
            let pad = PadDouble()
            let found = pad.run {
                let store = NSUbiquitousKeyValueStore.default
                store.set("text", forKey: "s")
                store.set(Int64(-7), forKey: "i")
                store.set(2.5, forKey: "d")
                store.set(true, forKey: "b")
                store.set(Data([1, 2]), forKey: "x")
                store.set(["a", 1, ["deep": false]], forKey: "l")
                store.set(Date(timeIntervalSinceReferenceDate: 5), forKey: "t")
                store.set(NSObject(), forKey: "no property list")
                store.set("gone", forKey: "r")
                store.removeObject(forKey: "r")
                let list = store.array(forKey: "l") ?? []
                return [
                    store.string(forKey: "s") ?? "", "\(store.longLong(forKey: "i"))", "\(store.double(forKey: "d"))",
                    "\(store.bool(forKey: "b"))", "\(store.data(forKey: "x").map(Array.init) ?? [])",
                    "\(list.count) \(list.first as? String ?? "") \((list.last as? [String: Any])?["deep"] as? Bool ?? true)",
                    "\((store.object(forKey: "t") as? Date)?.timeIntervalSinceReferenceDate ?? 0)",
                    "\(store.object(forKey: "r") == nil) \(store.longLong(forKey: "r")) \(store.bool(forKey: "s"))",
                    "\(store.dictionaryRepresentation.keys.sorted())", "\(store.synchronize())",
                ]
            }
            #expect(
                found == [
                    "text", "-7", "2.5", "true", "[1, 2]", "3 a false", "5.0", "true 0 false",
                    #"["b", "d", "i", "l", "s", "t", "x"]"#, "true",
                ])
            #expect(pad.store["b"] == .bool(true))
            #expect(pad.store["l"] == ["a", 1, ["deep": false]])
            #expect(pad.calls("kvs.open").count == 1, "getters answer from the mirror")
        }

        @Test("External change: the mirror follows, observers hear the reason and the keys, own sets are not announced")
        func external() {
            let pad = PadDouble()
            pad.store = ["a": "old", "b": "stays"]
            nonisolated(unsafe) var heard: [String] = []
            _ = pad.run {
                NotificationCenter.default.addObserver(
                    forName: NSUbiquitousKeyValueStore.didChangeExternallyNotification,
                    object: NSUbiquitousKeyValueStore.default,
                    queue: nil
                ) { notice in
                    let keys = notice.userInfo?[NSUbiquitousKeyValueStoreChangedKeysKey] as? [String] ?? []
                    heard.append("\(notice.userInfo?[NSUbiquitousKeyValueStoreChangeReasonKey] as? Int ?? -1) \(keys)")
                }
                NSUbiquitousKeyValueStore.default.set("mine", forKey: "c")
                return []
            }
            pad.deliver("kvs.changed", ["reason": 0, "values": ["a": "new", "b": .null]])
            #expect(heard == [#"0 ["a", "b"]"#])
            #expect(pad.calls("kvs.open").count == 1)
            #expect(pad.run { NSUbiquitousKeyValueStore.default.dictionaryRepresentation.keys.sorted() } == ["a", "c"])
        }

        @Test("External change that crossed an own set: the store's answer counts, not the older notice")
        func crossing() {
            let pad = PadDouble()
            _ = pad.run {
                NSUbiquitousKeyValueStore.default.set("mine", forKey: "a")
                return []
            }
            pad.deliver("kvs.changed", ["reason": 0, "values": ["a": "older, from the server"]])
            #expect(pad.run { [NSUbiquitousKeyValueStore.default.string(forKey: "a") ?? ""] } == ["mine"])
        }

        @Test("Another account: its values are there at once, before the notice of what has changed (identity.md 3)")
        func another() {
            let pad = PadDouble()
            pad.store = ["answer": "at school", "mark": "1"]
            let store: @MainActor @Sendable () -> [String] = {
                NSUbiquitousKeyValueStore.default.dictionaryRepresentation.keys.sorted()
            }
            #expect(pad.run(store) == ["answer", "mark"])
            pad.beforeCall = { if $0.name == "identity.taken" { pad.store = ["answer": "at home"] } }
            pad.deliver("app.identityChanged", ["identity": "token-home"])
            #expect(pad.run(store) == ["answer"])
            #expect(pad.run { [NSUbiquitousKeyValueStore.default.string(forKey: "answer") ?? ""] } == ["at home"])
            pad.deliver("kvs.changed", ["reason": 3, "values": ["answer": .null, "mark": .null]])
            #expect(pad.run(store) == ["answer"], "the notice of what is gone comes before that of what is there")
        }

        @Test("Not settable: an infinity is not stored (S100)")
        func infinity() {
            let pad = PadDouble()
            let found = pad.run {
                let store = NSUbiquitousKeyValueStore.default
                store.set(Double.infinity, forKey: "d")
                store.set([1.0, Double.nan], forKey: "l")
                store.set("x", forKey: String(repeating: "k", count: 64))
                return ["\(store.dictionaryRepresentation.count) \(store.object(forKey: "d") == nil)"]
            }
            #expect(found == ["1 true"] && pad.posts("kvs.set").count == 1)
        }

        @Test("Not settable: a key over 64 bytes of UTF-8 ends the app")
        func longKey() async {
            await #expect(processExitsWith: .failure) {
                _ = PadDouble().run {
                    NSUbiquitousKeyValueStore.default.set(true, forKey: String(repeating: "é", count: 33))
                    return []
                }
            }
        }

        @Test("Synchronize: false when the Pad could not write")
        func synchronize() {
            let pad = PadDouble()
            #expect(pad.run { ["\(NSUbiquitousKeyValueStore.default.synchronize())"] } == ["true"])
            pad.refusals["kvs.synchronize"] = [
                "error": ["domain": "NSCocoaErrorDomain", "code": 640, "message": "full"]
            ]
            #expect(pad.run { ["\(NSUbiquitousKeyValueStore.default.synchronize())"] } == ["false"])
        }
    }

    @Suite("Defaults", .timeLimit(.minutes(20))) struct Defaults {
        @Test("Kept over a launch in the app's own plist, gone with a purge; a torn plist is an empty one")
        func persisted() {
            let pad = PadDouble()
            _ = pad.run {
                UserDefaults.standard.set(true, forKey: "flag")
                UserDefaults.standard.set(3, forKey: "count")
                UserDefaults.standard.set("x", forKey: "text")
                UserDefaults.standard.removeObject(forKey: "text")
                return []
            }
            pad.kill()
            let read: @MainActor () async throws -> [String] = {
                let defaults = UserDefaults.standard
                defaults.register(defaults: ["count": 1, "other": 2])
                return [
                    "\(defaults.bool(forKey: "flag")) \(defaults.integer(forKey: "count")) \(defaults.integer(forKey: "other"))",
                    "\(defaults.object(forKey: "text") == nil)",
                ]
            }
            #expect(pad.run(read) == ["true 3 2", "true"])
            let path = "\(pad.home)/Library/Preferences/com.example.test.plist"
            #expect(String(decoding: pad.files[path] ?? [], as: UTF8.self).contains("<key>flag</key>"))
            pad.kill()
            pad.files[path] = Array((pad.files[path] ?? []).prefix(200))
            #expect(pad.run(read) == ["false 1 2", "true"])
            pad.purge()
            #expect(pad.run(read) == ["false 1 2", "true"])
        }

        @Test("Two apps in one process: each has its own singletons")
        func apart() {
            let (one, two) = (PadDouble(bundle: "com.example.one"), PadDouble(bundle: "com.example.two"))
            _ = one.run {
                UserDefaults.standard.set("one", forKey: "name")
                return []
            }
            #expect(two.run { [UserDefaults.standard.string(forKey: "name") ?? "none"] } == ["none"])
            #expect(one.run { [UserDefaults.standard.string(forKey: "name") ?? "none"] } == ["one"])
        }
    }
}

/// All suites of the room, one after the other: the probe's body is shared.
@Suite("Ubiquity", .serialized, .timeLimit(.minutes(20))) struct UbiquityTests {}
