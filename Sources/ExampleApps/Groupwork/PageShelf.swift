import CloudKit
import Ubiquity

/// What the iPad keeps of the pages: the server's texts, and how far each database and zone was fetched. Whatever is lost of it comes again.
struct PageShelf: Codable {
    /// One zone, the person's own or somebody else's. Each holds one page, which has the zone's name.
    struct Zone: Codable {
        var page: String
        /// `CKCurrentUserDefaultName`, or somebody else's.
        var owner: String
        var lines: [String] = []
        /// Name of the share's record, by which who takes part leaves.
        var share: String?
        /// When the service last changed the page, as far as this iPad knows.
        var modified: Date?
        var token: Data?

        var zoneID: CKRecordZone.ID { CKRecordZone.ID(zoneName: page, ownerName: owner) }
        init(_ zoneID: CKRecordZone.ID) { (page, owner) = (zoneID.zoneName, zoneID.ownerName) }
    }
    var zones: [Zone] = []
    /// By the database's scope.
    var tokens: [Int: Data] = [:]

    subscript(zoneID: CKRecordZone.ID) -> Zone? {
        get { zones.first { $0.zoneID == zoneID } }
        set {
            let index = zones.firstIndex { $0.zoneID == zoneID }
            if let index { zones.remove(at: index) }
            if let newValue { zones.insert(newValue, at: index ?? zones.count) }
        }
    }
    /// All pages that the person takes part in, each with its lines.
    var pages: [String: [String]] {
        zones.reduce(into: [:]) { pages, zone in
            pages[zone.page, default: []] += zone.lines.filter { pages[zone.page]?.contains($0) != true }
        }
    }

    // MARK: On disk

    /// - Parameter account: each account has a file of its own.
    private static func file(_ account: String) -> URL {
        FileManager.default.urls(for: .documentDirectory, in: .userDomainMask)[0].appending(
            path: "pages-\(account).json")
    }
    static func load(_ account: String) -> PageShelf {
        guard let data = FileManager.default.contents(atPath: file(account).path) else { return PageShelf() }
        return (try? JSONDecoder().decode(PageShelf.self, from: data)) ?? PageShelf()
    }
    /// A full iPad keeps less: then more is fetched the next time.
    func save(_ account: String) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        guard let data = try? encoder.encode(self) else { return }
        try? String(decoding: data, as: UTF8.self).write(to: Self.file(account), atomically: true, encoding: .utf8)
    }
}

extension CKServerChangeToken {
    /// How an app keeps a token.
    var archived: Data? { try? NSKeyedArchiver.archivedData(withRootObject: self, requiringSecureCoding: true) }
    static func from(_ data: Data?) -> CKServerChangeToken? {
        data.flatMap { try? NSKeyedUnarchiver.unarchivedObject(ofClass: CKServerChangeToken.self, from: $0) }
    }
}
