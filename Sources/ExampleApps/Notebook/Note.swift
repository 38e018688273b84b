import CloudKit
import Ubiquity

/// One note as the app keeps it: a text of lines, the server's text it was made from, and the server's tag.
///
/// A deleted note is a note without lines: deletes carry no change tag in CloudKit, so a real delete could take along what
/// somebody wrote meanwhile.
struct Note: Codable, Hashable {
    /// What the person sees; lines of text.
    var lines: [String] = []
    /// The server's lines that `lines` were made from.
    var base: [String] = []
    /// Lines that the person replaced or deleted here since the server last took what we sent. An earlier version that is still on its way
    /// must not bring them back; it cannot come any more when a later one has been taken.
    var gone: [String] = []
    /// Lines that the server had at some time, told by an operation of an earlier launch: where they are missing now, somebody removed
    /// them.
    var acknowledged: [String] = []
    /// The record's system fields; nil until the server has it.
    var systemFields: Data?
    /// When the server last changed the record, as far as this iPad knows.
    var modified: Date?
    /// The lines that somebody saw and removed. They are part of the record: an iPad whose save arrived, but whose answer did not, takes its
    /// own line for one that the server never had, and would bring it back.
    var removed = RemovedLines()

    /// Whether the server has not acknowledged what the person sees. What was replaced may be on its way to the server even where base
    /// and text look alike: typed and deleted again while the first version waits.
    var isDirty: Bool { lines != base || !gone.isEmpty }

    /// The server has taken what we sent: that is the new base. What was typed meanwhile stays dirty.
    mutating func acknowledge(_ server: [String]) {
        base = server
        guard lines == base else { return }
        gone = []
        acknowledged = []
    }

    /// What the person typed in place of what was seen; other lines came meanwhile and stay.
    mutating func replace(_ seen: [String], with new: [String]) {
        let old = lines.filter(seen.contains)
        gone += old
        removed.change(adding: old, removing: new)
        lines = new + lines.filter { !seen.contains($0) }
    }

    /// What somebody removed is not there any more, wherever it was typed.
    mutating func learn(_ more: RemovedLines) {
        // Mostly the server tells what it was told.
        guard more != removed else { return }
        removed.add(more)
        lines = removed.without(lines)
    }

    /// Takes the server's newer text in. What both sides added stays; what either side removed goes.
    mutating func merge(server: [String]) {
        let removed = Set(base + gone).subtracting(lines)
        let kept = server.filter { !removed.contains($0) }
        lines = kept + lines.filter { !base.contains($0) && !acknowledged.contains($0) && !kept.contains($0) }
        base = server
        // What is gone stays so: the server may agree by chance, with an earlier version still on its way.
        if lines == base { acknowledged = [] }
    }
}

/// On disk only what says something: most notes are clean, and writing them is what this app does most.
extension Note {
    private enum CodingKeys: CodingKey {
        case lines, base, gone, acknowledged, systemFields, modified, removed
    }
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        if !lines.isEmpty { try container.encode(lines, forKey: .lines) }
        if base != lines { try container.encode(base, forKey: .base) }
        if !gone.isEmpty { try container.encode(gone, forKey: .gone) }
        if !acknowledged.isEmpty { try container.encode(acknowledged, forKey: .acknowledged) }
        try container.encodeIfPresent(systemFields, forKey: .systemFields)
        try container.encodeIfPresent(modified, forKey: .modified)
        try container.encodeIfPresent(removed.data, forKey: .removed)
    }
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        lines = try container.decodeIfPresent([String].self, forKey: .lines) ?? []
        base = try container.decodeIfPresent([String].self, forKey: .base) ?? lines
        gone = try container.decodeIfPresent([String].self, forKey: .gone) ?? []
        acknowledged = try container.decodeIfPresent([String].self, forKey: .acknowledged) ?? []
        systemFields = try container.decodeIfPresent(Data.self, forKey: .systemFields)
        modified = try container.decodeIfPresent(Date.self, forKey: .modified)
        removed = RemovedLines(try container.decodeIfPresent(Data.self, forKey: .removed) ?? Data())
    }
}

/// A note as a record: several fields, of which the server compares none but its tag.
enum NoteRecord {
    static let type = "Note"
    static let zone = CKRecordZone(zoneName: "Notebook")
    /// Bytes of text that a record takes, with room for its other fields: the server's limit is 1 MB (cloudkit-web-services.md 10).
    static let bytesMax = 900_000
    /// Of a record's name (cloudkit-web-services.md 10).
    static let nameBytesMax = 255

    static func make(_ name: String, _ note: Note) -> CKRecord {
        let id = CKRecord.ID(recordName: name, zoneID: zone.zoneID)
        let record = note.systemFields.flatMap(record(from:)) ?? CKRecord(recordType: type, recordID: id)
        // A list, not one text: what somebody typed may hold any separator.
        record["lines"] = note.lines
        record["count"] = note.lines.count
        record["isEmpty"] = note.lines.isEmpty
        if let removed = note.removed.data { record["removed"] = removed }
        return record
    }
    static func lines(of record: CKRecord) -> [String] { record["lines"] as? [String] ?? [] }
    private static func removed(of record: CKRecord) -> RemovedLines {
        RemovedLines(record["removed"] as? Data ?? Data())
    }

    /// Tells a note what the server has; its next save starts from this record.
    /// - Returns: false when the answer was overtaken on its way by a newer one: what it tells was true once, and must not undo what came
    ///   since.
    static func tell(_ note: inout Note, of record: CKRecord, _ change: (inout Note, [String]) -> Void) -> Bool {
        if let known = note.modified, let told = record.modificationDate, told < known { return false }
        note.learn(removed(of: record))
        change(&note, lines(of: record))
        note.systemFields = systemFields(of: record)
        note.modified = record.modificationDate
        return true
    }

    /// Tells a note what the server had when it answered an operation of an earlier launch. It says nothing of the present, but whatever
    /// the server said before it is overtaken.
    static func had(_ note: inout Note, _ record: CKRecord) {
        note.acknowledged += lines(of: record)
        note.modified = [note.modified, record.modificationDate].compactMap { $0 }.max()
    }

    private static func systemFields(of record: CKRecord) -> Data {
        let archiver = NSKeyedArchiver(requiringSecureCoding: true)
        record.encodeSystemFields(with: archiver)
        archiver.finishEncoding()
        return archiver.encodedData
    }
    private static func record(from data: Data) -> CKRecord? {
        guard let unarchiver = try? NSKeyedUnarchiver(forReadingFrom: data) else { return nil }
        unarchiver.requiresSecureCoding = true
        return CKRecord(coder: unarchiver)
    }
}
