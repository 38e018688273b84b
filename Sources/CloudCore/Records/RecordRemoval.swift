import FleetModel
import Storage

/// Takes a record away with all that hangs on it: its own references, its assets, and the share that it is or carries.
/// Sources that go with it are the caller's to take.
enum RecordRemoval {
    @discardableResult
    static func perform(_ row: RecordRow, in reach: Reach, by person: Person, _ work: Work) throws -> WrittenRecord {
        let body = try row.body()
        let sequence = try work.nextSequence(reach.space.owner)
        // A tombstone, so that readers of changes learn of it; those who took part in its share too.
        try RecordRow(
            name: row.name, sequence: sequence, isDeleted: true, type: row.type, tag: "", creator: row.creator,
            tokens: [],
            json: [], share: row.share
        ).save(in: reach.zone, work)
        try work.use(bytes: -Int64(row.json.count), in: reach.space)
        try FieldIndex.update(row.name, row.type, old: body["fields"], new: nil, in: reach.zone.id, work)
        if row.marks.contains(.links) { try RecordLink.replace(of: row.name, with: [], in: reach.zone.id, work) }
        if row.marks.contains(.assets) { try Assets.release(record: row.name, in: reach.zone, work) }
        work.noteReplaced(.record, of: person, at: "\(reach.zone.name)/\(row.name)", old: row.tokens, by: [])
        if row.type == ShareRecord.type {
            try ShareCover.end(row.name, in: reach, work)
        } else if let share = body["share"]?["recordName"]?.string,
            let carried = try RecordRow.find(share, in: reach.zone, work), !carried.isDeleted
        {
            // The root's deletion deletes the share (cloudkit-framework.md 16).
            try perform(carried, in: reach, by: person, work)
        }
        return WrittenRecord(
            name: row.name, type: row.type, creator: row.creator, reason: .deleted, body: body, sequence: sequence,
            shares: [row.share])
    }
}
