import FleetModel
import Storage

/// What is known of a person beside the account's name (cloudkit-web-services.md 8.12). Nobody is found by others before
/// he has opted in.
struct Profile: Hashable {
    var account: Int64
    var name: Person
    var email: String
    var phone: String?
    var given: String
    var family: String
    var isDiscoverable: Bool
    /// E-mail addresses in the address book.
    var contacts: [String]

    /// `NAME@example.com` until another is given (ASSUMED): a school's accounts have one.
    static func defaultEmail(_ name: Person) -> String { name.contains("@") ? name : "\(name)@example.com" }

    /// The identity dictionary; only the name in this container, unless the person may be shown.
    func identity(in space: Space, lookup: Value? = nil, showsName: Bool, _ work: Work) -> Value {
        var body: Value = ["userRecordName": .string(UsersCaller.recordName(of: name, in: space, work))]
        if showsName, !(given.isEmpty && family.isEmpty) {
            body["nameComponents"] = ["familyName": .string(family), "givenName": .string(given)]
        }
        body["lookupInfo"] = lookup
        return body
    }
    /// The older user dictionary.
    func user(in space: Space, email shown: String? = nil, showsName: Bool, _ work: Work) -> Value {
        var body: Value = ["userRecordName": .string(UsersCaller.recordName(of: name, in: space, work))]
        if showsName {
            body["firstName"] = .string(given)
            body["lastName"] = .string(family)
        }
        body["emailAddress"] = shown.map(Value.string)
        return body
    }
}

/// Finds people.
enum People {
    /// The account of a name, made when it is not there: only where any name is good (`CloudPolicy.isDevelopment`).
    static func named(_ name: String, _ work: Work) throws -> (account: Int64, name: Person) {
        guard !name.isEmpty, name.utf8.count <= 255, name.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7f }) else {
            throw CloudError(.authenticationFailed, "'person:' must be followed by a name of 1 to 255 bytes")
        }
        if let account = try account(name, work) { return (account, name) }
        try Schema.addAccount(name, work.policy, quotaBytes: Schema.quotaBytesDefault, work.database)
        guard let account = try account(name, work) else {
            throw CloudError(.internalError, "the account '\(name)' was made and is not there")
        }
        return (account, name)
    }
    static func account(_ name: Person, _ work: Work) throws -> Int64? {
        try work.database.query("SELECT id FROM owner WHERE name = ? AND id <> ?", .text(name), .int(Owner.publicID))
            .first?.int(0)
    }

    static func profile(of account: Int64, _ work: Work) throws -> Profile {
        let name = try work.owner(account).name
        let row = try work.database.query(
            "SELECT email, phone, given, family, discoverable, contacts FROM profile WHERE owner = ?", .int(account)
        ).first
        return Profile(
            account: account, name: name,
            email: row.flatMap { $0.isNull(0) ? nil : $0.text(0) } ?? Profile.defaultEmail(name),
            phone: row.flatMap { $0.isNull(1) ? nil : $0.text(1) }, given: row?.text(2) ?? "",
            family: row?.text(3) ?? "",
            isDiscoverable: row?.int(4) == 1,
            contacts: row.flatMap { try? Value(json: $0.blob(5)) }?.strings ?? [])
    }
    static func save(_ profile: Profile, _ work: Work) throws {
        try work.database.execute(
            "INSERT OR REPLACE INTO profile(owner, email, phone, given, family, discoverable, contacts) VALUES(?, ?, ?, ?, ?, ?, ?)",
            .int(profile.account), .text(profile.email.lowercased()), .optional(profile.phone), .text(profile.given),
            .text(profile.family), .int(profile.isDiscoverable ? 1 : 0),
            .blob(Value.strings(profile.contacts).jsonBytes))
    }

    /// Whom a lookup info means: `userRecordName`, `emailAddress` or `phoneNumber`, in this order.
    static func find(_ info: Value, in space: Space, _ work: Work) throws -> Int64? {
        if let name = try info.optionalText("userRecordName") { return try account(recordName: name, in: space, work) }
        if let email = try info.optionalText("emailAddress") { return try account(email: email.lowercased(), work) }
        guard let phone = try info.optionalText("phoneNumber") else {
            throw CloudError.badRequest("a person is looked up by 'emailAddress', 'phoneNumber' or 'userRecordName'")
        }
        return try work.database.query("SELECT owner FROM profile WHERE phone = ?", .text(phone)).first?.int(0)
    }
    /// Names are one-way: all people are tried.
    static func account(recordName: String, in space: Space, _ work: Work) throws -> Int64? {
        guard recordName.utf8.count == 33, recordName.utf8.first == UInt8(ascii: "_") else { return nil }
        return try work.database.query("SELECT id, name FROM owner WHERE id <> ? ORDER BY id", .int(Owner.publicID))
            .first { UsersCaller.recordName(of: $0.text(1), in: space, work) == recordName }?.int(0)
    }
    private static func account(email: String, _ work: Work) throws -> Int64? {
        if let row = try work.database.query("SELECT owner FROM profile WHERE email = ?", .text(email)).first {
            return row.int(0)
        }
        let suffix = "@example.com"
        for name in [email, email.hasSuffix(suffix) ? String(email.dropLast(suffix.utf8.count)) : ""]
        where !name.isEmpty {
            // Whoever has an address of his own is not found by the default one.
            if let account = try account(name, work), try profile(of: account, work).email == email { return account }
        }
        return nil
    }
}
