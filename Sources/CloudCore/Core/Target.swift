import FleetModel

/// A request target taken apart: decoded path parts and query fields.
struct Target: Hashable {
    var path: [String]
    private var query: [(name: String, value: String)] = []

    static func == (a: Target, b: Target) -> Bool { a.path == b.path && a.query.elementsEqual(b.query, by: ==) }
    func hash(into hasher: inout Hasher) { hasher.combine(path) }

    /// - Throws: `BAD_REQUEST` when it does not begin with a slash, has an empty part or a broken percent code.
    init(_ text: String) throws(CloudError) {
        guard text.utf8.first == UInt8(ascii: "/") else {
            throw .badRequest("the target '\(text)' must begin with '/'")
        }
        let halves = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        path = []
        let parts = (halves.first ?? "").dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        for (index, part) in parts.enumerated() {
            // Only the last part may be empty: the prefix of a list may end in a slash.
            guard !part.isEmpty || index == parts.count - 1 else {
                throw .badRequest("the target '\(text)' has an empty path part")
            }
            path.append(try Self.decode(part))
        }
        guard halves.count > 1 else { return }
        for field in halves[1].split(separator: "&") {
            let sides = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            query.append((try Self.decode(sides[0]), sides.count > 1 ? try Self.decode(sides[1]) : ""))
        }
    }

    /// The first value of a query field; empty for a bare name, nil when absent.
    subscript(name: String) -> String? { query.first { $0.name == name }?.value }

    /// The other query fields, in their order.
    func fields(without names: Set<String>) -> [(name: String, value: String)] {
        query.filter { !names.contains($0.name) }
    }

    /// The fields of a form as browsers send it (`application/x-www-form-urlencoded`), where `+` is a space; of several
    /// with one name the last.
    static func form(_ body: [UInt8]) throws(CloudError) -> [String: String] {
        guard let text = String(validating: body, as: UTF8.self) else { throw .badRequest("the form is not UTF-8") }
        var fields: [String: String] = [:]
        for field in text.split(separator: "&") {
            let sides = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                .map { Substring(String(String.UnicodeScalarView($0.unicodeScalars.map { $0 == "+" ? " " : $0 }))) }
            fields[try decode(sides[0])] = sides.count > 1 ? try decode(sides[1]) : ""
        }
        return fields
    }
    /// A value as it stands in a query: all but unreserved characters percent-encoded (RFC 3986 2.3).
    static func encoded(_ value: String) -> String {
        value.utf8.map { byte in
            let isPlain =
                (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte)
                || "-._~".utf8.contains(byte)
            return isPlain ? String(UnicodeScalar(byte)) : "%" + Hex.text([byte]).uppercased()
        }.joined()
    }

    /// Percent decoding (RFC 3986 2.1); `+` stays a plus.
    private static func decode(_ text: Substring) throws(CloudError) -> String {
        guard text.utf8.contains(UInt8(ascii: "%")) else { return String(text) }
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else { bytes.append(byte); continue }
            guard let high = digit(rest.popFirst()), let low = digit(rest.popFirst()) else {
                throw .badRequest("'\(text)' holds a '%' without two hex digits")
            }
            bytes.append(high << 4 | low)
        }
        guard let decoded = String(validating: bytes, as: UTF8.self) else {
            throw .badRequest("'\(text)' is not UTF-8")
        }
        return decoded
    }
    private static func digit(_ byte: UInt8?) -> UInt8? {
        byte.flatMap { Character(UnicodeScalar($0)).hexDigitValue }.flatMap { UInt8(exactly: $0) }
    }
}
