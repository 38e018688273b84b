import FleetModel

/// The file in a body of `multipart/form-data`: browsers and many HTTP libraries send files so, and what comes back must be the
/// file and not its envelope (RFC 7578; RFC 2046 5.1).
///
/// Strict, because a body that is cut off must not become half a file: all parts must be whole, and one of them must be the file.
/// Of several parts it is the only one with a file name. Not modelled: files that are encoded within their part, which RFC 7578 4.7
/// forbids.
enum FormData {
    /// - Parameter contentType: header of the request; any other type than `multipart/form-data`, or none, means that the body is the file.
    /// - Returns: the bytes of the file.
    /// - Throws: `BAD_REQUEST` for what is no form with one file.
    static func file(in body: [UInt8], contentType: String?) throws(CloudError) -> [UInt8] {
        guard let contentType, let boundary = try boundary(contentType) else { return body }
        let parts = try parts(of: body, boundary)
        let files = parts.count == 1 ? parts : parts.filter(\.isFile)
        guard files.count == 1, let file = files.first else {
            throw refusal("it has \(parts.count) parts and \(files.count) of them are files; send one file")
        }
        return Array(body[file.content])
    }
    private static func refusal(_ reason: String) -> CloudError {
        .badRequest("the body is no form with one file: \(reason) (RFC 7578)")
    }

    // MARK: Boundary

    /// Characters of a boundary (RFC 2046 5.1.1).
    private static let boundaryMax = 70
    private static let boundaryMarks = Set(" '()+_,-./:=?".utf8)

    /// Nil for another type of body.
    private static func boundary(_ contentType: String) throws(CloudError) -> [UInt8]? {
        guard let field = HeaderField(contentType), field.value == "multipart/form-data" else {
            let isForm = contentType.lowercased().split { $0 == ";" || $0 == " " }.first == "multipart/form-data"
            if isForm {
                throw .badRequest("'Content-Type' of the form names no 'boundary' that can be read (RFC 2046 5.1.1)")
            }
            return nil
        }
        let bytes = Array((field["boundary"] ?? "").utf8)
        let isGood = bytes.allSatisfy { HeaderField.isAlphanumeric($0) || boundaryMarks.contains($0) }
        guard !bytes.isEmpty, bytes.count <= boundaryMax, isGood, bytes.last != UInt8(ascii: " ") else {
            throw .badRequest(
                "'Content-Type' of the form names no 'boundary' of 1 to \(boundaryMax) characters (RFC 2046 5.1.1)")
        }
        return bytes
    }

    // MARK: Parts

    private struct Part {
        var content: Range<Int>
        var isFile: Bool
    }
    /// ASSUMED: a form with one file has few other fields, and short ones.
    private static let (partsMax, headBytesMax) = (32, 8 << 10)
    private static let lineEnd = Array("\r\n".utf8)

    private static func parts(of body: [UInt8], _ boundary: [UInt8]) throws(CloudError) -> [Part] {
        let mark = Array("\r\n--".utf8) + boundary
        // The first delimiter may stand at the very beginning; what is before it is no part.
        let opening = body.starts(with: mark.dropFirst(2)) ? delimiter(at: -2, mark, body) : nil
        var at = opening ?? next(mark, in: body, from: 0)
        var parts: [Part] = []
        while let delimiter = at {
            if delimiter.isLast { return parts }
            guard parts.count < partsMax else { throw refusal("it has more than \(partsMax) parts") }
            // The end of the line may be the beginning of the blank one.
            guard let content = try end(ofHeadFrom: delimiter.end, body),
                let next = next(mark, in: body, from: content - 2)
            else {
                throw refusal("it is cut off within a part")
            }
            parts.append(
                Part(
                    content: content..<max(content, next.start), isFile: try isFile(body[delimiter.end..<content])))
            at = next
        }
        throw refusal("its last boundary, with '--' behind it, is missing")
    }
    private struct Delimiter {
        /// Of the line feed before it, and of the one behind it.
        var start, end: Int
        var isLast: Bool
    }
    /// Nil where more stands on the line: then the same bytes are content, or the boundary of a longer name.
    private static func delimiter(at start: Int, _ mark: [UInt8], _ body: [UInt8]) -> Delimiter? {
        var end = start + mark.count
        let isLast = body[end...].starts(with: [0x2d, 0x2d])
        if isLast { end += 2 }
        while end < body.count, body[end] == 0x20 || body[end] == 0x09 { end += 1 }
        guard body[end...].starts(with: lineEnd) || isLast && end == body.count else { return nil }
        return Delimiter(start: start, end: end, isLast: isLast)
    }
    private static func next(_ mark: [UInt8], in body: [UInt8], from start: Int) -> Delimiter? {
        var at = find(mark, in: body, from: start)
        while let found = at {
            if let delimiter = delimiter(at: found, mark, body) { return delimiter }
            at = find(mark, in: body, from: found + 2)
        }
        return nil
    }
    /// The place behind the blank line.
    private static func end(ofHeadFrom start: Int, _ body: [UInt8]) throws(CloudError) -> Int? {
        let blank = lineEnd + lineEnd
        let window = body[start..<min(body.count, start + headBytesMax)]
        guard let found = find(blank, in: window, from: start) else {
            if window.count == headBytesMax { throw refusal("the head of a part is longer than \(headBytesMax) bytes") }
            return nil
        }
        return found + blank.count
    }
    /// Reads the head of a part.
    private static func isFile(_ head: ArraySlice<UInt8>) throws(CloudError) -> Bool {
        guard let text = String(validating: head, as: UTF8.self) else {
            throw refusal("the head of a part is not UTF-8")
        }
        var disposition: HeaderField?
        for line in text.split(separator: "\r\n", omittingEmptySubsequences: true) {
            let sides = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard sides.count == 2 else { throw refusal("'\(line)' in the head of a part is no header") }
            switch sides[0].lowercased() {
            case "content-disposition": disposition = HeaderField(String(sides[1]))
            case "content-transfer-encoding":
                let coding = sides[1].trimmed.lowercased()
                guard ["binary", "8bit", "7bit"].contains(coding) else {
                    throw refusal("a part is encoded as '\(coding)'; send its bytes as they are")
                }
            default: break
            }
        }
        guard let disposition, disposition.value == "form-data", disposition["name"] != nil else {
            throw refusal("a part has no 'Content-Disposition: form-data' with a 'name'")
        }
        return disposition["filename"] != nil || disposition["filename*"] != nil
    }

