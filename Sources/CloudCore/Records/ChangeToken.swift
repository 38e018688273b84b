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

    func text(seed: UInt64) -> String {
        var writer = ByteWriter(reserving: 32)
        writer.byte(kind.rawValue)
        writer.fixed64(subject)
        writer.signed(sequence)
        writer.signed(epoch)
        if kind == .reverse {
            writer.signed(until)
            writer.signed(top)
        }
        return Base64.encode(writer.bytes + Self.seal(writer.bytes, seed))
    }

    /// - Throws: `BAD_REQUEST` for what was never given out.
    init(_ text: String, seed: UInt64) throws(CloudError) {
        let forged = CloudError.badRequest("'syncToken' was not given out by this service; fetch again without it")
        guard let bytes = Base64.decode(text), bytes.count > 4 else { throw forged }
        let body = Array(bytes.dropLast(4))
        guard Array(bytes.suffix(4)) == Self.seal(body, seed) else { throw forged }
        do {
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
        } catch { throw forged }
    }
    init(kind: Kind, subject: UInt64, sequence: Int64, epoch: Int64) {
        self.kind = kind
        self.subject = subject
        self.sequence = sequence
        self.epoch = epoch
    }

    private static func seal(_ bytes: [UInt8], _ seed: UInt64) -> [UInt8] {
        var hash = StableHash(seed)
        hash.add(bytes)
        return (0..<4).map { UInt8(truncatingIfNeeded: hash.value >> (8 * UInt64($0))) }
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
        let token = try ChangeToken(text, seed: work.seed)
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
    private static func subject(_ reach: Reach, _ owner: Owner) -> UInt64 {
        let (zone, space) = (reach.zone, reach.space)
        // Who takes part sees other records than the owner: their tokens are not interchangeable.
        let shares = (reach.grant.shares ?? []).map(\.name).joined(separator: "\n")
        return StableHash.of(
            UInt64(bitPattern: zone.born), space.isShared ? "shared \(shares)" : "zone", owner.name, space.key,
            zone.name)
    }
    static func text(_ reach: Reach, at sequence: Int64, _ work: Work) throws -> String {
        let owner = try work.owner(reach.space.owner)
        return ChangeToken(
            kind: .zone, subject: subject(reach, owner), sequence: sequence, epoch: owner.tokenEpoch
        )
        .text(seed: work.seed)
    }
    static func position(_ text: String?, of reach: Reach, _ work: Work) throws -> Int64 {
        let owner = try work.owner(reach.space.owner)
        return try ChangeToken.position(text, .zone, subject: subject(reach, owner), epoch: owner.tokenEpoch, work)
    }

    /// Tokens inside a fetch that runs backwards; nil for what is none.
    static func text(_ walk: ReverseWalk, of reach: Reach, _ work: Work) throws -> String {
        let owner = try work.owner(reach.space.owner)
        var token = ChangeToken(
            kind: .reverse, subject: subject(reach, owner), sequence: walk.floor, epoch: owner.tokenEpoch)
        (token.until, token.top) = (walk.until, walk.top)
        return token.text(seed: work.seed)
    }
    static func walk(_ text: String?, of reach: Reach, _ work: Work) throws -> ReverseWalk? {
        guard let text, try ChangeToken(text, seed: work.seed).kind == .reverse else { return nil }
        let owner = try work.owner(reach.space.owner)
        let token = try ChangeToken.checked(
            text, .reverse, subject: subject(reach, owner), epoch: owner.tokenEpoch, work)
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
    private static func subject(_ space: Space, _ owner: Owner) -> UInt64 {
        StableHash.of(0, space.isShared ? "shared database" : "database", owner.name, space.key)
    }
    static func text(at sequence: Int64, in space: Space, _ caller: Caller, _ work: Work) throws -> String {
        let owner = try work.owner(caller.account)
        return ChangeToken(kind: .database, subject: subject(space, owner), sequence: sequence, epoch: owner.tokenEpoch)
            .text(seed: work.seed)
    }
    static func position(_ text: String?, in space: Space, _ caller: Caller, _ work: Work) throws -> Int64 {
        let owner = try work.owner(caller.account)
        return try ChangeToken.position(text, .database, subject: subject(space, owner), epoch: owner.tokenEpoch, work)
    }
}
