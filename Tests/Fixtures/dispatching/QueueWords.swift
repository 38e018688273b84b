import CloudKit
import Foundation
import Ubiquity

/// Words as records, sent by `QueueSync`: its completion blocks come when the network has answered, in a later step.
final class QueueWords: PadApp {
    nonisolated static let declaration = AppDeclaration(
        name: "queues", infoPlistPath: "homeroom_dispatching.resources/InfoPlists/queues/Info.plist",
        channel: .record, actions: [AppManifest.Action("learn", kind: "word", verb: .put, prefix: "word")],
        promises: ["word": .keepsAll])
    private let words = RecordedWords()
    private let sync: QueueSync

    init() {
        sync = QueueSync(send: words.save)
        sync.start()
    }
    func application(didFinishLaunching reason: LaunchReason) async { words.fetch() }
    func applicationDidBecomeActive() async { words.fetch() }
    func perform(_ edit: Edit) async throws {
        let hasArrived = await withCheckedContinuation { done in
            sync.add(edit.item, edit.value) { done.resume(returning: $0) }
        }
        guard hasArrived else { throw Refusal("iCloud did not take it") }
        words.show(edit.item, edit.value)
    }
    func visibleState() async -> VisibleState { words.visibleState() }
}