    /// Place of `mark`, which begins with the only carriage return in it but for a blank line: no byte is looked at much more than once.
    private static func find<Bytes: RandomAccessCollection<UInt8>>(_ mark: [UInt8], in body: Bytes, from start: Int)
        -> Int?
    where Bytes.Index == Int {
        var at = start
        while at + mark.count <= body.endIndex {
            if body[at] == mark[0], body[at..<at + mark.count].elementsEqual(mark) { return at }
            at += 1
        }
        return nil
    }
}

/// A header value with parameters: `value; name=text; name="quoted text"` (RFC 2045 5.1). Value and names are lower case.
private struct HeaderField {
    let value: String
    private var parameters: [String: String] = [:]

    subscript(name: String) -> String? { parameters[name] }

    /// Nil for what is no such value, and where a parameter comes twice.
    init?(_ text: String) {
        var rest = Array(text.utf8)[...]
        value = String(decoding: rest.prefix { $0 != UInt8(ascii: ";") }, as: UTF8.self).trimmed.lowercased()
        rest = rest.drop { $0 != UInt8(ascii: ";") }
        while rest.first == UInt8(ascii: ";") {
            rest = rest.dropFirst().drop { $0 == 0x20 || $0 == 0x09 }
            // Some end with a semicolon.
            if rest.isEmpty { break }
            let name = rest.prefix(while: Self.isToken)
            rest = rest.dropFirst(name.count)
            guard !name.isEmpty, rest.first == UInt8(ascii: "=") else { return nil }
            rest = rest.dropFirst()
            guard let text = Self.text(&rest) else { return nil }
            rest = rest.drop { $0 == 0x20 || $0 == 0x09 }
            let key = String(decoding: name, as: UTF8.self).lowercased()
            guard parameters.updateValue(text, forKey: key) == nil else { return nil }
        }
        guard rest.isEmpty else { return nil }
    }
    private static func text(_ rest: inout ArraySlice<UInt8>) -> String? {
        guard rest.first == UInt8(ascii: "\"") else {
            let token = rest.prefix(while: isToken)
            rest = rest.dropFirst(token.count)
            return String(decoding: token, as: UTF8.self)
        }
        var bytes: [UInt8] = []
        rest = rest.dropFirst()
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "\"") { return String(decoding: bytes, as: UTF8.self) }
            guard let plain = byte == UInt8(ascii: "\\") ? rest.popFirst() : byte, plain >= 0x20 || plain == 0x09 else {
                return nil
            }
            bytes.append(plain)
        }
        return nil
    }
    static func isAlphanumeric(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte)
    }
    private static func isToken(_ byte: UInt8) -> Bool { isAlphanumeric(byte) || "!#$%&'*+-.^_`|~".utf8.contains(byte) }
}

extension StringProtocol {
    /// Without blanks at both ends.
    fileprivate var trimmed: String {
        let front = drop { $0 == " " || $0 == "\t" }
        return String(front.reversed().drop { $0 == " " || $0 == "\t" }.reversed())
    }
}
