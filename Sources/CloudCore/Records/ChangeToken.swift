import FleetModel

/// A change token: a position in the changes of one zone or one database.
///
/// Opaque to clients. It says of what kind it is and whose, so that a token from elsewhere is refused and never skips
/// changes; it holds nothing but the disk's own sequence, so that it outlives a restart.
struct ChangeToken: Hashable {
    enum Kind: UInt8 { case zone = 1, database, reverse }

    var kind: Kind
    /// Digest of the account, database and zone that it belongs to.
    var subject: UInt64
    /// Everything up to this sequence is known.
    var sequence: Int64
    /// Tokens of an older epoch are expired.
    var epoch: Int64
    /// Of a fetch that runs backwards (`ReverseWalk`).
    var until: Int64 = 0
    var top: Int64 = 0

    func text(_ work: Work) -> String {
        var writer = ByteWriter(reserving: 32)
        writer.byte(kind.rawValue)
        writer.fixed64(subject)
        writer.signed(sequence)
        writer.signed(epoch)
        if kind == .reverse {
            writer.signed(until)
            writer.signed(top)
        }
        return Base64.encode(writer.bytes + Self.seal(writer.bytes, work.policy))
    }

    /// - Throws: `BAD_REQUEST` for what was never given out.
    init(_ text: String, _ work: Work) throws(CloudError) {
        let forged = CloudError.badRequest("'syncToken' was not given out by this service; fetch again without it")
        guard let bytes = Base64.decode(text), bytes.count > Self.sealBytes else { throw forged }
        let body = Array(bytes.dropLast(Self.sealBytes))
        guard Array(bytes.suffix(Self.sealBytes)) == Self.seal(body, work.policy) else {
            // From before seals had this length: whoever comes with one fetches anew.
            guard (try? ChangeToken(body: Array(bytes.dropLast(4)))) != nil else { throw forged }
            throw CloudError(.changeTokenExpired, "'syncToken' is of an older version; fetch again without it")
        }
        do { self = try ChangeToken(body: body) } catch { throw forged }
    }
    private init(body: [UInt8]) throws(DecodingFailure) {
        var reader = ByteReader(body)
        guard let kind = Kind(rawValue: try reader.byte()) else { throw DecodingFailure("kind", at: 0) }
        self.kind = kind
        subject = try reader.fixed64()
        sequence = try reader.signed()
        epoch = try reader.signed()
        if kind == .reverse {
            until = try reader.signed()
            top = try reader.signed()
        }
        guard reader.isAtEnd else { throw DecodingFailure("bytes after a token", at: reader.offset) }
    }
    init(kind: Kind, subject: UInt64, sequence: Int64, epoch: Int64) {
        self.kind = kind
        self.subject = subject
        self.sequence = sequence
        self.epoch = epoch
    }

