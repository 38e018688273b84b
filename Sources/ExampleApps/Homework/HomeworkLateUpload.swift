import Ubiquity

/// Homework with one mistake (bug zoo life-01): essays stay in memory until `applicationWillTerminate`.
///
/// A suspended app is ended without a word (S129-S133), and a user switch ends it too: the essays never existed.
final class HomeworkLateUpload: Homework {
    nonisolated override class var declaration: AppDeclaration { homeworkDeclaration("homework-late-upload") }

    private var essays: [String: String] = [:]

    override func handIn(_ text: String, _ id: String) throws { essays[id] = text }

    override func applicationWillTerminate() async {
        for id in essays.keys.sorted() {
            if let text = essays[id] { try? super.handIn(text, id) }
        }
        essays = [:]
    }

    override func localEssays() -> [String: String] { super.localEssays().merging(essays) { _, new in new } }
    override func visibleItem(_ id: String) async -> Item? {
        if let text = essays[id] { return Item(id: id, kind: "handIn", text: text) }
        return await super.visibleItem(id)
    }
}
