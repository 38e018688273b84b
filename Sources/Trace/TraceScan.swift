import FleetModel

/// One line of a trace, for readers that go through it once and keep little of it.
public enum TraceLine: Sendable {
    /// A delivered message.
    case message(TracedMessage)
    /// What became of a network message as it was sent: its key on the schedule tape, and its fate.
    case pass(key: String, fate: Value)
    /// A line of the history.
    case note(HistoryEvent)
}

/// A delivered message as its trace line has it: names, no payload.
public struct TracedMessage: Hashable, Sendable {
    /// Virtual time of the delivery.
    public var at: Instant
    /// Whose message it is.
    public var from: ParticipantID
    /// Who received it.
    public var to: ParticipantID
    /// `post`, `call`, `answer`, `request`, `response`, `failure`, `push`, `command`, `host`.
    public var kind: String
    /// The name of a message, a method with its target, or a status.
    public var subject: String
    /// Bytes of its binary form.
    public var bytes: Int

    /// From its parts.
    public init(
        at: Instant, from: ParticipantID, to: ParticipantID, kind: String, subject: String, bytes: Int = 0
    ) {
        self.at = at
        self.from = from
        self.to = to
        self.kind = kind
        self.subject = subject
        self.bytes = bytes
    }

    /// Nil for a line that is not a message.
    init?(_ body: Value) {
        guard let at = body["t"]?.int, let from = body["from"]?.string.flatMap({ ParticipantID($0) }),
            let to = body["to"]?.string.flatMap({ ParticipantID($0) }), let kind = body["k"]?.string
        else { return nil }
        self.init(
            at: Instant(nanoseconds: at), from: from, to: to, kind: kind, subject: body["s"]?.string ?? "",
            bytes: Int(clamping: body["b"]?.int ?? 0))
    }
}

extension RecordedTrace {
    /// Goes through the lines after the header, in their order, and holds none: a trace may be larger than the memory.
    ///
    /// It does not judge what it reads: `read` tells whether a trace is whole and unchanged. Plan, faults and lines that it does not know are
    /// left out.
    /// - Throws: `.unreadable` for a file that cannot be read and a line that is not JSON.
    public static func scan(path: String, _ take: (TraceLine) -> Void) throws(TraceProblem) {
        let source = try TraceLines(path: path)
        var number = 1
        _ = try source.next()
        while let bytes = try source.next() {
            number += 1
            let body: Value
            do { body = try Value(json: bytes) } catch {
                throw TraceProblem(
                    .unreadable,
                    "\(path):\(number):\(error.offset + 1): the trace is corrupted: \(error.reason); record it again")
            }
            if let key = body["pass"]?.string, let fate = body["fate"] {
                take(.pass(key: key, fate: fate))
            } else if body["note"] != nil {
                if let event = HistoryEvent(body) { take(.note(event)) }
            } else if body["e"] != nil, let message = TracedMessage(body) {
                take(.message(message))
            }
        }
    }
}
