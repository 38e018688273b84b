// swift-format-ignore-file: AlwaysUseLowerCamelCase

import PadApp
import Ubiquity

/// The older name of `CKQueryOperation.maximumResults`.
public let CKQueryOperationMaximumResults = CKQueryOperation.maximumResults

/// Runs a query, one page of results for each operation.
open class CKQueryOperation: CKDatabaseOperation, @unchecked Sendable {
    /// Where the next page begins; belongs to its query and zone.
    public final class Cursor: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
        /// The query dictionary that was sent.
        let query: Value
        let zoneID: CKRecordZone.ID?
        let text: String
        init(_ query: Value, _ zoneID: CKRecordZone.ID?, _ text: String) {
            (self.query, self.zoneID, self.text) = (query, zoneID, text)
        }
        /// Itself: it cannot change.
        public func copy(with zone: NSZone? = nil) -> Any { self }
        public override var hash: Int { text.hashValue }
        public override var description: String { "<CKQueryCursor: \(text)>" }
        /// Always true.
        public static var supportsSecureCoding: Bool { true }
        /// Writes the question and the place, so that a later launch can go on.
        public func encode(with coder: NSCoder) {
            coder.encode(Data(query.encoded) as NSData, forKey: "query")
            coder.encode(zoneID, forKey: "zoneID")
            coder.encode(text as NSString, forKey: "text")
        }
        /// Nil for an archive of something else.
        public convenience init?(coder: NSCoder) {
            guard let data = coder.decodeObject(of: NSData.self, forKey: "query"),
                let query = try? Value(decoding: [UInt8](Data(referencing: data))),
                let text = coder.decodeObject(of: NSString.self, forKey: "text")
            else { return nil }
            self.init(query, coder.decodeObject(of: CKRecordZone.ID.self, forKey: "zoneID"), text as String)
        }
    }
    /// As many as the service likes to give at once.
    public static let maximumResults = 0

    /// What to ask; not used with a cursor.
    public var query: CKQuery?
    /// Where to go on. Without it and without a query the operation ends with `invalidArguments`.
    public var cursor: Cursor?
    /// Nil: all zones of a private database, the default zone of the public one (cloudkit-framework.md 6).
    public var zoneID: CKRecordZone.ID?
    /// Records of one page at most; fewer may come.
    public var resultsLimit = CKQueryOperation.maximumResults
    /// Fields to fetch; nil: all of them.
    public var desiredKeys: [CKRecord.FieldKey]?
    /// Called for each record of the page, in the query's order. Always a success here.
    public var recordMatchedBlock: ((CKRecord.ID, Result<CKRecord, any Error>) -> Void)?
    /// Called last: with a cursor there is another page, without one that was the last.
    public var queryResultBlock: ((Result<Cursor?, any Error>) -> Void)?
    /// Older form of `recordMatchedBlock`.
    public var recordFetchedBlock: ((CKRecord) -> Void)?
    /// Older form of `queryResultBlock`: no cursor, no error: that was the last page.
    public var queryCompletionBlock: ((Cursor?, (any Error)?) -> Void)?

    public override init() { super.init() }
    /// Asks for the first page.
    public convenience init(query: CKQuery) {
        self.init()
        self.query = query
    }
    /// Asks for the next page.
    public convenience init(cursor: Cursor) {
        self.init()
        self.cursor = cursor
    }

    override func begin() {
        guard let database else { return }
        do throws(CKError) {
            guard let asked = try question() else {
                return end(.success(CKDatabase.QueryPage(records: [], cursor: nil)))
            }
            ask(RecordMessages.Query.name, asked.members) { self.end($0.map { database.page($0, of: asked) }) }
        } catch { end(.failure(error)) }
    }
    private func question() throws(CKError) -> CKDatabase.QueryQuestion? {
        // One of an earlier launch: what it had asked is with the system.
        if let kept {
            return CKDatabase.QueryQuestion(
                wire: kept["query"] ?? .empty, zoneID: kept["zone"]?.string.map(CKRecordZone.ID.init(link:)))
        }
        return try CKDatabase.QueryQuestion(query, cursor, zoneID, desiredKeys, resultsLimit)
    }
    private func end(_ answer: Result<CKDatabase.QueryPage, CKError>) {
        finish {
            if case .success(let page) = answer, !isCancelled {
                for record in page.records {
                    recordMatchedBlock?(record.recordID, .success(record))
                    recordFetchedBlock?(record)
                }
            }
            let result: Result<Cursor?, any Error> =
                isCancelled ? .failure(Self.cancelled) : answer.map(\.cursor).mapError { $0 as any Error }
            queryResultBlock?(result)
            let (cursor, error) = result.parts
            queryCompletionBlock?(cursor ?? nil, error)
        }
    }
}
