import Foundation
import PadApp

/// A person as apps may know them: the name in this container, and given and family name when the person lets others find them
/// (cloudkit-framework.md 12; S281, S282).
public final class CKUserIdentity: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
    /// What a person is looked for with.
    public final class LookupInfo: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
        /// Nil unless the person is looked for by it.
        public let emailAddress: String?
        /// Nil unless the person is looked for by it.
        public let phoneNumber: String?
        /// Nil unless the person is looked for by it.
        public let userRecordID: CKRecord.ID?

        private init(_ emailAddress: String?, _ phoneNumber: String?, _ userRecordID: CKRecord.ID?) {
            (self.emailAddress, self.phoneNumber, self.userRecordID) = (emailAddress, phoneNumber, userRecordID)
        }
        /// Looks for the person whose account has this address.
        public convenience init(emailAddress: String) { self.init(emailAddress, nil, nil) }
        /// Looks for the person whose account has this number.
        public convenience init(phoneNumber: String) { self.init(nil, phoneNumber, nil) }
        /// Looks for the person whose record in the container this is.
        public convenience init(userRecordID: CKRecord.ID) { self.init(nil, nil, userRecordID) }

        /// Infos for several people. Source: CKUserIdentity.LookupInfo, Creating Multiple Lookup Infos.
        public static func lookupInfos(withEmails emails: [String]) -> [LookupInfo] {
            emails.map { LookupInfo(emailAddress: $0) }
        }
        /// As `lookupInfos(withEmails:)`.
        public static func lookupInfos(withPhoneNumbers phoneNumbers: [String]) -> [LookupInfo] {
            phoneNumbers.map { LookupInfo(phoneNumber: $0) }
        }
        /// As `lookupInfos(withEmails:)`.
        public static func lookupInfos(with recordIDs: [CKRecord.ID]) -> [LookupInfo] {
            recordIDs.map { LookupInfo(userRecordID: $0) }
        }

        public override func isEqual(_ object: Any?) -> Bool { (object as? LookupInfo)?.wire == wire }
        public override var hash: Int { wire.hashValue }
        public override var description: String { "<CKUserIdentityLookupInfo: \(wire.json)>" }
        /// Itself: it cannot change.
        public func copy(with zone: NSZone? = nil) -> Any { self }
        /// Always true.
        public static var supportsSecureCoding: Bool { true }
        /// Writes what the person is looked for with.
        public func encode(with coder: NSCoder) { coder.encode(wire.json as NSString, forKey: "lookupInfo") }
        /// Nil for an archive of something else.
        public convenience init?(coder: NSCoder) {
            guard let text = coder.decodeObject(of: NSString.self, forKey: "lookupInfo"),
                let wire = try? Value(json: text as String)
            else { return nil }
            self.init(wire: wire)
        }

        fileprivate convenience init(wire: Value) {
            let name = wire["userRecordName"]?.string.map { CKRecord.ID(recordName: $0) }
            self.init(wire["emailAddress"]?.string, wire["phoneNumber"]?.string, name)
        }
        var wire: Value {
            var wire = Value.empty
            wire["emailAddress"] = emailAddress.map(Value.string)
            wire["phoneNumber"] = phoneNumber.map(Value.string)
            wire["userRecordName"] = userRecordID.map { .string($0.recordName) }
            return wire
        }
    }
    /// The name in this container; nil: no account.
    public let userRecordID: CKRecord.ID?
    /// What the person was found with; nil when the service does not say.
    public let lookupInfo: LookupInfo?
    /// Given and family name only; nil where the person does not let others find them.
    public let nameComponents: PersonNameComponents?
    /// Only people with an account are found.
    public var hasiCloudAccount: Bool { userRecordID != nil }
    /// Entries of the person's address book; the names of entries are not modelled.
    public var contactIdentifiers: [String] { [] }
    let wire: Value

    public override func isEqual(_ object: Any?) -> Bool { (object as? CKUserIdentity)?.wire == wire }
    public override var hash: Int { wire.hashValue }
    public override var description: String { "<CKUserIdentity: \(wire.json)>" }
    /// Itself: it cannot change.
    public func copy(with zone: NSZone? = nil) -> Any { self }
    /// Always true.
    public static var supportsSecureCoding: Bool { true }
    /// Writes what is known of the person.
    public func encode(with coder: NSCoder) { coder.encode(wire.json as NSString, forKey: "identity") }
    /// Nil for an archive of something else.
    public convenience init?(coder: NSCoder) {
        guard let text = coder.decodeObject(of: NSString.self, forKey: "identity"),
            let wire = try? Value(json: text as String)
        else { return nil }
        self.init(wire: wire)
    }

    /// Somebody who is invited without being found first.
    convenience init(invited info: LookupInfo) {
        var wire: Value = ["lookupInfo": info.wire]
        wire["userRecordName"] = info.userRecordID.map { .string($0.recordName) }
        self.init(wire: wire)
    }
    init(wire: Value) {
        self.wire = wire
        userRecordID = wire["userRecordName"]?.string.map { CKRecord.ID(recordName: $0) }
        lookupInfo = wire["lookupInfo"].map(LookupInfo.init(wire:))
        nameComponents = wire["nameComponents"].map { names in
            var components = PersonNameComponents()
            components.givenName = names["givenName"]?.string
            components.familyName = names["familyName"]?.string
            return components
        }
    }
}
