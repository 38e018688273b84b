import FleetModel
import Storage

/// The work of one transaction: the database, the owners' books, and what the present request leads to.
///
/// Books are read once a transaction and written back before the commit.
final class Work {
    let database: Database
    let seed: UInt64
    let now: Instant
    /// What the machine's clock says: `now` but where that clock was set back (`Cloud.apply`).
    let clock: Instant
    let policy: CloudPolicy
    /// It outlives its work.
    private unowned let cloud: Cloud
    var seals: Seals { cloud.seals }
    /// Whether values of fields are kept beside the records (`FieldIndex`).
    var usesFieldIndex: Bool { cloud.usesFieldIndex }
    var disorder: Disorder { cloud.disorder }
    var schemaWatch: SchemaWatch { cloud.schemaWatch }
    private var owners: [Int64: Owner] = [:]
    private var changed: [Int64] = []
    /// Of the present request.
    private(set) var pushes: [CloudReply.Push] = []
    private(set) var notes: [Note] = []
    /// Who sends the present request; nobody where the service itself acts.
    var caller = Caller.nobody
    /// Rolling digest of all that was drawn.
    private(set) var entropy: UInt64

    /// Couriers with something new to deliver, of the present request.
    private(set) var rung: [String] = []
    /// Whether something was put off to a later moment.
    var hasNewChore = false

    init(cloud: Cloud, now: Instant, clock: Instant? = nil, entropy: UInt64) {
        self.clock = clock ?? now
        database = cloud.database
        seed = cloud.seed
        policy = cloud.policy
        self.cloud = cloud
        self.now = now
        self.entropy = entropy
    }

    /// Virtual time as people read it, nanoseconds since 1970.
    var wallNanoseconds: Int64 { Instant.epochNanoseconds &+ now.nanoseconds }
    /// Seconds since 1970 by which the dates of others are judged.
    var clockSeconds: Int64 { (Instant.epochNanoseconds &+ clock.nanoseconds) / 1_000_000_000 }
    /// Milliseconds since 1970, as record timestamps have it (cloudkit-web-services.md 8.4).
    var timestamp: Int64 { wallNanoseconds / 1_000_000 }

    /// `created` and `modified` of a record that is saved now (cloudkit-web-services.md 8.4).
    func stamp(by caller: Caller, in space: Space) -> Value {
        [
            "deviceID": .string(caller.device), "timestamp": .int(timestamp),
            "userRecordName": .string(UsersCaller.recordName(of: caller.name, in: space, self)),
        ]
    }

    // MARK: One request

    /// Starts a request; the returned point undoes its books when it fails.
    func begin() -> [Int64: Owner] {
        pushes.removeAll(keepingCapacity: true)
        notes.removeAll(keepingCapacity: true)
        rung.removeAll(keepingCapacity: true)
        caller = .nobody
        return owners
    }
    /// The books as they stand: a point to undo to.
    var books: [Int64: Owner] { owners }
    func undo(to books: [Int64: Owner]) { owners = books }

    func note(_ note: Note) { notes.append(note) }
    func ring(_ courier: String) { if !rung.contains(courier) { rung.append(courier) } }
    func push(_ message: Message, to device: String) {
        if let pad = ParticipantID(device) { pushes.append(CloudReply.Push(device: pad, message: message)) }
    }

    // MARK: Books

