import FleetModel
import Trace

/// Messages of a run in columns: a run has a hundred thousand of them, and each is a few numbers.
public struct Messages: Hashable, Sendable {
    /// What became of a message.
    public enum Fate: UInt8, Hashable, Sendable, CaseIterable {
        /// It was delivered.
        case arrived
        /// It never arrived: `until` is when it would have.
        case lost
    }
    /// When it was delivered.
    public private(set) var until: [Instant] = []
    /// When it was sent. Equal to `until` where the way takes no time or the trace does not tell.
    public private(set) var sent: [Instant] = []
    /// Positions in `names`, `kinds` and `subjects`.
    public private(set) var from: [Int32] = []
    /// Who received it, or would have.
    public private(set) var to: [Int32] = []
    /// What kind of message it is, as `TracedMessage.kind`.
    public private(set) var kind: [Int32] = []
    /// What it is about, as `TracedMessage.subject`.
    public private(set) var subject: [Int32] = []
    /// What became of it.
    public private(set) var fate: [Fate] = []
    /// Distinct senders and receivers.
    public private(set) var names: Table<ParticipantID> = .init()
    /// Distinct kinds.
    public private(set) var kinds: Table<String> = .init()
    /// Distinct subjects.
    public private(set) var subjects: Table<String> = .init()

    /// Messages.
    public var count: Int { until.count }

    mutating func add(_ message: TracedMessage, sent: Instant, _ fate: Fate) {
        until.append(message.at)
        self.sent.append(sent)
        from.append(names.position(of: message.from))
        to.append(names.position(of: message.to))
        kind.append(kinds.position(of: message.kind))
        subject.append(subjects.position(of: message.subject))
        self.fate.append(fate)
    }

    /// Distinct values, each once, in the order in which they came.
    public struct Table<Element: Hashable & Sendable>: Hashable, Sendable {
        /// In the order in which they came first.
        public private(set) var values: [Element] = []
        private var positions: [Element: Int32] = [:]

        /// Holds nothing.
        public init() {}
        /// The position of a value, which is added when it is new.
        public mutating func position(of value: Element) -> Int32 {
            if let known = positions[value] { return known }
            let position = Int32(values.count)
            positions[value] = position
            values.append(value)
            return position
        }
    }
}

/// The messages nearest to a moment, when there may be more than a page takes: half of them from before it, and the rest from after it.
struct MessageWindow {
    private let focus: Instant
    private let limit: Int
    private var before: [Kept] = []
    /// Where the oldest of `before` is, once it is full: a ring.
    private var oldest = 0
    private var after: [Kept] = []
    private(set) var seen = 0

    private struct Kept {
        var message: TracedMessage
        var sent: Instant
        var fate: Messages.Fate
    }

    init(around focus: Instant, limit: Int) {
        self.focus = focus
        self.limit = max(2, limit)
    }

    mutating func add(_ message: TracedMessage, sent: Instant, _ fate: Messages.Fate = .arrived) {
        seen += 1
        let kept = Kept(message: message, sent: sent, fate: fate)
        if message.at <= focus {
            if before.count < limit {
                before.append(kept)
            } else {
                before[oldest] = kept
                oldest = (oldest + 1) % limit
            }
        } else if after.count < limit {
            after.append(kept)
        }
    }

    /// What is kept of them, in the order of time.
    var messages: Messages {
        let earlier = before[oldest...] + before[..<oldest]
        // Each side takes what the other one does not need.
        let ahead = min(after.count, max(limit / 2, limit - earlier.count))
        var messages = Messages()
        // One that is lost is known as it leaves, before others that come earlier than it would have.
        for kept in (earlier.suffix(limit - ahead) + after.prefix(ahead)).sorted(by: { $0.message.at < $1.message.at })
        {
            messages.add(kept.message, sent: kept.sent, kept.fate)
        }
        return messages
    }
}