    private static let sealBytes = 8
    private static func seal(_ bytes: [UInt8], _ policy: CloudPolicy) -> [UInt8] {
        Array(Secret.seal("change token \(Hex.text(bytes))", key: policy.secret).prefix(sealBytes))
    }
    /// What a token belongs to, as it stands in it: names of people are not to be guessed from it.
    static func subject(_ parts: String..., in work: Work) -> UInt64 {
        work.seals.seal("subject \(parts.joined(separator: "\n"))").prefix(8)
            .reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Reads what a client sent and checks that it belongs here; nil stands for the beginning.
    /// - Throws: `BAD_REQUEST` for a token of another kind or place, `CHANGE_TOKEN_EXPIRED` for one that is too old.
    static func position(
        _ text: String?, _ kind: Kind, subject: UInt64, epoch: Int64, _ work: Work
    ) throws(CloudError) -> Int64 {
        guard let text else { return 0 }
        return try checked(text, kind, subject: subject, epoch: epoch, work).sequence
    }
    static func checked(
        _ text: String, _ kind: Kind, subject: UInt64, epoch: Int64, _ work: Work
    ) throws(CloudError) -> ChangeToken {
        let token = try ChangeToken(text, work)
        guard token.kind == kind else {
            throw .badRequest("'syncToken' is of the other kind: zone and database tokens are not interchangeable")
        }
        guard token.subject == subject else {
            throw CloudError(
                .changeTokenExpired, "'syncToken' belongs to another zone or to one that was deleted; fetch without it")
        }
        guard token.epoch == epoch else {
            throw CloudError(.changeTokenExpired, "'syncToken' is too old; fetch again without it")
        }
        return token
    }
}

/// Tokens of one zone in one life: after a deletion the same name is another zone.
enum ZoneToken {
    private static func subject(_ reach: Reach, _ owner: Owner, _ work: Work) -> UInt64 {
        let (zone, space) = (reach.zone, reach.space)
        // Who takes part sees other records than the owner: their tokens are not interchangeable.
        let shares = (reach.grant.shares ?? []).map(\.name).joined(separator: "\n")
        return ChangeToken.subject(
            space.isShared ? "shared \(shares)" : "zone", "\(zone.born)", owner.name, space.key, zone.name, in: work)
    }
    static func text(_ reach: Reach, at sequence: Int64, _ work: Work) throws -> String {
        let owner = try work.owner(reach.space.owner)
        return ChangeToken(
            kind: .zone, subject: subject(reach, owner, work), sequence: sequence, epoch: owner.tokenEpoch
        )
        .text(work)
    }
    static func position(_ text: String?, of reach: Reach, _ work: Work) throws -> Int64 {
        let owner = try work.owner(reach.space.owner)
        return try ChangeToken.position(
            text, .zone, subject: subject(reach, owner, work), epoch: owner.tokenEpoch, work)
    }

    /// Tokens inside a fetch that runs backwards; nil for what is none.
    static func text(_ walk: ReverseWalk, of reach: Reach, _ work: Work) throws -> String {
        let owner = try work.owner(reach.space.owner)
        var token = ChangeToken(
            kind: .reverse, subject: subject(reach, owner, work), sequence: walk.floor, epoch: owner.tokenEpoch)
        (token.until, token.top) = (walk.until, walk.top)
        return token.text(work)
    }
    static func walk(_ text: String?, of reach: Reach, _ work: Work) throws -> ReverseWalk? {
        guard let text, try ChangeToken(text, work).kind == .reverse else { return nil }
        let owner = try work.owner(reach.space.owner)
        let token = try ChangeToken.checked(
            text, .reverse, subject: subject(reach, owner, work), epoch: owner.tokenEpoch, work)
        return ReverseWalk(floor: token.sequence, until: token.until, top: token.top)
    }
}

/// A fetch that runs from the newest change to the oldest: what lies above `floor` and below `until` is still to come,
/// and what came after `top` is for the fetch after this one.
struct ReverseWalk: Hashable {
    var floor: Int64
    var until: Int64
    var top: Int64
}

/// Tokens of one database. Those of a shared database count the reader's own sequence: its zones have many owners.
enum DatabaseToken {
    private static func subject(_ space: Space, _ owner: Owner, _ work: Work) -> UInt64 {
        ChangeToken.subject(space.isShared ? "shared database" : "database", owner.name, space.key, in: work)
    }
    static func text(at sequence: Int64, in space: Space, _ caller: Caller, _ work: Work) throws -> String {
        let owner = try work.owner(caller.account)
        return ChangeToken(
            kind: .database, subject: subject(space, owner, work), sequence: sequence, epoch: owner.tokenEpoch
        )
        .text(work)
    }
    static func position(_ text: String?, in space: Space, _ caller: Caller, _ work: Work) throws -> Int64 {
        let owner = try work.owner(caller.account)
        return try ChangeToken.position(
            text, .database, subject: subject(space, owner, work), epoch: owner.tokenEpoch, work)
    }
}
