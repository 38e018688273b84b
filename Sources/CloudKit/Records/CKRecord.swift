import Foundation
import PadApp

/// One record: a dictionary of fields with a name, a type and the server's change tag.
///
/// A record from the server knows which fields the app changed since; `ifServerRecordUnchanged` and `changedKeys` send these
/// only. CloudKit keeps nothing on the device: `encodeSystemFields` is how an app keeps the tag with its own data.
open class CKRecord: NSObject, NSSecureCoding, NSCopying, CKRecordKeyValueSetting, @unchecked Sendable {
    /// A name of a type of records; the app's own, or one of `SystemType`.
    public typealias RecordType = String
    /// A name of a field.
    public typealias FieldKey = String

    /// Never changes: a record of another name is another record.
    public let recordID: ID
    /// Never changes.
    public let recordType: RecordType
    /// Changes with every save at the server; compare by equality only. Nil before the first save.
    public private(set) var recordChangeTag: String?
    /// The server's time of the first save; nil before it.
    public private(set) var creationDate: Date?
    /// The server's time of the newest save that this copy has; nil before the first.
    public private(set) var modificationDate: Date?
    /// Who saved it first; nil before that.
    public private(set) var creatorUserRecordID: ID?
    /// Who saved it last, as far as this copy goes; nil before the first save.
    public private(set) var lastModifiedUserRecordID: ID?

    private var parentReference: Reference?
    /// The parent was set since the record came from the server.
    private var isParentChanged = false

    /// Fields in the form of the wire: `{value, type, isEncrypted?}` (cloudkit-web-services.md 8.6).
    private var fields = Value.Object()
    private var changed: Set<FieldKey> = []
    /// The record as it came from the server; null for one that was made here, or read from system fields.
    private var origin = Value.null

    /// A record that the server does not have yet; with a name that is taken the first save is `serverRecordChanged`.
    public init(recordType: RecordType, recordID: ID = ID()) {
        self.recordType = recordType
        self.recordID = recordID
    }
    /// The same with a random name in a zone.
    public convenience init(recordType: RecordType, zoneID: CKRecordZone.ID) {
        self.init(recordType: recordType, recordID: ID(zoneID: zoneID))
    }

    // MARK: Fields

    /// A field's value; nil for an absent or encrypted one. Numbers are `NSNumber`s.
    public func object(forKey key: FieldKey) -> (any CKRecordValue)? {
        fields[key].flatMap { EncryptedField.isOne($0) ? nil : FieldCoding.value(of: $0, zone: recordID.zoneID) }
    }
    /// Sets a field; nil, and a value of a kind that no field holds, removes it. It counts as changed even with the same value.
    public func setObject(_ object: (any CKRecordValue)?, forKey key: FieldKey) {
        set(object.flatMap(FieldCoding.field), key)
    }
    /// Names of the fields that hold something, sorted. Encrypted ones are in `encryptedValues`.
    public func allKeys() -> [FieldKey] { fields.pairs.filter { !EncryptedField.isOne($0.value) }.map(\.key) }
    /// Names of the fields that were set since the record came from the server, sorted.
    public func changedKeys() -> [FieldKey] { changed.sorted() }
    /// The values of the record that the server cannot read. A key is either encrypted or not: setting one replaces the other.
    public var encryptedValues: any CKRecordKeyValueSetting & Sendable { EncryptedValues(self) }

    func field(_ key: FieldKey) -> Value? { fields[key] }
    func set(_ field: Value?, _ key: FieldKey) {
        fields[key] = field
        changed.insert(key)
    }
    var encryptedKeys: [FieldKey] { fields.pairs.filter { EncryptedField.isOne($0.value) }.map(\.key) }

    /// Words of the record's texts, for searches (cloudkit-framework.md 6). ASSUMED: split at what is neither letter nor digit, in lower case.
    public func allTokens() -> [String] {
        allKeys().compactMap { self[$0] as? String }.flatMap { text in
            text.lowercased().split { !$0.isLetter && !$0.isNumber }.map(String.init)
        }
    }

