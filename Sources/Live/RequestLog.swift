import FleetModel

/// Requests of one iPad in live, from leaving its network stack to their end: for who measures what a run cost.
struct RequestLog {
    private struct Flight {
        var route: String
        var cause: String
        var began: Int64
        var bytesSent: Int
    }
    private let clock: LiveClock
    private var flights: [UInt64: Flight] = [:]
    /// Routes and causes whose last request failed: the next one is a repetition.
    private var failed: Set<String> = []
    private var ended: [RequestEnd] = []

    /// More failures at a time are forgotten: then the repetitions are counted as first requests.
    private static let failedMax = 4096

    init(_ clock: LiveClock) { self.clock = clock }

    var count: Int { ended.count }

    /// - Parameter moment: ns of CLOCK_MONOTONIC.
    mutating func began(_ request: HTTPRequest, exchange: UInt64, cause: String, at moment: Int64) {
        flights[exchange] = Flight(
            route: Self.route(of: request), cause: cause, began: moment, bytesSent: Self.bytes(of: request))
    }

    /// A second copy of an answer changes nothing.
    mutating func ended(_ payload: Payload, exchange: UInt64, at moment: Int64) {
        guard let flight = flights.removeValue(forKey: exchange) else { return }
        let key = "\(flight.route) \(flight.cause)"
        let isRepeated = failed.remove(key) != nil
        var end = RequestEnd(
            route: flight.route, began: clock.instant(at: flight.began),
            took: Span(nanoseconds: max(0, moment - flight.began)), outcome: .failed,
            isRepeated: isRepeated, bytesSent: flight.bytesSent)
        if case .response(let response) = payload {
            end.outcome = Self.outcome(of: response.status)
            end.bytesReceived = Self.bytes(of: response)
        }
        if end.outcome == .failed, failed.count < Self.failedMax { failed.insert(key) }
        ended.append(end)
    }

    /// What has ended since this was asked last.
    mutating func take() -> [RequestEnd] {
        defer { ended = [] }
        return ended
    }

    private static func outcome(of status: Int) -> RequestEnd.Outcome {
        switch status {
        case 429, 500...: .failed
        case 400...: .refused
        default: .answered
        }
    }

    // MARK: What was asked

    /// Method, service and operation, without containers, stores, files and people.
    static func route(of request: HTTPRequest) -> String {
        let path = request.target.prefix { $0 != "?" }.split(separator: "/")
        let words: [Substring] =
            switch path.first {
            case "database"?: [path[0]] + [path.suffix(2).joined(separator: "/")[...]]
            case "upload"?: [path[0]] + (path.last == "login" ? ["login"] : [])
            case "documents"?: [path[0]] + path.dropFirst(3).prefix(1)
            case "kvs"?, "keychain"?: [path[0]] + path.dropFirst(2).suffix(1)
            case .some: [path[0]] + path.dropFirst(2).prefix(1)
            case nil: []
            }
        return ([request.method[...]] + words).joined(separator: " ")
    }

    // MARK: Bytes

    /// As HTTP/1.1 writes it, without what libcurl adds.
    private static func bytes(of request: HTTPRequest) -> Int {
        request.method.utf8.count + request.target.utf8.count + 12 + bytes(of: request.headers) + request.body.count
    }
    private static func bytes(of response: HTTPResponse) -> Int {
        17 + bytes(of: response.headers) + response.body.count
    }
    private static func bytes(of headers: HTTPHeaders) -> Int {
        headers.fields.reduce(2) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 }
    }
}
