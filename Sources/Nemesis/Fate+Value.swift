import FleetModel

/// The schedule tape's form of an outcome.
extension DeliveryOutcome {
    /// Without members for what is usual: a message that arrives whole has its latency alone, in nanoseconds.
    public var body: Value {
        var body: Value = ["latency": .int(latency.nanoseconds)]
        switch ending {
        case .arrives: break
        case .lost: body["ending"] = "lost"
        case .refused: body["ending"] = "refused"
        case .handshakeFailed: body["ending"] = "handshake-failed"
        case .reset: body["ending"] = "reset"
        case .truncated(let bytes): body["truncated"] = .int(bytes)
        case .held(let until): body["held"] = .int(until.nanoseconds)
        case .answered(let response):
            let headers = response.headers.fields.map { Value.strings([$0.name, $0.value]) }
            body["answered"] = [
                "status": .int(response.status), "headers": .array(headers), "body": .data(response.body),
            ]
        }
        if let duplicate { body["duplicate"] = .int(duplicate.nanoseconds) }
        return body
    }

    /// Nil when the value is not what `body` writes: a tape from outside may hold anything.
    public init?(_ body: Value) {
        guard let latency = body["latency"]?.int, Self.tapeRange.contains(latency), let ending = Self.ending(body)
        else { return nil }
        self.init(latency: Span(nanoseconds: latency), ending: ending)
        if let value = body["duplicate"] {
            guard let later = value.int, Self.tapeRange.contains(later) else { return nil }
            duplicate = Span(nanoseconds: later)
        }
    }

    /// Nanoseconds that a tape may hold, a year: times are added and doubled from them.
    private static let tapeRange: ClosedRange<Int64> = 0...Span.hours(366 * 24).nanoseconds

    private static func ending(_ body: Value) -> Ending? {
        if let held = body["held"] { return held.int.map { .held(until: Instant(nanoseconds: $0)) } }
        if let answered = body["answered"] { return response(answered).map { .answered($0) } }
        if let bytes = body["truncated"] {
            return bytes.int.flatMap { $0 >= 0 ? Int(exactly: $0) : nil }.map { .truncated(afterBytes: $0) }
        }
        switch body["ending"] {
        case nil: return .arrives
        case "lost": return .lost
        case "refused": return .refused
        case "handshake-failed": return .handshakeFailed
        case "reset": return .reset
        default: return nil
        }
    }

    private static func response(_ body: Value) -> HTTPResponse? {
        guard let status = body["status"]?.int.flatMap({ Int(exactly: $0) }), let data = body["body"]?.data,
            let fields = body["headers"]?.array
        else { return nil }
        var response = HTTPResponse(status: status, body: data)
        for field in fields {
            let pair = field.strings
            guard pair.count == 2 else { return nil }
            response.headers[pair[0]] = pair[1]
        }
        return response
    }
}
