import PadApp

extension CKDatabase {
    struct QueryPage {
        var records: [CKRecord]
        var cursor: CKQueryOperation.Cursor?
        var results: [(CKRecord.ID, Result<CKRecord, any Error>)] {
            records.map { record -> (CKRecord.ID, Result<CKRecord, any Error>) in (record.recordID, .success(record)) }
        }
    }
    /// What one page is asked with.
    struct QueryQuestion {
        let wire: Value
        let zoneID: CKRecordZone.ID?
        var members = Value.empty

        init(wire: Value, zoneID: CKRecordZone.ID?) { (self.wire, self.zoneID) = (wire, zoneID) }
        /// Nil when nothing matches: the service has no filter that says no, it is not asked.
        init?(
            _ query: CKQuery?, _ cursor: CKQueryOperation.Cursor?, _ zoneID: CKRecordZone.ID?,
            _ desiredKeys: [CKRecord.FieldKey]?, _ limit: Int
        ) throws(CKError) {
            if let cursor {
                self.init(wire: cursor.query, zoneID: cursor.zoneID ?? zoneID)
            } else if let query {
                guard let wire = try query.wire() else { return nil }
                self.init(wire: wire, zoneID: zoneID)
            } else {
                throw CKError(.invalidArguments, message: "the operation has neither a query nor a cursor")
            }
            members["query"] = wire
            members["zone"] = self.zoneID.map { .string($0.link) }
            members["cursor"] = cursor.map { .string($0.text) }
            members["desiredKeys"] = desiredKeys.map(Value.strings)
            if limit > 0 { members["limit"] = .int(limit) }
        }
    }

    /// The first records that match, and where the others begin.
    /// - Throws: `invalidArguments` for a predicate, field or index that the service does not take.
    public func records(
        matching query: CKQuery, inZoneWith zoneID: CKRecordZone.ID? = nil, desiredKeys: [CKRecord.FieldKey]? = nil,
        resultsLimit: Int = CKQueryOperation.maximumResults
    ) async throws -> (
        matchResults: [(CKRecord.ID, Result<CKRecord, any Error>)], queryCursor: CKQueryOperation.Cursor?
    ) { try await page(QueryQuestion(query, nil, zoneID, desiredKeys, resultsLimit)) }
    /// The page after `queryCursor`.
    public func records(
        continuingMatchFrom queryCursor: CKQueryOperation.Cursor, desiredKeys: [CKRecord.FieldKey]? = nil,
        resultsLimit: Int = CKQueryOperation.maximumResults
    ) async throws -> (
        matchResults: [(CKRecord.ID, Result<CKRecord, any Error>)], queryCursor: CKQueryOperation.Cursor?
    ) { try await page(QueryQuestion(nil, queryCursor, nil, desiredKeys, resultsLimit)) }

    private func page(_ question: QueryQuestion?) async throws -> (
        matchResults: [(CKRecord.ID, Result<CKRecord, any Error>)], queryCursor: CKQueryOperation.Cursor?
    ) {
        guard let question else { return ([], nil) }
        let found = page(try await link.ask(RecordMessages.Query.name, question.members), of: question)
        return (found.results, found.cursor)
    }
    func page(_ answer: Value, of question: QueryQuestion) -> QueryPage {
        let records = (answer["records"]?.array ?? []).compactMap { wire in
            let own = CKRecordZone.ID(wire: wire["zoneID"])
            return CKRecord.of(wire: wire, zoneID: own ?? question.zoneID ?? .default)
        }
        let next = answer["cursor"]?.string.map { CKQueryOperation.Cursor(question.wire, question.zoneID, $0) }
        return QueryPage(records: records, cursor: next)
    }
}
