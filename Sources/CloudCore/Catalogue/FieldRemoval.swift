import FleetModel
import Storage

/// Takes a field of development away with all its values, so that it may come again with another type: an app cannot change
/// the type of a field, its developer can in the console (cloudkit-framework.md 15; S286).
///
/// Tags and places in feeds stay: nobody has edited the records (ASSUMED).
struct FieldRemoval {
    let container: String
    let type: String
    let field: String
    let work: Work

    /// - Throws: `NOT_FOUND` for a field that development does not have, `BAD_REQUEST` for one that production has: what was deployed stays.
    func perform() throws {
        guard try isKnown(in: "development") else {
            throw CloudError(.notFound, "'\(type)' has no field '\(field)' in development of '\(container)'")
        }
        guard try !isKnown(in: "production") else {
            throw CloudError.badRequest(
                "field '\(field)' of '\(type)' was deployed to production and stays; add another")
        }
        let space = Place(container: container, environment: "development").key
        for zone in try work.database.query(
            "SELECT id FROM zone WHERE space = ? AND deleted = 0 ORDER BY id", .text(space))
        {
            if let reach = try Reach(zone: zone.int(0), work) { try clear(reach) }
        }
        try work.database.execute(
            "DELETE FROM recordfield WHERE container = ? AND environment = 'development' AND record = ? AND name = ?",
            .text(container), .text(type), .text(field))
    }
    private func isKnown(in environment: String) throws -> Bool {
        try !work.database.query(
            "SELECT 1 FROM recordfield WHERE container = ? AND environment = ? AND record = ? AND name = ?",
            .text(container), .text(environment), .text(type), .text(field)
        ).isEmpty
    }

    /// All records of the type in one zone, few in memory at a time.
    private func clear(_ reach: Reach) throws {
        var (size, last) = (ChunkSize(), "")
        while true {
            let rows = try work.database.query(
                "SELECT \(RecordRow.columns) FROM record WHERE zone = ? AND name > ? AND deleted = 0 AND type = ? "
                    + "ORDER BY name LIMIT ?", .int(reach.zone.id), .text(last), .text(type), .int(size.rows)
            ).map(RecordRow.init)
            for row in rows { try clear(row, in: reach) }
            guard rows.count == size.rows, let end = rows.last else { return }
            last = end.name
            size.learn(from: rows)
        }
    }
    private func clear(_ row: RecordRow, in reach: Reach) throws {
        var (row, body) = (row, try row.body())
        let old = body["fields"]
        guard var fields = old?.object, fields[field] != nil else { return }
        fields[field] = nil
        body["fields"] = .object(fields)
        let before = row.json.count
        row.json = body.jsonBytes
        let held = row.tokens
        row.tokens = RecordFields.tokens(in: .object(fields)).tokens
        let owner = try work.owner(reach.space.owner).name
        work.noteReplaced(.record, of: owner, at: "\(reach.zone.name)/\(row.name)", old: held, by: row.tokens)
        let links = RecordLink.all(in: fields)
        if row.marks.contains(.links) { try RecordLink.replace(of: row.name, with: links, in: reach.zone.id, work) }
        if links.isEmpty { row.marks.remove(.links) }
        if row.marks.contains(.assets) { try Assets.use(fields, record: row.name, spending: [], in: reach, work) }
        if !fields.pairs.contains(where: { RecordFields.isAsset($0.value) }) { row.marks.remove(.assets) }
        try row.save(in: reach.zone, work)
        try FieldIndex.update(row.name, row.type, old: old, new: .object(fields), in: reach.zone.id, work)
        try work.use(bytes: Int64(row.json.count - before), in: reach.space)
    }
}
