import CloudKit
import FleetModel
import PadApp
import Testing

@Suite("Remote notifications", .timeLimit(.minutes(20))) struct RemoteNotificationTests {
    /// Written as for an iPad, with Apple's dictionary.
    @MainActor private final class AppleApp: PadApp {
        nonisolated static var declaration: AppDeclaration {
            AppDeclaration(name: "apple", infoPlistPath: "", channel: .record, actions: [], promises: [:])
        }
        var subscription: String?
        init() {}
        func perform(_ edit: Edit) async throws {}
        func visibleState() async -> VisibleState { VisibleState([]) }
        func application(didReceiveRemoteNotification userInfo: [AnyHashable: Any]) async -> UIBackgroundFetchResult {
            subscription = CKNotification(fromRemoteNotificationDictionary: userInfo)?.subscriptionID
            return .newData
        }
    }

    @Test("Apple's dictionary: an app that takes it is called, and CloudKit reads it")
    func dictionary() async {
        let payload: Value = [
            "ck": ["qry": ["sid": "notes"], "cid": "iCloud.com.example"], "aps": ["content-available": 1],
        ]
        let app = await AppleApp()
        // As the iPad calls it, which knows only that it is an app.
        let any: any PadApp = app
        #expect(await any.application(didReceiveRemoteNotification: payload) == .newData)
        #expect(await app.subscription == "notes")
    }

    @Test("Payloads: the dictionary has their members, and gives the same payload back")
    func roundTrip() {
        let payload: Value = [
            "text": "ä", "number": 7, "flag": true, "part": 0.5, "list": ["a", 1, ["b": false]],
            "inner": ["deep": ["x": 1]],
        ]
        #expect(payload.userInfo["text"] as? String == "ä" && payload.userInfo["number"] as? Int == 7)
        #expect(Value(userInfo: payload.userInfo) == payload)
        #expect(Value.null.userInfo.isEmpty && Value(userInfo: [7: "x", "y": Testing.Test.self]) == .empty)
    }
}
