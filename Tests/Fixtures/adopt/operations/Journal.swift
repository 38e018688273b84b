import CloudKit
import CoreData
import Foundation

/// What is not sent yet, on disk.
struct JournalEntry: Codable, Hashable {
    var name: String
    var fields: [String: String]
    var sentAt: Date?
}

final class Journal {
    private let folder: URL
    private let files = FileManager.default
    private let encoder = PropertyListEncoder()
    private let context: NSManagedObjectContext?

    init(context: NSManagedObjectContext? = nil) throws {
        self.context = context
        let support = try files.url(
            for: .applicationSupportDirectory, in: .userDomainMask, appropriateFor: nil, create: true)
        folder = support.appendingPathComponent("journal", isDirectory: true)
        if !files.fileExists(atPath: folder.path) {
            try files.createDirectory(at: folder, withIntermediateDirectories: true, attributes: nil)
        }
    }

    func append(_ entry: JournalEntry) throws {
        let data = try encoder.encode(entry)
        let url = folder.appendingPathComponent(entry.name).appendingPathExtension("plist")
        try data.write(to: url, options: .atomic)
        try (url as NSURL).setResourceValue(true, forKey: .isExcludedFromBackupKey)
    }

    func entries() -> [JournalEntry] {
        guard let all = files.enumerator(at: folder, includingPropertiesForKeys: nil) else { return [] }
        return all.compactMap { ($0 as? URL).flatMap { try? Data(contentsOf: $0) } }
            .compactMap { try? PropertyListDecoder().decode(JournalEntry.self, from: $0) }
    }

    func remove(_ entry: JournalEntry) {
        try? files.removeItem(at: folder.appendingPathComponent(entry.name + ".plist"))
    }

    func count() -> Int {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Entry")
        return (try? context?.count(for: request)) ?? 0
    }

    var freeSpace: Int64 {
        let attributes = try? files.attributesOfFileSystem(forPath: NSHomeDirectory())
        return (attributes?[.systemFreeSize] as? NSNumber)?.int64Value ?? 0
    }
}