    /// Keeps only the fields of these names; nil keeps all, none leaves the metadata alone.
    func keeping(_ desiredKeys: [FieldKey]?) -> CKRecord {
        guard let desiredKeys else { return self }
        let wanted = Set(desiredKeys)
        for key in fields.keys where !wanted.contains(key) { fields[key] = nil }
        return self
    }

    // MARK: Hierarchy

    /// The record of the same zone that this one belongs to; nil: none. It has to be at the server when this one is saved, or be saved in
    /// the same operation, and cannot be deleted before this one (`referenceViolation`). No field: it is not in `allKeys()`.
    ///
    /// Traps unless the reference's action is `.none`, as CloudKit throws. Source: CKRecord.parent; cloudkit-framework.md 4.
    public var parent: Reference? {
        get { parentReference }
        set {
            if let newValue, newValue.action != ReferenceAction.none {
                fatalError("the parent of \(recordID.recordName) must be a reference with the action .none")
            }
            (parentReference, isParentChanged) = (newValue, true)
        }
    }
    /// As `parent`, by a record; nil clears it.
    public func setParent(_ parentRecord: CKRecord?) { setParent(parentRecord?.recordID) }
    /// As `parent`, by a record's name; nil clears it.
    public func setParent(_ parentRecordID: ID?) {
        parent = parentRecordID.map { Reference(recordID: $0, action: .none) }
    }
    /// What a save says of the parent: nothing, null, or its name. A name of another zone goes along: the server refuses it.
    private func parentWish(_ isWanted: Bool) -> Value? {
        guard isWanted, isParentChanged || parentReference != nil else { return Optional.none }
        guard let target = parentReference?.recordID else { return .null }
        var wish: Value = ["recordName": .string(target.recordName)]
        if target.zoneID != recordID.zoneID { wish["zoneID"] = target.zoneID.wire }
        return wish
    }

    /// The share that the record is the root of; nil: none.
    public internal(set) var share: Reference?

    // Foundation's own would be an address, which is another one in each run.
    public override var hash: Int { recordID.hash }
    open override var description: String { "<CKRecord: \(recordType) \(recordID)>" }

    // MARK: Archives

    /// Writes name, type, tag, parent and dates, without the fields: what a later save without conflict needs.
    public func encodeSystemFields(with coder: NSCoder) {
        coder.encode(wire(fields: Value.Object(), zone: true).json as NSString, forKey: Self.systemFieldsKey)
    }
    /// Writes the whole record, with what the app changed in it.
    open func encode(with coder: NSCoder) {
        encodeSystemFields(with: coder)
        let rest: Value = [
            "fields": .object(fields), "changed": .strings(changedKeys()), "origin": origin,
            "parentChanged": .bool(isParentChanged),
        ]
        coder.encode(Data(rest.encoded) as NSData, forKey: Self.contentKey)
    }
    /// A record from `encodeSystemFields`, without fields, or from `encode(with:)`; nil for other archives.
    public required convenience init?(coder: NSCoder) {
        guard let text = coder.decodeObject(of: NSString.self, forKey: Self.systemFieldsKey),
            let wire = try? Value(json: text as String), let zoneID = CKRecordZone.ID(wire: wire["zoneID"])
        else { return nil }
        self.init(wire: wire, zoneID: zoneID)
        origin = .null
        guard coder.containsValue(forKey: Self.contentKey) else { return }
        guard let data = coder.decodeObject(of: NSData.self, forKey: Self.contentKey),
            let rest = try? Value(decoding: [UInt8](Data(referencing: data)))
        else { return nil }
        fields = rest["fields"]?.object ?? Value.Object()
        changed = Set(rest["changed"]?.strings ?? [])
        origin = rest["origin"] ?? .null
        isParentChanged = rest["parentChanged"]?.bool ?? false
    }
    static let systemFieldsKey = "CKRecordSystemFields"
    private static let contentKey = "CKRecordContent"
    /// Always true.
    public static var supportsSecureCoding: Bool { true }

