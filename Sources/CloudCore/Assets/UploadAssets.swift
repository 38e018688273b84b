import FleetModel
import Storage

/// `assets/upload`: URLs to post files to (cloudkit-web-services.md 7.3, step 1).
enum UploadAssets {
    /// cloudkit-web-services.md 10.
    static let tokensMax = 200

    static func handle(_ call: Call, _ work: Work) throws -> Answer {
        let space = try Space(call)
        try call.requireWriter("uploading")
        let body = try call.json()
        let tokens = try body.list("tokens")
        guard !tokens.isEmpty, tokens.count <= tokensMax else {
            throw CloudError.badRequest("'tokens' must ask for 1 to \(tokensMax) URLs")
        }
        let reach = try Reach(body["zoneID"], space, call.caller, work)
        guard reach.grant.shares?.contains(where: \.canWrite) ?? true else {
            throw CloudError(.accessDenied, "the share in zone '\(reach.zone.name)' may be read only")
        }
        try work.database.execute("DELETE FROM assetslot WHERE expiry <= ?", .int(work.now.nanoseconds))
        return Answer(json: ["tokens": .array(try tokens.map { try slot($0, in: reach, call, work) })])
    }

    private static func slot(_ token: Value, in reach: Reach, _ call: Call, _ work: Work) throws -> Value {
        let field = try token.text("fieldName")
        guard RecordFields.isName(field) else { throw CloudError.badRequest("'\(field)' is no field name") }
        guard try token.optionalText("recordType")?.isEmpty != true else {
            throw CloudError.badRequest("'recordType' must not be empty")
        }
        let name = try token.optionalText("recordName") ?? work.newUUID(call.caller.account)
        try RecordChange.checkName(name)
        let secret = try work.newToken(call.caller.account, "upload")
        try work.database.execute(
            "INSERT INTO assetslot(hash, owner, space, scope, account, expiry) VALUES(?, ?, ?, ?, ?, ?)",
            .text(Secret.hidden(secret)), .int(reach.space.owner), .text(reach.space.key),
            .int(reach.space.scope.rawValue), .int(call.caller.account), .int((work.now + Assets.goodFor).nanoseconds))
        return [
            "fieldName": .string(field), "recordName": .string(name),
            "url": .string("\(work.policy.origin)/assets/v1/upload/\(secret)"),
        ]
    }
}

/// `POST /assets/v1/upload/{token}` with the bytes of one file (step 2), as they are or in a form (`FormData`). The same bytes again
/// get the same answer, others take the place of what came before: one URL brings one file.
enum ReceiveAsset {
    static func handle(_ call: Call, _ work: Work) throws -> Answer {
        let hash = SQLValue.text(Secret.hidden(call.target.path[3]))
        let rows = try work.database.query(
            "SELECT owner, space, scope, account, asset, receipt, digest FROM assetslot WHERE hash = ? AND expiry > ?",
            hash, .int(work.now.nanoseconds))
        guard let row = rows.first, let place = Place(key: row.text(1)), let scope = Space.Scope(rawValue: row.int(2))
        else {
            throw CloudError(.notFound, "this upload URL is unknown or expired; ask assets/upload for another")
        }
        let file = try FormData.file(in: call.http.body, contentType: call.http.headers["Content-Type"])
        let bytesMax = work.policy.settings.assetBytesMax
        guard file.count <= bytesMax else {
            throw CloudError.badRequest("the file has \(file.count) bytes; \(bytesMax) are the limit")
        }
        let digest = Hex.text(Secret.digest(file))
        let space = Space(place: place, scope: scope, owner: row.int(0))
        var caller = Caller.nobody
        caller.account = row.int(3)
        let known = try Assets.find(row.int(4), work)
        // The table has the number from which the receipt is made, never the receipt.
        let receipt = try known.map { _ in try Assets.receipt(row.int(5), of: caller, work) }
        if let known, row.text(6) == digest { return answer(known, receipt, in: space) }
        if let known, let receipt { try Assets.withdraw(known.id, receipt, work) }
        try work.checkQuota(Int64(file.count), in: space)
        let asset = try insert(file, in: space, caller, work)
        let (next, drawn) = try Assets.issueReceipt(asset.id, to: caller, work)
        try work.database.execute(
            "UPDATE assetslot SET asset = ?, receipt = ?, digest = ? WHERE hash = ?", .int(asset.id), .int(drawn),
            .text(digest), hash)
        return answer(asset, next, in: space)
    }
    private static func answer(_ asset: Assets.Row, _ receipt: String?, in space: Space) -> Answer {
        Answer(json: ["singleFile": asset.value(receipt: receipt, in: space)])
    }

