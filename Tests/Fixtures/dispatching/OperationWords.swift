import CloudKit
import Foundation
import Ubiquity

/// Words as records, sent by `OperationSync`; a timer looks for those of other iPads.
final class OperationWords: PadApp {
    nonisolated static let declaration = AppDeclaration(
        name: "operations", infoPlistPath: "homeroom_dispatching.resources/InfoPlists/operations/Info.plist",
        channel: .record, actions: [AppManifest.Action("learn", kind: "word", verb: .put, prefix: "word")],
        promises: ["word": .keepsAll])
    private let words = RecordedWords()
    private let sync: OperationSync
    private var timer: Timer?

    init() { sync = OperationSync(send: words.save) }
    func application(didFinishLaunching reason: LaunchReason) async {
        words.fetch()
        timer = Timer.scheduledTimer(withTimeInterval: 30, repeats: true) { [words] _ in words.fetch() }
    }
    func applicationDidBecomeActive() async { words.fetch() }
    func applicationDidEnterBackground() async {
        let sync = sync
        await withCheckedContinuation { done in
            DispatchQueue.global(qos: .userInitiated).async {
                sync.waitUntilAllAreSent()
                done.resume()
            }
        }
    }
    func perform(_ edit: Edit) async throws {
        let hasArrived = await withCheckedContinuation { done in
            sync.add(edit.item, edit.value) { done.resume(returning: $0) }
        }
        guard hasArrived else { throw Refusal("iCloud did not take it") }
        words.show(edit.item, edit.value)
    }
    func visibleState() async -> VisibleState { words.visibleState() }
}
