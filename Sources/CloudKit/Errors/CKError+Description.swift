extension CKError: CustomStringConvertible {
    /// For logs and stories: the number and name of the code, what happened, and of several items each with its own error, in the order of
    /// their names.
    public var description: String {
        var text = "CKError \(code.rawValue) (\(code))"
        if !message.isEmpty { text += ": \(message)" }
        if let retryAfterSeconds { text += "; try again after \(retryAfterSeconds) s" }
        let items = (partialErrorsByItemID ?? [:]).map { key, error in "\(Self.name(key)): \(error)" }.sorted()
        return items.isEmpty ? text : text + " [\(items.joined(separator: "; "))]"
    }

    private static func name(_ item: AnyHashable) -> String {
        if let record = item.base as? CKRecord.ID { return record.recordName }
        if let zone = item.base as? CKRecordZone.ID { return zone.zoneName }
        return "\(item)"
    }
}
