import FleetModel
import PadApp
import PadDouble
import Testing

/// What libraries of an app do with a push, and when the app comes to the screen (`PushWork`, CloudKit's sync engine).
@Suite("Work of libraries for a push", .timeLimit(.minutes(20))) struct PushWorkTests {
    @Test(
        "The app's method first, then the libraries; the answer waits for them and says whether anything new came",
        arguments: ["none", "same", "new"])
    func push(_ kind: String) throws {
        let pad = PadDouble(bundle: "com.example.pushed")
        pad.launch(PushedApp.self)
        let body: Value = ["payload": ["ck": .string(kind)]]
        let answer = try #require(pad.ask("app.remoteNotification", body))
        #expect(answer["result"] == .string(kind == "new" ? "newData" : "noData"))
        let screen: [String: String] = [
            "none": "active,app", "same": "active,app,library same", "new": "active,app,library new",
        ]
        #expect(answer["screen"]?.string == screen[kind])
    }
}

/// Has a library that waits for two seconds with what a push brings.
@MainActor final class PushedApp: PadApp {
    nonisolated static var declaration: AppDeclaration {
        AppDeclaration(
            name: "pushed", infoPlistPath: "", bundleIdentifier: "com.example.pushed", channel: .record, actions: [],
            promises: [:])
    }
    private var story: [String] = []
    var screen: String? { story.joined(separator: ",") }

    func application(willFinishLaunching reason: LaunchReason) async {
        let link = AppLink.current
        link.listen("app.didBecomeActive") { [weak self] _ in MainActor.assumeIsolated { self?.story.append("active") }
        }
        link.singleton { PushWork() }.add { [weak self] payload in
            guard let kind = payload["ck"]?.string, kind != "none" else { return false }
            try? await Task.sleep(for: .seconds(2))
            self?.tell("library \(kind)")
            return kind == "new"
        }
    }
    private func tell(_ line: String) { story.append(line) }
    func application(didReceiveRemoteNotification userInfo: Value) async -> UIBackgroundFetchResult {
        story.append("app")
        return .noData
    }
    func perform(_ edit: Edit) async throws {}
    func visibleState() async -> VisibleState { VisibleState([]) }
}
