import Foundation
import PadDouble
import Testing
import Ubiquity

@testable import ExampleApps

@Suite("Example apps", .timeLimit(.minutes(20))) struct ListTests {
    @Test(
        "Each has a name of its own and a real Info.plist with its own bundle identifier",
        arguments: 0..<exampleApps.count)
    func plists(index: Int) throws {
        let declaration = exampleApps[index].declaration
        #expect(exampleApps.filter { $0.declaration.name == declaration.name }.count == 1)
        let folder = try #require(CommandLine.arguments.first.map { URL(filePath: $0).deletingLastPathComponent() })
        let path = try #require(declaration.infoPlistPath)
        let data = try Data(contentsOf: folder.appending(path: path))
        let plist = try #require(PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any])
        #expect(plist["CFBundleIdentifier"] as? String == "com.example.\(declaration.name)")
        // What is written into the diary without iCloud is nowhere else.
        #expect((plist["NSSupportsPurgeableLocalStorage"] as? Bool == true) == (declaration.name != "diary"))
        #expect(Set(declaration.actions.map(\.kind)) == Set(declaration.promises.keys))
        #expect(declaration.forEveryone.union(declaration.shared).isSubset(of: declaration.promises.keys))
    }

    @Test(
        "Leaving the screen: saved, timers and queries stopped; ended without a word, all is shown again (S156, S171)",
        arguments: [("quiz", "answer", "answer-1"), ("homework", "handIn", "essay-1"), ("scrapbook", "draw", "page-1")])
    func leaving(name: String, action: String, item: String) throws {
        let type = try #require(exampleApps.first { $0.declaration.name == name })
        let pad = PadDouble(bundle: "com.example.\(name)")
        pad.http = { request in
            let isList = request["url"]?.string?.hasSuffix("?list") == true
            let body: Value = isList ? ["items": []] : ["credential": "secret"]
            return ["status": 200, "data": .data(body.jsonBytes)]
        }
        pad.launch(type)
        #expect(pad.perform(edit("maya.1", action, item))?["refused"] == nil)
        let before = try #require(pad.state())
        #expect(before.complete && before.tokens(item) == ["maya.1"])
        pad.ask("app.willResignActive")
        pad.ask("app.didEnterBackground")
        pad.forgetCalls()
        pad.deliver("docs.changed", ["paths": []])
        pad.advance(by: .hours(3))
        #expect(pad.calls.map(\.name) == [] && pad.posts.map(\.name) == [])
        pad.kill()
        pad.launch(type)
        #expect(pad.state() == before)
    }

    @Test(
        "Nothing changes: the system and the backend are left in peace (S204)",
        arguments: ["quiz", "homework", "scrapbook"])
    func idle(name: String) throws {
        let type = try #require(exampleApps.first { $0.declaration.name == name })
        let pad = PadDouble(bundle: "com.example.\(name)")
        pad.http = { _ in ["status": 200, "data": .data(Array("{}".utf8))] }
        pad.launch(type)
        pad.advance(by: .minutes(2))
        pad.forgetCalls()
        pad.advance(by: .hours(3))
        #expect(pad.calls.map(\.name) == [])
        #expect(pad.posts.map(\.name) == [])
    }
}
