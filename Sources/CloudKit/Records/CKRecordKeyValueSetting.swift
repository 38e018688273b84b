import PadApp

/// Fields by their names: of a record, and of its encrypted values. Source: CKRecordKeyValueSetting.
public protocol CKRecordKeyValueSetting: AnyObject {
    func object(forKey key: CKRecord.FieldKey) -> (any CKRecordValue)?
    func setObject(_ object: (any CKRecordValue)?, forKey key: CKRecord.FieldKey)
    func allKeys() -> [CKRecord.FieldKey]
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
    public mutating func next() -> (CKRecord.FieldKey, any CKRecordValueProtocol)? {
        while let key = keys.popFirst() {
            if let value = record.object(forKey: key) { return (key, value) }
        }
        return nil
    }
}

extension CKRecord: Sequence {
    public func makeIterator() -> CKRecordKeyValueIterator { CKRecordKeyValueIterator(self) }
}

/// A field that the server cannot read: for it a field of bytes, which have neither index nor meaning. Its mark says what the bytes are.
///
/// ASSUMED: Apple gives no form. The bytes are not ciphered, since nobody but the server's tests look at them, and the tokens of edits have
/// to be found in what is handed over.
enum EncryptedField {
    private static let mark = Array("hr-encrypted1".utf8)

    static func seal(_ field: Value) -> Value { ["value": .data(mark + field.encoded), "type": "BYTES"] }
    static func isOne(_ field: Value) -> Bool { field["value"]?.data?.starts(with: mark) ?? false }
    static func open(_ field: Value) -> Value? {
        guard isOne(field), let bytes = field["value"]?.data else { return nil }
        return try? Value(decoding: Array(bytes.dropFirst(mark.count)))
    }
}

/// A record's encrypted values; files and references cannot be encrypted (cloudkit-framework.md 2).
final class EncryptedValues: CKRecordKeyValueSetting, @unchecked Sendable {
    private let record: CKRecord
    init(_ record: CKRecord) { self.record = record }

    func object(forKey key: CKRecord.FieldKey) -> (any CKRecordValue)? {
        record.field(key).flatMap(EncryptedField.open).flatMap {
            FieldCoding.value(of: $0, zone: record.recordID.zoneID)
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
