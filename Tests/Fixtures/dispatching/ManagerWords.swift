import Foundation
import Ubiquity

extension SyncManager {
    /// One for each launch. A `static let` would be one for each process, and `sim` has one process for all apps.
    static var shared: SyncManager { AppLink.current.singleton { SyncManager() } }
}

/// Words in the key-value store, kept by a singleton.
final class ManagerWords: PadApp {
    nonisolated static let declaration = AppDeclaration(
        name: "manager", infoPlistPath: "homeroom_dispatching.resources/InfoPlists/manager/Info.plist",
        channel: .keyValue, actions: [AppManifest.Action("learn", kind: "word", verb: .put, pool: 5, prefix: "word")],
        promises: ["word": .lastWriterWins])
    init() {}
    func application(didFinishLaunching reason: LaunchReason) async { SyncManager.shared.start() }
    func perform(_ edit: Edit) async throws {
        let isKept = await withCheckedContinuation { done in
            SyncManager.shared.set(edit.item, edit.value) { done.resume(returning: $0) }
        }
        guard isKept else { throw Refusal("there is no room") }
    }
    func visibleState() async -> VisibleState {
        let words = SyncManager.shared.words
        return VisibleState(words.keys.sorted().map { Item(id: $0, kind: "word", text: words[$0] ?? "") })
    }
}
