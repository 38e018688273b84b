import FleetModel
import Storage

/// Reads from one zone the records that a query may accept: by an index where one narrows them, and in the query's own
/// order where that lets it stop early. The caller decides about each record.
struct RecordSource {
    let reach: Reach
    let filter: RecordFilter
    let work: Work
    /// The narrowest way; nil: all records of the type.
    private var trail: FieldIndex.Trail?

    /// Entries of the index read at once.
    private static let chunk = 256
    /// From here on two ways count as equally wide.
    private static let countMax = 1000

    init(_ reach: Reach, _ filter: RecordFilter, _ catalogue: inout Catalogue, _ work: Work) throws {
        self.reach = reach
        self.filter = filter
        self.work = work
        guard work.usesFieldIndex else { return }
        let types = try catalogue.types(of: filter.recordType)
        let trails = FieldIndex.trails(filter) { types[$0] }
        guard trails.count > 1 else {
            trail = trails.first
            return
        }
        var fewest = Int.max
        for candidate in trails {
            let count = try FieldIndex.count(candidate, in: reach.zone.id, upTo: Self.countMax, work)
            if count < fewest { (fewest, trail) = (count, candidate) }
        }
    }

    private var zone: SQLValue { .int(reach.zone.id) }

    /// Hands over rows until `hasEnough`, which may only be said of a query with this one source. A record may come twice.
    /// Few rows are in memory at a time.
    ///
    /// After `take` has said so, no row that was not handed over stands before one that was, as far as the sort goes.
    /// - Parameter marker: rows up to here are not wanted; some may come.
    func read(
        _ order: RecordOrder, after marker: RecordOrder.Place?, _ take: (RecordRow) throws -> Void,
        hasEnough: () -> Bool
    )
        throws
    {
        var size = ChunkSize()
        if order.isByName {
            try readByName(after: marker?.name ?? "", &size, take, hasEnough)
        } else if let trail, let field = trail.numberField, let ascending = order.direction(ifFirst: field) {
            let start = marker?.keys.first?.double
            try readByNumber(trail.stretches[0], ascending, after: start, &size, take, hasEnough)
        } else if let trail {
            for stretch in trail.stretches { try read(stretch, &size, take) }
        } else {
            try readByName(after: "", &size, take) { false }
        }
    }

    // MARK: In the order of names

    private func readByName(
        after start: String, _ size: inout ChunkSize, _ take: (RecordRow) throws -> Void, _ hasEnough: () -> Bool
    ) throws {
        var name = start
        while let trail {
            let (names, last) = try self.names(of: trail, after: name)
            for name in names {
                guard let row = try RecordRow.find(name, in: reach.zone, work), !row.isDeleted else { continue }
                try take(row)
                if hasEnough() { return }
            }
            guard let last else { return }
            name = last
        }
        while true {
            let rows = try work.database.query(
                "SELECT \(RecordRow.columns) FROM record WHERE zone = ? AND name > ? AND deleted = 0 AND type = ? "
                    + "ORDER BY name LIMIT ?", zone, .text(name), .text(filter.recordType), .int(size.rows)
            ).map(RecordRow.init)
            for row in rows { try take(row) }
            guard rows.count == size.rows, let last = rows.last, !hasEnough() else { return }
            name = last.name
            size.learn(from: rows)
        }
    }
    /// The next names of a trail; `last` is nil when there are no more.
    private func names(of trail: FieldIndex.Trail, after name: String) throws -> (names: [String], last: String?) {
        // The first names of each stretch; those up to the least of the last ones are complete.
        var names: Set<String> = []
        var end: String?
        for stretch in trail.stretches {
            let part = try work.database.query(
                "SELECT name FROM fieldvalue WHERE zone = ? AND slot = ? AND value BETWEEN ? AND ? AND name > ? "
                    + "ORDER BY name LIMIT ?", zone, .int(stretch.slot), stretch.low, stretch.high, .text(name),
                .int(Self.chunk)
            ).map { $0.text(0) }
            names.formUnion(part)
            if part.count == Self.chunk, let last = part.last { end = min(end ?? last, last) }
        }
        return (names.filter { name in end.map { name <= $0 } ?? true }.sorted(), end)
    }

    // MARK: In the order of a number

    private func readByNumber(
        _ stretch: FieldIndex.Stretch, _ ascending: Bool, after start: Double?, _ size: inout ChunkSize,
        _ take: (RecordRow) throws -> Void, _ hasEnough: () -> Bool
    ) throws {
        var rest = stretch
        if let start, ascending { rest.low = .real(max(start, stretch.low.double)) }
        if let start, !ascending { rest.high = .real(min(start, stretch.high.double)) }
        while true {
            // A stretch ends where its last value ends: records of one value are never parted.
            let border = try work.database.query(
                "SELECT value FROM fieldvalue WHERE zone = ? AND slot = ? AND value BETWEEN ? AND ? "
                    + "ORDER BY value \(ascending ? "ASC" : "DESC") LIMIT 1 OFFSET ?", zone, .int(rest.slot), rest.low,
                rest.high, .int(Self.chunk)
            ).first.map { Self.number($0) }
            var part = rest
            if let border { if ascending { part.high = .real(border) } else { part.low = .real(border) } }
            try read(part, &size, take)
            guard let border, !hasEnough() else { return }
            if ascending { rest.low = .real(border.nextUp) } else { rest.high = .real(border.nextDown) }
        }
    }
    /// SQLite hands a whole real back as a real; a damaged one counts as 0.
    private static func number(_ row: Row) -> Double {
        if case .real(let number) = row.values.first { number } else { 0 }
    }

    private func read(
        _ stretch: FieldIndex.Stretch, _ size: inout ChunkSize, _ take: (RecordRow) throws -> Void
    ) throws {
        var (value, name) = (stretch.low, "")
        while true {
            let found = try work.database.query(
                "SELECT \(Self.columns), f.value FROM fieldvalue f CROSS JOIN record r ON r.zone = f.zone AND r.name = f.name "
                    + "WHERE f.zone = ? AND f.slot = ? AND (f.value, f.name) > (?, ?) AND f.value <= ? AND r.deleted = 0 "
                    + "ORDER BY f.value, f.name LIMIT ?", zone, .int(stretch.slot), value, .text(name), stretch.high,
                .int(size.rows))
            let rows = found.map(RecordRow.init)
            for row in rows { try take(row) }
            guard rows.count == size.rows, let last = rows.last, let entry = found.last?.values.last else { return }
            (value, name) = (entry, last.name)
            size.learn(from: rows)
        }
    }
    private static let columns = RecordRow.columns.split(separator: ", ").map { "r.\($0)" }.joined(separator: ", ")
}

extension SQLValue {
    fileprivate var double: Double { if case .real(let number) = self { number } else { 0 } }
}
