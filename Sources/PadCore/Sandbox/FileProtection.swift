import FleetModel
import Storage

/// When a file can be read (app-lifecycle.md 10).
enum ProtectionClass: String, Hashable {
    case none
    /// After the first unlock since the start: the default of apps' files.
    case completeUntilFirstUserAuthentication
    /// Unlocked; new files may be made while locked, and a file that was open for adding stays so.
    case completeUnlessOpen
    /// Unlocked only.
    case complete

    /// The class that a message names.
    init(_ message: Message) throws(LinkError) {
        guard let found = FileMessages.Write(lenient: message.body).protection.flatMap(Self.init) else {
            throw .malformed("'protection' of \(message.name) must name a class; see Docs/local-link.md")
        }
        self = found
    }
}

/// The protection classes of one person's files, where they are not the default. What lies in a folder has the folder's class.
///
/// In the volume's database, which is in order after a power cut; the table is made with the first class.
final class FileProtection {
    private let database: Database
    private var classes: [String: ProtectionClass]

    init(_ database: Database) {
        self.database = database
        let rows = try? database.query("SELECT path, class FROM file_protection")
        classes = Dictionary(
            (rows ?? []).compactMap { row in ProtectionClass(rawValue: row.text(1)).map { (row.text(0), $0) } },
            uniquingKeysWith: { _, last in last })
    }

    /// The class of a file or of the nearest folder above it that has one; nil: the default.
    func `class`(of path: String) -> ProtectionClass? {
        guard !classes.isEmpty else { return nil }
        var path = Substring(path)
        while !path.isEmpty {
            if let found = classes[String(path)] { return found }
            guard let slash = path.lastIndex(of: "/") else { break }
            path = path[..<slash]
        }
        return nil
    }

    /// What the path itself was given, without the folders above it.
    func own(_ path: String) -> ProtectionClass? { classes[path] }
    /// Takes a `set` back.
    func restore(_ old: ProtectionClass?, _ path: String) throws {
        if let old { return try set(old, path) }
        guard classes[path] != nil else { return }
        try database.execute("DELETE FROM file_protection WHERE path = ?", .text(path))
        classes[path] = nil
    }

    func set(_ protection: ProtectionClass, _ path: String) throws {
        guard classes[path] != protection else { return }
        try database.script("CREATE TABLE IF NOT EXISTS file_protection(path TEXT PRIMARY KEY, class TEXT NOT NULL);")
        try database.execute(
            "INSERT OR REPLACE INTO file_protection VALUES (?, ?)", .text(path), .text(protection.rawValue))
        classes[path] = protection
    }
    /// A file or folder is gone.
    func removed(_ path: String) throws {
        for old in covered(path) {
            try database.execute("DELETE FROM file_protection WHERE path = ?", .text(old))
            classes[old] = nil
        }
    }
    /// A file keeps its class where it goes, also one that it had from a folder.
    func moved(_ from: String, to: String) throws {
        let kept = self.class(of: from)
        for old in covered(from) {
            guard let protection = classes[old] else { continue }
            try set(protection, to + old.dropFirst(from.count))
            try removed(old)
        }
        if self.class(of: to) != kept { try set(kept ?? .completeUntilFirstUserAuthentication, to) }
    }
    private func covered(_ path: String) -> [String] {
        classes.keys.filter { $0 == path || $0.hasPrefix(path + "/") }.sorted()
    }
}

/// Whether a file may be touched now.
struct FileGate {
    enum Access {
        case read, change, add
        /// Through a handle that the app may have had open before the iPad was locked.
        case handle

        /// Goes on while the iPad is locked when the file was open before.
        var isOfOpenFile: Bool { self == .add || self == .handle }
    }
    let protection: FileProtection
    /// The iPad is unlocked, or was a moment ago.
    let isAvailable: Bool
    /// Files that the app has open for adding.
    var open: Set<String> = []

    func check(_ path: String, _ access: Access, exists: @autoclosure () -> Bool) throws(LinkError) {
        guard !isAvailable else { return }
        switch protection.class(of: path) {
        case .complete: break
        case .completeUnlessOpen where exists() && !(access.isOfOpenFile && open.contains(path)): break
        default: return
        }
        throw access == .read ? .cocoa(257, "\(path) is protected and the iPad is locked") : Self.refusal(path)
    }
    /// Whether a file of the class can be made now.
    func mayCreate(_ wanted: ProtectionClass) -> Bool { isAvailable || wanted != .complete }
    /// NSFileWriteNoPermissionError. Source: app-lifecycle.md 10 (unsourced).
    static func refusal(_ path: String) -> LinkError { .cocoa(513, "\(path) is protected and the iPad is locked") }
}
