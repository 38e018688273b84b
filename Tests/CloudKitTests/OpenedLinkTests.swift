import CloudKit
import FleetModel
import PadApp
import Testing

/// A person opens a link to a share: the app is called by Apple's method, with what the link leads to.
@Suite("Opened links", .timeLimit(.minutes(20))) struct OpenedLinkTests {
    @MainActor private final class Opener: PadApp, CloudKitSharingDelegate {
        nonisolated static var declaration: AppDeclaration {
            AppDeclaration(name: "opener", infoPlistPath: "", channel: .record, actions: [], promises: [:])
        }
        var accepted: [CKShare.Metadata] = []
        var opened: [String] = []
        init() {}
        func perform(_ edit: Edit) async throws {}
        func visibleState() async -> VisibleState { VisibleState([]) }
        func application(open url: String) async -> Bool {
            opened.append(url)
            return true
        }
        func application(userDidAcceptCloudKitShareWith cloudKitShareMetadata: CKShare.Metadata) async {
            accepted.append(cloudKitShareMetadata)
        }
    }
    private final class NoCalls: CallLink {
        func call(_ message: Message, after posts: [Output]) -> Message? { nil }
    }
    private static let found: Value = [
        "containerIdentifier": "iCloud.com.example.notebook", "databaseScope": "SHARED", "shortGUID": ["value": "0abc"],
        "participantType": "PUBLIC_USER", "participantStatus": "PENDING", "participantPermission": "READ_WRITE",
        "zoneID": ["zoneName": "Notes", "ownerRecordName": "_maya"],
        "share": ["recordName": "s", "recordType": "cloudkit.share", "shortGUID": "0abc", "fields": [:]],
    ]

    @Test(
        "What a link leads to is asked for, and comes to the delegate; another address comes as it is, a link that leads nowhere not at all",
        arguments: ["https://www.icloud.com/share/0abc#Notes", "https://www.icloud.com/share/0gone", "notes://n1"])
    @MainActor func open(url: String) {
        let app = Opener()
        let participant = AppParticipant(
            id: .app(pad: 1, launch: 1), make: { app }, spec: ["bundle": "com.example.notebook"])
        var asked: [Message] = []
        var inputs = [Input(from: .pad(1), .post(Message("app.openURL", ["url": .string(url)])), exchange: 5)]
        while !inputs.isEmpty {
            let result = participant.step(now: .zero, inputs: inputs, link: NoCalls())
            inputs = []
            for output in result.outputs {
                guard case .post(let message) = output.payload, message.name == "ck.shareMetadata" else { continue }
                asked.append(message)
                let isThere = message["guids"] == ["0abc"]
                let answer: Value = [
                    "shares": isThere ? [Self.found] : [],
                    "errors": isThere ? .empty : ["0gone": ["domain": "CKErrorDomain", "code": 11, "message": "gone"]],
                ]
                inputs.append(Input(from: .pad(1), .post(Message(message.name, answer)), exchange: output.exchange))
            }
        }
        switch url {
        case "notes://n1": #expect(app.opened == [url] && asked.isEmpty && app.accepted.isEmpty)
        case "https://www.icloud.com/share/0gone":
            #expect(asked.count == 1 && app.accepted.isEmpty && app.opened.isEmpty)
        default:
            #expect(app.accepted.map(\.share.recordID.zoneID.ownerName) == ["_maya"] && app.opened.isEmpty)
            #expect(app.accepted.first?.participantRole == .publicUser)
        }
    }
}
