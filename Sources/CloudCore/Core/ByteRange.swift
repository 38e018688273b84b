import FleetModel

/// A content or the part of it that a request wants: `Range: bytes=A-B`, `A-` or `-LAST`, unless `If-Range` names another content
/// (RFC 9110 13.1.5, 14). One range at a time; what is no such range is passed over, as that document allows.
enum ByteRange {
    /// 200 with the whole, 206 with the part, or 416 where the part begins behind the end.
    /// - Parameter tag: a strong entity tag, in quotes: equal ones mean equal bytes.
    static func answer(_ content: [UInt8], tag: String, _ request: HTTPHeaders) -> Answer {
        var headers: HTTPHeaders = [
            "Content-Type": "application/octet-stream", "ETag": tag, "Accept-Ranges": "bytes",
        ]
        guard let range = wanted(request["Range"], of: content.count), request["If-Range"].map({ $0 == tag }) ?? true
        else {
            return Answer(headers: headers, body: content)
        }
        guard !range.isEmpty else {
            headers["Content-Range"] = "bytes */\(content.count)"
            return Answer(status: 416, headers: headers, body: [])
        }
        headers["Content-Range"] = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(content.count)"
        return Answer(status: 206, headers: headers, body: Array(content[range]))
    }

    /// Empty: nothing of it is there; nil: the whole is wanted.
    private static func wanted(_ field: String?, of size: Int) -> Range<Int>? {
        guard let field, field.lowercased().hasPrefix("bytes="), size > 0 else { return nil }
        let ends = field.dropFirst("bytes=".count).split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2 else { return nil }
        guard !ends[0].isEmpty else {
            guard let last = number(ends[1]) else { return nil }
            return last == 0 ? size..<size : (size - min(last, size))..<size
        }
        guard let first = number(ends[0]) else { return nil }
        let last = ends[1].isEmpty ? size - 1 : number(ends[1])
        guard let last, last >= first || ends[1].isEmpty else { return nil }
        guard first < size else { return size..<size }
        return first..<min(last, size - 1) + 1
    }
    /// Digits alone; more than fit count as very many.
    private static func number(_ text: Substring) -> Int? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int(text) ?? .max
    }
}
