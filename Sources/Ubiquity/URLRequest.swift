import Foundation
import PadApp

/// A request to the app's own backend, `https://backend.<app>/...`. On Linux Foundation has none without FoundationNetworking.
public struct URLRequest: Hashable, Sendable {
    /// Where it goes. Only the app's own backend answers.
    public var url: URL?
    /// `GET` unless set.
    public var httpMethod: String? = "GET"
    /// The bytes to send; nil: none. An upload task sends its file instead.
    public var httpBody: Data?
    /// Seconds that a foreground request may take; as given it comes before the session's own time, unless it is the default.
    public var timeoutInterval: TimeInterval
    static let timeoutDefault: TimeInterval = 60
    /// Header fields by name, first letters as given.
    public var allHTTPHeaderFields: [String: String]? = [:]

    /// A `GET` without headers.
    public init(url: URL, timeoutInterval: TimeInterval = 60) {
        self.url = url
        self.timeoutInterval = timeoutInterval
    }
    /// The value of a header; names compare without case. Nil when it is not set.
    public func value(forHTTPHeaderField field: String) -> String? { headers[field] }
    /// Replaces a header, whatever the case of its name; nil removes it.
    public mutating func setValue(_ value: String?, forHTTPHeaderField field: String) {
        for name in (allHTTPHeaderFields ?? [:]).keys where name.lowercased() == field.lowercased() {
            allHTTPHeaderFields?[name] = nil
        }
        if let value { allHTTPHeaderFields = (allHTTPHeaderFields ?? [:]).merging([field: value]) { _, new in new } }
    }
    /// Appends to a header with a comma, or sets it.
    public mutating func addValue(_ value: String, forHTTPHeaderField field: String) {
        setValue(
            [self.value(forHTTPHeaderField: field), value].compactMap { $0 }.joined(separator: ","),
            forHTTPHeaderField: field)
    }

    private var headers: HTTPHeaders {
        var headers: HTTPHeaders = [:]
        for (name, value) in allHTTPHeaderFields ?? [:] { headers[name] = value }
        return headers
    }
    /// The request as the local link writes it.
    var body: Value {
        [
            "method": .string(httpMethod ?? "GET"), "url": .string(url?.absoluteString ?? ""),
            "headers": .object(Value.Object((allHTTPHeaderFields ?? [:]).map { ($0.key, Value.string($0.value)) })),
        ]
    }
}

/// An answer's metadata.
open class URLResponse: @unchecked Sendable {
    /// The request's address.
    public let url: URL?
    /// Bytes of the body; -1 when they are not known.
    public let expectedContentLength: Int64
    init(url: URL?, expectedContentLength: Int64) {
        self.url = url
        self.expectedContentLength = expectedContentLength
    }
}

/// An HTTP answer's status and headers.
public final class HTTPURLResponse: URLResponse, @unchecked Sendable {
    /// The HTTP status; 0 when the answer had none.
    public let statusCode: Int
    private let fields: HTTPHeaders

    /// An answer made by hand, for a test's double. Never nil here.
    public init?(url: URL, statusCode: Int, httpVersion: String?, headerFields: [String: String]?) {
        self.statusCode = statusCode
        var fields: HTTPHeaders = [:]
        for (name, value) in headerFields ?? [:] { fields[name] = value }
        self.fields = fields
        super.init(url: url, expectedContentLength: -1)
    }
    init(url: URL?, answer: Value) {
        statusCode = Int(clamping: answer["status"]?.int ?? 0)
        var fields: HTTPHeaders = [:]
        for pair in answer["headers"]?.object?.pairs ?? [] { fields[pair.key] = pair.value.string }
        self.fields = fields
        super.init(url: url, expectedContentLength: Int64(answer["data"]?.data?.count ?? 0))
    }
    /// All headers by name, as the server wrote the names. Use `value(forHTTPHeaderField:)` to look one up.
    public var allHeaderFields: [AnyHashable: Any] {
        Dictionary(fields.fields.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
    }
    /// Names compare without case.
    public func value(forHTTPHeaderField field: String) -> String? { fields[field] }
}