    func owner(_ id: Int64) throws -> Owner {
        if let owner = owners[id] { return owner }
        let row = try database.query("SELECT \(Owner.columns) FROM owner WHERE id = ?", .int(id)).first
        guard let owner = Owner(row) else { throw CloudError(.internalError, "the account row \(id) is gone") }
        owners[id] = owner
        return owner
    }
    private func update<T>(_ id: Int64, _ change: (inout Owner) -> T) throws -> T {
        var owner = try owner(id)
        let result = change(&owner)
        owners[id] = owner
        if !changed.contains(id) { changed.append(id) }
        return result
    }
    func nextSequence(_ id: Int64) throws -> Int64 {
        try update(id) { owner in
            owner.sequence += 1
            return owner.sequence
        }
    }
    /// Checked by `Owner.checkQuota` before.
    func use(bytes: Int64, of id: Int64) throws { if bytes != 0 { try update(id) { $0.usedBytes += bytes } } }
    func expireTokens(of id: Int64) throws { try update(id) { $0.tokenEpoch += 1 } }
    func setQuota(_ bytes: Int64, of id: Int64) throws { try update(id) { $0.quotaBytes = bytes } }

    func saveBooks() throws {
        for id in changed { try owner(id).save(in: database) }
    }

    // MARK: Secrecy

    /// What a server's disk must not show, in the form in which it lies there (`CloudPolicy.seals`).
    func enclose(_ bytes: [UInt8], place: String) throws -> [UInt8] {
        policy.seals ? try Secret.enclose(bytes, place: place, key: policy.secret) : bytes
    }
    func disclose(_ bytes: [UInt8], place: String) throws -> [UInt8] {
        do { return try Secret.disclose(bytes, place: place, key: policy.secret) } catch {
            throw CloudError(
                .internalError, "what lies in '\(place)' cannot be decrypted: the secret is another, or it was altered")
        }
    }

    // MARK: Names

    /// The next random number of an owner, new in each call and after each restart.
    private func draw(_ id: Int64, _ kind: String) throws -> Draw {
        let owner = try update(id) { owner in
            owner.drawn += 1
            return owner
        }
        let luck = luck(owner.name, kind, drawn: owner.drawn)
        entropy = StableHash.mix(entropy ^ luck)
        return Draw(seed: luck)
    }
    private func luck(_ name: Person, _ kind: String, drawn: Int64) -> UInt64 {
        var hash = StableHash(seed)
        hash.add(kind)
        hash.add(name)
        hash.add(UInt64(bitPattern: drawn))
        return hash.value
    }
    /// A change tag: short opaque text, new at each save (cloudkit-web-services.md 11).
    func newTag(_ owner: Int64) throws -> String {
        var draw = try draw(owner, "tag")
        return String(draw.next() >> 12, radix: 36)
    }
    func newUUID(_ owner: Int64) throws -> String {
        var draw = try draw(owner, "uuid")
        return Self.uuid(Hex.text(draw.next()) + Hex.text(draw.next()))
    }
    /// A secret of 32 hex digits that nobody without the service's own key can guess; kinds are independent of each other.
    func newToken(_ owner: Int64, _ kind: String) throws -> String { try newRepeatable(owner, kind).token }
    /// A secret with the number from which it can be made again: tables keep the number and the digest.
    func newRepeatable(_ owner: Int64, _ kind: String) throws -> (token: String, drawn: Int64) {
        _ = try draw(owner, kind)
        let drawn = try self.owner(owner).drawn
        return (try token(owner, kind, drawn: drawn), drawn)
    }
    /// The secret that was given out with a number.
    func token(_ owner: Int64, _ kind: String, drawn: Int64) throws -> String {
        let name = try self.owner(owner).name
        var draw = Draw(seed: luck(name, kind, drawn: drawn))
        return Hex.text(Secret.seal("\(kind) \(drawn) \(draw.next()) \(name)", key: policy.secret).prefix(16))
    }

    /// A UUID that stands for what happened, and from which nothing else can be computed.
    static func uuid(sealing text: String, _ policy: CloudPolicy) -> String {
        uuid(Hex.text(Secret.seal(text, key: policy.secret).prefix(16)))
    }
    private static func uuid(_ digits: String) -> String {
        let digits = digits.uppercased()
        var text = ""
        for (index, digit) in digits.enumerated() {
            if index == 8 || index == 12 || index == 16 || index == 20 { text.append("-") }
            text.append(digit)
        }
        return text
    }
}
