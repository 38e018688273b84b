import Foundation
import PadApp

/// A request to the app's own backend, `https://backend.<app>/...`. On Linux Foundation has none without FoundationNetworking.
public struct URLRequest: Hashable, Sendable {
    public var url: URL?
    /// `GET` unless set.
    public var httpMethod: String? = "GET"
    public var httpBody: Data?
    /// Seconds that a foreground request may take; as given it comes before the session's own time, unless it is the default.
    public var timeoutInterval: TimeInterval
    static let timeoutDefault: TimeInterval = 60
    /// Header fields by name, first letters as given.
    public var allHTTPHeaderFields: [String: String]? = [:]

    public init(url: URL, timeoutInterval: TimeInterval = 60) {
        self.url = url
        self.timeoutInterval = timeoutInterval
    }
    public func value(forHTTPHeaderField field: String) -> String? { headers[field] }
    public mutating func setValue(_ value: String?, forHTTPHeaderField field: String) {
        for name in (allHTTPHeaderFields ?? [:]).keys where name.lowercased() == field.lowercased() {
            allHTTPHeaderFields?[name] = nil
        }
        if let value { allHTTPHeaderFields = (allHTTPHeaderFields ?? [:]).merging([field: value]) { _, new in new } }
    }
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
    public let url: URL?
    public let expectedContentLength: Int64
    init(url: URL?, expectedContentLength: Int64) {
        self.url = url
        self.expectedContentLength = expectedContentLength
    }
}

/// An HTTP answer's status and headers.
public final class HTTPURLResponse: URLResponse, @unchecked Sendable {
    public let statusCode: Int
    private let fields: HTTPHeaders

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
    public var allHeaderFields: [AnyHashable: Any] {
        Dictionary(fields.fields.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
    }
    /// Names compare without case.
    public func value(forHTTPHeaderField field: String) -> String? { fields[field] }
}
