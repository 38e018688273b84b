import FleetModel
import Storage

/// Asset values of fields (cloudkit-web-services.md 8.6) and the table of what was uploaded (7.3).
enum Assets {
    /// An upload URL, a receipt and a download URL are good for 15 minutes (cloudkit-web-services.md 7.3; of the last
    /// two ASSUMED).
    static let goodFor = Span.minutes(15)
    /// From the loss of the last reference to the collection. ASSUMED.
    static let collectedAfter = Span.seconds(5)

    struct Row {
        var id: Int64
        var checksum: String
        var reference: String
        var wrapping: String
        var size: Int64
        var isUsed: Bool

        static let columns = "id, checksum, reference, wrapping, size, used"
        init(_ row: Storage.Row) {
            id = row.int(0)
            checksum = row.text(1)
            reference = row.text(2)
            wrapping = row.text(3)
            size = row.int(4)
            isUsed = row.int(5) != 0
        }
        /// The asset dictionary; the last two keys in the private and shared databases only.
        func value(receipt: String?, in space: Space) -> Value {
            var value: Value = ["fileChecksum": .string(checksum), "size": .int(size)]
            value["receipt"] = receipt.map(Value.string)
            if !space.isPublic {
                value["referenceChecksum"] = .string(reference)
                value["wrappingKey"] = .string(wrapping)
            }
            return value
        }
    }

    static func find(_ checksum: String, in space: Space, _ work: Work) throws -> Row? {
        try work.database.query(
            "SELECT \(Row.columns) FROM asset WHERE checksum = ? AND owner = ? AND space = ?", .text(checksum),
            .int(space.owner), .text(space.key)
        ).first.map(Row.init)
    }

    static func find(_ id: Int64, _ work: Work) throws -> Row? {
        try work.database.query("SELECT \(Row.columns) FROM asset WHERE id = ?", .int(id)).first.map(Row.init)
    }

    // MARK: Saving

    /// Checks the assets in the fields of a request and gives them their stored form, without receipt and URL.
    ///
    /// - Parameter record: a record may send back, without a receipt, what it holds already.
    /// - Returns: bytes that the payer has not paid for yet, and the receipts that this save spends.
    /// - Throws: `BAD_REQUEST` for a receipt that is missing, expired or of another upload.
    static func claim(
        _ fields: inout Value.Object, record: String, in reach: Reach, _ caller: Caller, _ work: Work
    ) throws -> Claim {
        var result = Claim()
        for pair in fields.pairs where RecordFields.isAsset(pair.value) {
            let value = pair.value["value"] ?? .null
            func claim(_ asset: Value) throws -> Value {
                let row = try check(asset, field: pair.key, record: record, in: reach, caller, work)
                if !row.isUsed { result.growth += row.size }
                if let receipt = asset["receipt"]?.string { result.receipts.append(Secret.hidden(receipt)) }
                return row.value(receipt: nil, in: reach.space)
            }
            var field = pair.value
            field["value"] = try value.array.map { .array(try $0.map(claim)) } ?? claim(value)
            fields[pair.key] = field
        }
        return result
    }
    struct Claim {
        var growth: Int64 = 0
        var receipts: [String] = []
    }
    private static func check(
        _ asset: Value, field: String, record: String, in reach: Reach, _ caller: Caller, _ work: Work
    ) throws -> Row {
        let refusal = CloudError.badRequest(
            "field '\(field)': there is no such asset, or its receipt is missing or expired; upload the file again")
        guard let row = try find(asset.text("fileChecksum"), in: reach.space, work), asset["size"]?.int == row.size
        else {
            throw refusal
        }
        // Without the key the file could not be read by those who are to read it.
        guard reach.space.isPublic || asset["wrappingKey"]?.string.map({ Secret.isEqual($0, row.wrapping) }) == true
        else {
            throw CloudError.badRequest(
                "field '\(field)': 'wrappingKey' is missing or not that of the file; send what the upload has answered")
        }
        if let receipt = try asset.optionalText("receipt"), try isGood(receipt, for: row, caller, work) { return row }
        let used = try work.database.query(
            "SELECT 1 FROM assetuse WHERE zone = ? AND record = ? AND asset = ?", .int(reach.zone.id), .text(record),
            .int(row.id))
        guard !used.isEmpty else { throw refusal }
        return row
    }

