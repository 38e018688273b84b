/// Key-value coding as far as records have it: the same as `object(forKey:)` and `setObject(_:forKey:)`. Paths and observing need Objective-C.
extension CKRecord {
    /// As `object(forKey:)`.
    public func value(forKey key: String) -> Any? { object(forKey: key) }
    /// Traps for what no field holds, as CloudKit throws.
    public func setValue(_ value: Any?, forKey key: String) {
        guard let value else { return setObject(nil, forKey: key) }
        guard let field = value as? any CKRecordValue else {
            fatalError("the field '\(key)' cannot hold a \(type(of: value)); CKRecordValueProtocol lists what it can")
        }
        setObject(field, forKey: key)
    }
    /// Sets all of them, in the order of their names; traps for what no field holds.
    public func setValuesForKeys(_ keyedValues: [String: Any]) {
        for (key, value) in keyedValues.sorted(by: { $0.key < $1.key }) { setValue(value, forKey: key) }
    }
    /// The fields of these names; those that hold nothing are left out.
    public func dictionaryWithValues(forKeys keys: [String]) -> [String: Any] {
        Dictionary(keys.compactMap { key in value(forKey: key).map { (key, $0) } }, uniquingKeysWith: { a, _ in a })
    }
}
