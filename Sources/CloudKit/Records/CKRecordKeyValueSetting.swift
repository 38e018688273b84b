import PadApp

/// Fields by their names: of a record, and of its encrypted values. Source: CKRecordKeyValueSetting.
public protocol CKRecordKeyValueSetting: AnyObject {
    /// A field's value; nil for an absent one.
    func object(forKey key: CKRecord.FieldKey) -> (any CKRecordValue)?
    /// Sets a field; nil removes it.
    func setObject(_ object: (any CKRecordValue)?, forKey key: CKRecord.FieldKey)
    /// Names of the fields that hold something, sorted.
    func allKeys() -> [CKRecord.FieldKey]
    /// Names of the fields that were set since the record came from the server, sorted.
    func changedKeys() -> [CKRecord.FieldKey]
}

extension CKRecordKeyValueSetting {
    /// A field; nil removes it. Numbers come back as `NSNumber`, which casts to `Int`, `Double` and `Bool`.
    public subscript(key: CKRecord.FieldKey) -> (any CKRecordValueProtocol)? {
        get { object(forKey: key) }
        set { setObject(newValue, forKey: key) }
    }
    /// A field of the type that the caller wants; nil when it holds another one.
    public subscript<T: CKRecordValueProtocol>(key: CKRecord.FieldKey) -> T? {
        get { object(forKey: key) as? T }
        set { setObject(newValue, forKey: key) }
    }
}

/// The fields of a record in the order of their names. Source: CKRecordKeyValueIterator.
public struct CKRecordKeyValueIterator: IteratorProtocol {
    private let record: CKRecord
    private var keys: ArraySlice<CKRecord.FieldKey>

    init(_ record: CKRecord) {
        self.record = record
        keys = record.allKeys()[...]
    }
    /// The next field that holds something; nil at the end. Encrypted ones are left out.
    public mutating func next() -> (CKRecord.FieldKey, any CKRecordValueProtocol)? {
        while let key = keys.popFirst() {
            if let value = record.object(forKey: key) { return (key, value) }
        }
        return nil
    }
}

extension CKRecord: Sequence {
    /// Goes over the fields as they are now: later changes of names are not seen.
    public func makeIterator() -> CKRecordKeyValueIterator { CKRecordKeyValueIterator(self) }
}

/// A field that the server cannot read: `isEncrypted` stands next to its value and its own type, which production's schema has as
/// `ENCRYPTED` (cloudkit-web-services.md 8.6).
///
/// ASSUMED: the value is not ciphered. Nobody but tests looks at what the server has, and the tokens of edits have to be found there.
enum EncryptedField {
    static func seal(_ field: Value) -> Value {
        var sealed = field
        sealed["isEncrypted"] = true
        return sealed
    }
    static func isOne(_ field: Value) -> Bool { field["isEncrypted"]?.bool ?? false }
}

/// A record's encrypted values; files and references cannot be encrypted (cloudkit-framework.md 2).
final class EncryptedValues: CKRecordKeyValueSetting, @unchecked Sendable {
    private let record: CKRecord
    init(_ record: CKRecord) { self.record = record }

    func object(forKey key: CKRecord.FieldKey) -> (any CKRecordValue)? {
        record.field(key).flatMap {
            EncryptedField.isOne($0) ? FieldCoding.value(of: $0, zone: record.recordID.zoneID) : nil
        }
    }
    func setObject(_ object: (any CKRecordValue)?, forKey key: CKRecord.FieldKey) {
        guard let object else { return record.set(nil, key) }
        guard let field = FieldCoding.field(object),
            !["ASSETID", "REFERENCE"].contains(
                field["type"]?.string?.split(separator: "_").first.map(String.init) ?? "")
        else {
            fatalError(
                "the field '\(key)' cannot be encrypted: it holds a file or a reference. Set it on the record itself")
        }
        record.set(EncryptedField.seal(field), key)
    }
    func allKeys() -> [CKRecord.FieldKey] { record.encryptedKeys }
    func changedKeys() -> [CKRecord.FieldKey] {
        let own = Set(record.encryptedKeys)
        return record.changedKeys().filter(own.contains)
    }
}
