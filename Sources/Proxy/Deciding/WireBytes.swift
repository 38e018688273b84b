import FleetModel

extension HTTPResponse {
    /// As HTTP/1.1 carries it.
    /// - Parameter method: of the request: `HEAD` gets the length and no body.
    func wireBytes(to method: Head.Method, closes: Bool) -> [UInt8] {
        var text = "HTTP/1.1 \(status) \(Self.reasons[status] ?? "")\r\n"
        for field in headers.fields { text += "\(field.name): \(field.value)\r\n" }
        text += "Content-Length: \(body.count)\r\n\(closes ? "Connection: close\r\n" : "")\r\n"
        return Array(text.utf8) + (method == .head ? [] : body)
    }

    private static let reasons = [
        200: "OK", 400: "Bad Request", 403: "Forbidden", 429: "Too Many Requests",
        431: "Request Header Fields Too Large",
        503: "Service Unavailable",
    ]
}
