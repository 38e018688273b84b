import CloudKit
import Foundation
import GRDB

/// One card of a person's box.
struct Card: Codable, Sendable, FetchableRecord, PersistableRecord {
    /// The record's name.
    var id: String
    var text: String
    /// What the person sees: the text that the server has; nil before the first save.
    var shown: String?
    /// When the person wrote it, in milliseconds since 1970: of two texts the later one stays, whichever reaches the server last. No `Date`,
    /// of which a record keeps milliseconds and no more: what comes back would be earlier than what was sent.
    var written: Int64
    /// The record without its fields, as the server had it last; nil before the first save.
    var systemFields: Data?
    /// Whether the server does not have this text yet.
    var isDirty: Bool

    static let zone = CKRecordZone.ID(zoneName: "Box", ownerName: CKCurrentUserDefaultName)
    static let recordType = "Card"
    var recordID: CKRecord.ID { CKRecord.ID(recordName: id, zoneID: Self.zone) }

    /// The record to save.
    var record: CKRecord {
        let record = known ?? CKRecord(recordType: Self.recordType, recordID: recordID)
        record["text"] = text
        record["written"] = written
        return record
    }
    private var known: CKRecord? {
        guard let systemFields, let coder = try? NSKeyedUnarchiver(forReadingFrom: systemFields) else { return nil }
        coder.requiresSecureCoding = true
        return CKRecord(coder: coder)
    }
    /// Takes what the server has, unless a later text waits here.
    mutating func merge(_ record: CKRecord) {
        keep(record)
        guard let text = record["text"] as? String, let written = record["written"] as? Int64 else { return }
        shown = text
        guard !isDirty || written >= self.written else { return }
        (self.text, self.written, isDirty) = (text, written, false)
    }
    mutating func keep(_ record: CKRecord) {
        let coder = NSKeyedArchiver(requiringSecureCoding: true)
        record.encodeSystemFields(with: coder)
        systemFields = coder.encodedData
    }
}
