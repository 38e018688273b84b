import FleetModel

/// One message at the moment it was delivered.
public struct TracedEvent: Sendable {
    /// Virtual time of the delivery.
    public var at: Instant
    /// Whose message it is.
    public var from: ParticipantID
    /// Who received it.
    public var to: ParticipantID
    /// What was delivered. The trace has its hash and size only.
    public var payload: Payload
    /// Ties an answer to its question; 0 for what nobody answers.
    public var exchange: UInt64
    /// Entropy digest of the receiver after its step.
    public var entropy: UInt64

    /// From its parts.
    public init(
        at: Instant, from: ParticipantID, to: ParticipantID, payload: Payload, exchange: UInt64, entropy: UInt64
    ) {
        self.at = at
        self.from = from
        self.to = to
        self.payload = payload
        self.exchange = exchange
        self.entropy = entropy
    }
}

/// Where trace lines go besides the digest.
public protocol TraceSink: AnyObject {
    /// Takes one line, newline included.
    /// - Throws: `TraceProblem` when the line cannot be kept or differs from what is expected; the run stops there.
    func take(_ line: [UInt8], number: Int) throws(TraceProblem)
}

/// The one place where a run is written down: three tapes, the events, the history. Every line goes into the digest.
///
/// Mode, paths, dates and process ids stay outside, so that the same run has the same bytes in every mode.
public final class Recorder {
    private var digest = RunDigest()
    /// The present message in binary, and its line.
    private var writer = ByteWriter(reserving: 1024)
    private var bytes: [UInt8] = []
    private let sink: (any TraceSink)?
    /// Lines after the header.
    public private(set) var lines = 0
    /// Messages delivered.
    public private(set) var events = 0
    /// What checkers see.
    public private(set) var history: [HistoryEvent] = []

    /// - Parameter header: what is run is part of the digest; nil for runs that nobody can repeat from a file.
    public init(sink: (any TraceSink)?, header: TraceHeader? = nil) {
        self.sink = sink
        if let header { digest.add(header.identity) }
    }

    /// The digest of all lines so far, 64 hex digits; equal for equal runs.
    public var hex: String { digest.hex }

    /// Writes a step of the plan tape. Throws what the sink throws.
    public func plan(_ step: PlanStep) throws(TraceProblem) { try line(["plan": step.body]) }
    /// Writes a fault of the fault tape. Throws what the sink throws.
    public func fault(_ spec: FaultSpec) throws(TraceProblem) { try line(["fault": spec.body]) }
    /// A line that another recorder has made, newline included: events and notes of a run whose tapes were known only at its end.
    package func copy(_ line: [UInt8]) throws(TraceProblem) {
        bytes = line
        try keep()
    }
    /// One choice of the schedule tape: what became of a network message.
    public func pass(_ key: String, _ outcome: Value) throws(TraceProblem) {
        try line(["pass": .string(key), "fate": outcome])
    }

    /// Writes an event of the history and keeps it for the checkers. Throws what the sink throws; the event is kept all the same.
    public func note(_ event: HistoryEvent) throws(TraceProblem) {
        history.append(event)
        try line(event.body)
    }

    /// Writes a delivered message: who, when, which kind, size and hash. Throws what the sink throws.
    public func event(_ event: TracedEvent) throws(TraceProblem) {
        events += 1
        writer.removeAll()
        event.payload.write(to: &writer)
        var hash = StableHash()
        hash.add(writer.bytes)
        // The most frequent line by far: written straight, its keys in canonical order.
        bytes.removeAll(keepingCapacity: true)
        number("{\"b\":", Int64(writer.bytes.count))
        number(",\"e\":", Int64(events))
        text(",\"from\":", event.from.description)
        hex(",\"h\":", hash.value)
        text(",\"k\":", event.payload.kindName)
        hex(",\"n\":", event.entropy)
        text(",\"s\":", event.payload.subject)
        number(",\"t\":", event.at.nanoseconds)
        text(",\"to\":", event.to.description)
        number(",\"x\":", Int64(truncatingIfNeeded: event.exchange))
        bytes.append(UInt8(ascii: "}"))
        try endLine()
    }
    private func number(_ opening: StaticString, _ number: Int64) {
        open(opening)
        Value.int(number).writeJSON(to: &bytes)
    }
    private func text(_ opening: StaticString, _ text: String) {
        open(opening)
        Value.writeJSON(text, to: &bytes)
    }
    /// In quotes, without leading zeros: JSON's numbers end at 2^53.
    private func hex(_ opening: StaticString, _ number: UInt64) {
        open(opening)
        bytes.append(UInt8(ascii: "\""))
        var shift = number == 0 ? 0 : (63 - number.leadingZeroBitCount) / 4 * 4
        while shift >= 0 {
            let digit = UInt8(truncatingIfNeeded: number >> UInt64(shift)) & 15
            bytes.append(digit < 10 ? digit + 48 : digit + 87)
            shift -= 4
        }
        bytes.append(UInt8(ascii: "\""))
    }
    private func open(_ opening: StaticString) {
        opening.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    private func line(_ value: Value) throws(TraceProblem) {
        bytes.removeAll(keepingCapacity: true)
        value.writeJSON(to: &bytes)
        try endLine()
    }
    private func endLine() throws(TraceProblem) {
        bytes.append(UInt8(ascii: "\n"))
        try keep()
    }
    private func keep() throws(TraceProblem) {
        lines += 1
        digest.add(bytes)
        try sink?.take(bytes, number: lines)
    }
}