    /// Notes which assets a saved record holds; what it held before and holds no more may be collected.
    static func use(
        _ fields: Value.Object, record: String, spending receipts: [String], in reach: Reach, _ work: Work
    ) throws {
        // A receipt is for one save: it does not keep the asset alive any longer.
        for receipt in receipts { try work.database.execute("DELETE FROM receipt WHERE hash = ?", .text(receipt)) }
        var held: [Int64] = []
        for pair in fields.pairs where RecordFields.isAsset(pair.value) {
            let value = pair.value["value"] ?? .null
            for asset in value.array ?? [value] {
                guard let row = try find(asset.text("fileChecksum"), in: reach.space, work) else { continue }
                held.append(row.id)
                if !row.isUsed { try work.use(bytes: row.size, in: reach.space) }
                try work.database.execute("UPDATE asset SET used = 1 WHERE id = ?", .int(row.id))
            }
        }
        try release(record: record, in: reach.zone, keeping: held, work)
        for asset in held {
            try work.database.execute(
                "INSERT INTO assetuse(zone, record, asset) VALUES(?, ?, ?) ON CONFLICT DO NOTHING", .int(reach.zone.id),
                .text(record), .int(asset))
        }
    }
    static func release(record: String, in zone: Zone, keeping held: [Int64] = [], _ work: Work) throws {
        let rows = try work.database.query(
            "SELECT asset FROM assetuse WHERE zone = ? AND record = ? ORDER BY asset", .int(zone.id), .text(record))
        for row in rows where !held.contains(row.int(0)) {
            try work.database.execute(
                "DELETE FROM assetuse WHERE zone = ? AND record = ? AND asset = ?", .int(zone.id), .text(record),
                .int(row.int(0)))
            try Chores.add(.collect, ["asset": .int(row.int(0))], after: collectedAfter, work)
        }
    }

    // MARK: Receipts

    /// A receipt with which `caller` may put the asset into a record.
    /// - Returns: beside it the number from which it can be made again.
    static func issueReceipt(_ asset: Int64, to caller: Caller, _ work: Work) throws -> (receipt: String, drawn: Int64)
    {
        let (receipt, drawn) = try work.newRepeatable(caller.account, receiptKind)
        try work.database.execute(
            "INSERT INTO receipt(hash, asset, account, expiry) VALUES(?, ?, ?, ?)", .text(Secret.hidden(receipt)),
            .int(asset), .int(caller.account), .int((work.now + goodFor).nanoseconds))
        try Chores.add(.collect, ["asset": .int(asset)], after: goodFor + .seconds(1), work)
        return (receipt, drawn)
    }
    private static let receiptKind = "receipt"
    static func receipt(_ drawn: Int64, of caller: Caller, _ work: Work) throws -> String {
        try work.token(caller.account, receiptKind, drawn: drawn)
    }
    /// Takes back a receipt, and the file with it when nothing else holds it.
    static func withdraw(_ asset: Int64, _ receipt: String, _ work: Work) throws {
        try work.database.execute("DELETE FROM receipt WHERE hash = ?", .text(Secret.hidden(receipt)))
        try collect(asset, work)
    }
    private static func isGood(_ receipt: String, for row: Row, _ caller: Caller, _ work: Work) throws -> Bool {
        try !work.database.query(
            "SELECT 1 FROM receipt WHERE hash = ? AND asset = ? AND account = ? AND expiry > ?",
            .text(Secret.hidden(receipt)), .int(row.id), .int(caller.account), .int(work.now.nanoseconds)
        ).isEmpty
    }

    // MARK: Collection

    /// Removes an asset that no record holds and no receipt can bring back (cloudkit-web-services.md 7.3).
    static func collect(_ id: Int64, _ work: Work) throws {
        try work.database.execute(
            "DELETE FROM receipt WHERE asset = ? AND expiry <= ?", .int(id), .int(work.now.nanoseconds))
        let rows = try work.database.query(
            "SELECT owner, space, size, used FROM asset WHERE id = ? AND NOT EXISTS (SELECT 1 FROM assetuse WHERE asset = ?) "
                + "AND NOT EXISTS (SELECT 1 FROM receipt WHERE asset = ?)", .int(id), .int(id), .int(id))
        guard let row = rows.first else { return }
        try work.database.execute("DELETE FROM asset WHERE id = ?", .int(id))
        guard row.int(3) != 0, let place = Place(key: row.text(1)) else { return }
        let owner = row.int(0)
        let space = Space(place: place, scope: owner == Owner.publicID ? .everyone : .own, owner: owner)
        try work.use(bytes: -row.int(2), in: space)
    }
}
