/// An HTTP request as a value: the same one can be routed by the World or sent by libcurl.
public struct HTTPRequest: Hashable, Sendable {
    /// `GET`, `POST`, `PUT`, `DELETE`.
    public var method: String
    /// Path and query, percent-encoded: `/database/1/iCloud.com.example.notebook/production/private/records/modify`.
    public var target: String
    /// Fields that the request itself gives; a client adds those of its connection.
    public var headers: HTTPHeaders
    /// The whole body; empty for none.
    public var body: [UInt8]

    /// `target` has to be percent-encoded already.
    public init(_ method: String, _ target: String, headers: HTTPHeaders = [:], body: [UInt8] = []) {
        self.method = method
        self.target = target
        self.headers = headers
        self.body = body
    }
    /// A POST with a JSON body.
    public init(post target: String, headers: HTTPHeaders = [:], json: Value) {
        self.init("POST", target, headers: headers, body: json.jsonBytes)
    }
}

/// An HTTP response as a value.
public struct HTTPResponse: Hashable, Sendable {
    /// The status code: 200, 404.
    public var status: Int
    /// Fields of the response, in the order in which they came.
    public var headers: HTTPHeaders
    /// The whole body; empty for none.
    public var body: [UInt8]

    /// Any status is taken, also one that HTTP does not have.
    public init(status: Int, headers: HTTPHeaders = [:], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }
    /// A JSON body, in the canonical form. Without `Content-Type`: receivers here know what they get.
    public init(status: Int, json: Value) { self.init(status: status, body: json.jsonBytes) }

    /// The body as JSON; nil when it is none (a captive portal answers HTML).
    public var json: Value? { try? Value(json: body) }
    /// 2xx. A captive portal's 200 counts too: who trusts the status alone is misled.
    public var isSuccess: Bool { (200..<300).contains(status) }
}

/// Header fields in order; names compare without case.
public struct HTTPHeaders: Hashable, Sendable, ExpressibleByDictionaryLiteral {
    /// In the order in which they came; a name may stand there more than once.
    public private(set) var fields: [Field] = []

    /// One field of a header.
    public struct Field: Hashable, Sendable {
        /// As it was written; comparisons pass over its case.
        public var name: String
        /// The text after the colon.
        public var value: String
    }

    /// In the order of the literal; nothing is put together, so a name may be repeated.
    public init(dictionaryLiteral elements: (String, String)...) {
        fields = elements.map { Field(name: $0.0, value: $0.1) }
    }
    /// The first value of a field; setting replaces all of that name.
    public subscript(name: String) -> String? {
        get { fields.first { same($0.name, name) }?.value }
        set {
            fields = fields.filter { !same($0.name, name) }
            if let newValue { fields.append(Field(name: name, value: newValue)) }
        }
    }
    private func same(_ a: String, _ b: String) -> Bool {
        a.utf8.count == b.utf8.count
            && zip(a.utf8, b.utf8).allSatisfy { $0 == $1 || ($0 | 0x20) == ($1 | 0x20) && $0 | 0x20 >= 97 }
    }
}

extension HTTPRequest {
    func write(to writer: inout ByteWriter) {
        writer.string(method)
        writer.string(target)
        headers.write(to: &writer)
        writer.data(body)
    }
    init(from reader: inout ByteReader) throws(DecodingFailure) {
        method = try reader.string()
        target = try reader.string()
        headers = try HTTPHeaders(from: &reader)
        body = try reader.data()
    }
}
extension HTTPResponse {
    func write(to writer: inout ByteWriter) {
        writer.signed(Int64(status))
        headers.write(to: &writer)
        writer.data(body)
    }
    init(from reader: inout ByteReader) throws(DecodingFailure) {
        status = Int(truncatingIfNeeded: try reader.signed())
        headers = try HTTPHeaders(from: &reader)
        body = try reader.data()
    }
}
extension HTTPHeaders {
    func write(to writer: inout ByteWriter) {
        writer.varint(UInt64(fields.count))
        for field in fields {
            writer.string(field.name)
            writer.string(field.value)
        }
    }
    init(from reader: inout ByteReader) throws(DecodingFailure) {
        for _ in 0..<(try reader.count()) {
            fields.append(Field(name: try reader.string(), value: try reader.string()))
        }
    }
}
