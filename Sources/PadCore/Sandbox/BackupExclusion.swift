import Storage

/// Which files and folders of one person's apps stay out of backups: those marked by `isExcludedFromBackup` (app-lifecycle.md 13), and
/// what lies below a marked folder.
///
/// A mark is an attribute of the file: it moves with it, goes with it, and a file that takes its place (`atomic`) has none. In the
/// volume's database, which is in order after a power cut: of a file that the power took the mark goes when the volume is opened next. The
/// table is made with the first mark.
final class BackupExclusion {
    private let database: Database
    private var marked: Set<String>
    /// Rows of files that are gone, which a full disk has kept: no marks, and tried again with each change.
    private var stale: [String]

    /// - Parameter isThere: whether the volume has a file or folder of that path.
    init(_ database: Database, isThere: (String) -> Bool) {
        self.database = database
        let rows = try? database.query("SELECT path FROM backup_excluded")
        marked = Set((rows ?? []).map { $0.text(0) })
        stale = marked.filter { !isThere($0) }.sorted()
        marked.subtract(stale)
        forgetStale()
    }
    private func forgetStale() {
        stale.removeAll { path in
            do { try database.execute("DELETE FROM backup_excluded WHERE path = ?", .text(path)) } catch {
                return false
            }
            return true
        }
    }

    /// Whether the path itself is marked.
    func isMarked(_ path: String) -> Bool { marked.contains(path) }
    /// Whether the path or a folder above it is marked.
    func covers(_ path: String) -> Bool {
        guard !marked.isEmpty else { return false }
        var path = Substring(path)
        while !path.isEmpty {
            if marked.contains(String(path)) { return true }
            guard let slash = path.lastIndex(of: "/") else { break }
            path = path[..<slash]
        }
        return false
    }

    func set(_ isExcluded: Bool, _ path: String) throws {
        if !stale.isEmpty { forgetStale() }
        guard marked.contains(path) != isExcluded else { return }
        if isExcluded {
            try database.script("CREATE TABLE IF NOT EXISTS backup_excluded(path TEXT PRIMARY KEY) WITHOUT ROWID;")
            try database.execute("INSERT OR REPLACE INTO backup_excluded VALUES (?)", .text(path))
            marked.insert(path)
        } else {
            try database.execute("DELETE FROM backup_excluded WHERE path = ?", .text(path))
            marked.remove(path)
        }
    }
    /// A file or folder is gone.
    func removed(_ path: String) throws { for old in below(path) { try set(false, old) } }
    func moved(_ from: String, to: String) throws {
        for old in below(from) {
            try set(true, to + old.dropFirst(from.count))
            try set(false, old)
        }
    }
    private func below(_ path: String) -> [String] {
        marked.isEmpty ? [] : marked.filter { $0 == path || $0.hasPrefix(path + "/") }.sorted()
    }
}
