/// One request of an iPad to the Cloud, when it has ended; for who measures what a run cost. Only `live` has them: elsewhere requests cost
/// what the network's model says.
public struct RequestEnd: Hashable, Sendable {
    /// What came back, sorted by what the requester can do about it.
    public enum Outcome: UInt8, Hashable, Sendable {
        case answered
        /// The Cloud said no, for good: 4xx but 429.
        case refused
        /// No answer, or one that says to come again: 429, 5xx.
        case failed
    }
    /// What was asked for, without what differs from person to person: `POST database records/modify`.
    public var route: String
    /// When it left the iPad's network stack, of the run's time.
    public var began: Instant
    /// Of the machine's time, as the iPad's network stack saw it: with what faults added.
    public var took: Span
    /// What the requester got; what the request did at the Cloud is another question.
    public var outcome: Outcome
    /// The one before it for the same purpose had failed.
    public var isRepeated: Bool
    /// Request line or status, header fields and body, as HTTP/1.1 writes them.
    public var bytesSent: Int
    /// The same for what came back; 0 where nothing did.
    public var bytesReceived: Int

    /// A first try that began with the run and moved no bytes, unless more is given.
    public init(
        route: String, began: Instant = .zero, took: Span, outcome: Outcome, isRepeated: Bool = false,
        bytesSent: Int = 0,
        bytesReceived: Int = 0
    ) {
        self.route = route
        self.began = began
        self.took = took
        self.outcome = outcome
        self.isRepeated = isRepeated
        self.bytesSent = bytesSent
        self.bytesReceived = bytesReceived
    }
}

extension RequestEnd {
    /// The form of a live iPad's frames.
    public func write(to writer: inout ByteWriter) {
        writer.string(route)
        writer.signed(began.nanoseconds)
        writer.signed(took.nanoseconds)
        writer.varint(UInt64(outcome.rawValue))
        writer.flag(isRepeated)
        writer.varint(UInt64(bytesSent))
        writer.varint(UInt64(bytesReceived))
    }
    /// - Throws: `DecodingFailure` for an unknown outcome or bytes that end too early.
    public init(from reader: inout ByteReader) throws(DecodingFailure) {
        route = try reader.string()
        began = Instant(nanoseconds: try reader.signed())
        took = Span(nanoseconds: try reader.signed())
        let kind = try reader.varint()
        guard let known = UInt8(exactly: kind).flatMap(Outcome.init) else {
            throw DecodingFailure("an unknown outcome of a request", at: reader.offset)
        }
        outcome = known
        isRepeated = try reader.flag()
        bytesSent = Int(clamping: try reader.varint())
        bytesReceived = Int(clamping: try reader.varint())
    }
}