    /// A record of its own, with the same name, content and changes.
    open func copy(with zone: NSZone? = nil) -> Any { CKRecord(copying: self) }
    init(copying other: CKRecord) {
        recordID = other.recordID
        recordType = other.recordType
        recordChangeTag = other.recordChangeTag
        creationDate = other.creationDate
        modificationDate = other.modificationDate
        creatorUserRecordID = other.creatorUserRecordID
        lastModifiedUserRecordID = other.lastModifiedUserRecordID
        parentReference = other.parentReference
        share = other.share
        isParentChanged = other.isParentChanged
        fields = other.fields
        changed = other.changed
        origin = other.origin
    }

    // MARK: The wire

    /// A record that the server sent, as a share where it is one; nil when it lacks its name or type.
    static func of(wire: Value, zoneID: CKRecordZone.ID) -> CKRecord? {
        wire["recordType"]?.string == CKRecordTypeShare
            ? CKShare(wire: wire, zoneID: zoneID) : CKRecord(wire: wire, zoneID: zoneID)
    }
    /// A record that the server sent; nil when it lacks its name or type.
    init?(wire: Value, zoneID: CKRecordZone.ID) {
        guard let name = wire["recordName"]?.string, let type = wire["recordType"]?.string else { return nil }
        recordID = ID(recordName: name, zoneID: zoneID)
        recordType = type
        origin = wire
        recordChangeTag = wire["recordChangeTag"]?.string
        fields = wire["fields"]?.object ?? Value.Object()
        parentReference = wire["parent"]?["recordName"]?.string.map {
            Reference(recordID: ID(recordName: $0, zoneID: zoneID), action: .none)
        }
        share = wire["share"]?["recordName"]?.string.map {
            Reference(recordID: ID(recordName: $0, zoneID: zoneID), action: .none)
        }
        creationDate = wire["created"]?["timestamp"]?.double.map(FieldCoding.date)
        modificationDate = wire["modified"]?["timestamp"]?.double.map(FieldCoding.date)
        creatorUserRecordID = wire["created"]?["userRecordName"]?.string.map { ID(recordName: $0) }
        lastModifiedUserRecordID = wire["modified"]?["userRecordName"]?.string.map { ID(recordName: $0) }
    }

    /// The record as the app had it from the server, without its changes; nil when it had none.
    var ancestor: CKRecord? { CKRecord.of(wire: origin, zoneID: recordID.zoneID) }
    /// What a share says in addition to its fields: to the service, or with `whole` all that it knows, for archives.
    func addShare(to wire: inout Value, whole: Bool) {}

    /// What a save sends: the changed fields, or with `allFields` all that the record has.
    func saved(allFields: Bool) -> Value {
        guard recordChangeTag != nil, !allFields else { return wire(fields: fields, zone: false) }
        var sent = Value.Object()
        // A field that was removed is sent as null, else the server would keep it.
        for key in changedKeys() { sent[key] = fields[key] ?? ["value": .null] }
        return wire(fields: sent, zone: false, parent: isParentChanged)
    }

    private func wire(fields: Value.Object, zone: Bool, parent isParentWanted: Bool = true) -> Value {
        var wire: Value = [
            "recordName": .string(recordID.recordName), "recordType": .string(recordType), "fields": .object(fields),
        ]
        wire["recordChangeTag"] = recordChangeTag.map(Value.string)
        wire["parent"] = parentWish(isParentWanted)
        addShare(to: &wire, whole: zone)
        guard zone else { return wire }
        wire["zoneID"] = recordID.zoneID.wire
        wire["share"] = share.map { ["recordName": .string($0.recordID.recordName)] }
        wire["created"] = Self.stamp(creationDate, creatorUserRecordID)
        wire["modified"] = Self.stamp(modificationDate, lastModifiedUserRecordID)
        return wire
    }
    private static func stamp(_ date: Date?, _ user: ID?) -> Value? {
        guard let date else { return Optional.none }
        return ["timestamp": FieldCoding.milliseconds(date), "userRecordName": .optional(user?.recordName)]
    }
}