    /// `fileChecksum` is a token of the service's own, no digest of the bytes (cloudkit-web-services.md 7.3). Who uploads pays
    /// at once, also for what no record holds yet.
    private static func insert(_ bytes: [UInt8], in space: Space, _ caller: Caller, _ work: Work) throws -> Assets.Row {
        let checksum = try work.newToken(caller.account, "asset")
        let reference = try work.newToken(caller.account, "asset reference")
        let wrapping = try work.newToken(caller.account, "wrapping key")
        try work.database.execute(
            "INSERT INTO asset(owner, space, checksum, reference, wrapping, size, used, content) VALUES(?, ?, ?, ?, ?, ?, 1, ?)",
            .int(space.owner), .text(space.key), .text(checksum), .text(reference), .text(wrapping), .int(bytes.count),
            .blob(bytes))
        try work.use(bytes: Int64(bytes.count), in: space)
        guard let row = try Assets.find(checksum, in: space, work) else {
            throw CloudError(.internalError, "the file was stored and is not there")
        }
        return row
    }
}

/// `assets/rereference`: asset dictionaries with which other records may hold the same files.
enum RereferenceAssets {
    static func handle(_ call: Call, _ work: Work) throws -> Answer {
        let space = try Space(call)
        try call.requireWriter("rereferencing")
        let body = try call.json()
        let wanted = try body.list("assets")
        guard wanted.count <= UploadAssets.tokensMax else {
            throw CloudError.badRequest("\(wanted.count) assets are more than \(UploadAssets.tokensMax)")
        }
        let reach = try Reach(body["zoneID"], space, call.caller, work)
        return Answer(json: ["assets": .array(try wanted.map { try asset($0, in: reach, call, work) })])
    }

    private static func asset(_ wanted: Value, in reach: Reach, _ call: Call, _ work: Work) throws -> Value {
        let (name, field) = (try wanted.text("recordName"), try wanted.text("fieldName"))
        do {
            guard let row = try reach.find(name, work), !row.isDeleted,
                let value = try row.body()["fields"]?[field], RecordFields.isAsset(value),
                let checksum = value["value"]?["fileChecksum"]?.string,
                let asset = try Assets.find(checksum, in: reach.space, work)
            else { throw CloudError(.notFound, "record '\(name)' holds no asset in '\(field)'") }
            let (receipt, _) = try Assets.issueReceipt(asset.id, to: call.caller, work)
            return asset.value(receipt: receipt, in: reach.space)
        } catch let problem as CloudError {
            return problem.naming("recordName", .string(name)).naming("fieldName", .string(field))
                .body(uuid: ModifyRecords.uuid(name, work))
        }
    }
}

/// `GET /assets/v1/download/{checksum}/{expiry}/{seal}/{name}`: the bytes, or with `Range` a part (`ByteRange`). The URL is the
/// permission; it lives for minutes.
enum DownloadAsset {
    static func handle(_ call: Call, _ work: Work) throws -> Answer {
        let (checksum, expiry) = (call.target.path[3], call.target.path[4])
        let refusal = CloudError(.notFound, "this download URL is unknown or expired; read the record again")
        guard let seconds = Int64(expiry), Secret.isEqual(seal(checksum, expiry, work), call.target.path[5]),
            seconds > work.wallNanoseconds / 1_000_000_000,
            let row = try work.database.query("SELECT content FROM asset WHERE checksum = ?", .text(checksum)).first
        else { throw refusal }
        // The service's own token of a file stands for one content for ever.
        return ByteRange.answer(row.blob(0), tag: "\"\(checksum)\"", call.http.headers)
    }

    /// `${f}` stands for a file name of the caller's choice (cloudkit-web-services.md 7.3).
    static func url(_ checksum: String, _ work: Work) -> String {
        let expiry = String(work.wallNanoseconds / 1_000_000_000 + Assets.goodFor.nanoseconds / 1_000_000_000)
        return "\(work.policy.origin)/assets/v1/download/\(checksum)/\(expiry)/\(seal(checksum, expiry, work))/${f}"
    }
    private static func seal(_ checksum: String, _ expiry: String, _ work: Work) -> String {
        Hex.text(Secret.seal("download \(checksum) \(expiry)", key: work.policy.secret).prefix(16))
    }
}
