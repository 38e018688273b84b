import FleetModel
import Trace

/// Finds when a network message was sent: a trace tells the choice for each as it starts its way, and its arrival later.
///
/// Their keys differ, so a pair is found by its times: the arrival less the latency lies between the lines around the choice. Other messages
/// are delivered in the instant in which they are sent.
struct SendTimes {
    private struct Waiting {
        /// The last moment that was known when the choice was written, and the first one after it.
        var notBefore: Instant
        var notAfter: Instant?
        var latency: Span
        var cause: String
    }
    /// By direction and iPad: `request ipad-3`.
    private var waiting: [String: [Waiting]] = [:]
    /// Links whose last choice still waits for a line with a time.
    private var open: [String] = []
    private var now = Instant.zero

    /// A choice of the schedule tape.
    /// - Returns: the message, when it is lost on its way: nothing will tell of it again.
    mutating func pass(key: String, fate: Value) -> TracedMessage? {
        let words = key.split(separator: " ", maxSplits: 2).map(String.init)
        guard words.count == 3, let pad = ParticipantID(words[1]) else { return nil }
        // A trace may be hostile: no answer takes longer than a run.
        let latency = Span(nanoseconds: min(max(fate["latency"]?.int ?? 0, 0), Span.hours(7 * 24).nanoseconds))
        guard fate["ending"]?.string == nil else {
            guard fate["ending"]?.string == "lost" else { return nil }
            let isRequest = words[0] == "request"
            return TracedMessage(
                at: now + latency, from: isRequest ? pad : .cloud, to: isRequest ? .cloud : pad, kind: words[0],
                subject: words[2])
        }
        let link = "\(words[0]) \(words[1])"
        waiting[link, default: []].append(Waiting(notBefore: now, latency: latency, cause: words[2]))
        open.append(link)
        return nil
    }

    /// A line with a time: what was chosen just before it was chosen by then.
    mutating func reach(_ at: Instant) {
        now = at
        guard !open.isEmpty else { return }
        for link in open {
            for index in waiting[link, default: []].indices where waiting[link]?[index].notAfter == nil {
                waiting[link]?[index].notAfter = at
            }
        }
        open = []
    }

    /// When a message that is delivered was sent.
    mutating func sent(_ message: TracedMessage) -> Instant {
        guard message.kind == "request" || message.kind == "response" || message.kind == "push",
            let pad = message.from.pad ?? message.to.pad
        else { return message.at }
        let link = "\(message.kind) ipad-\(pad)"
        guard let list = waiting[link] else { return message.at }
        for (index, one) in list.enumerated() {
            let sent = Instant(nanoseconds: message.at.nanoseconds &- one.latency.nanoseconds)
            guard sent >= one.notBefore, one.notAfter.map({ sent <= $0 }) ?? true else { continue }
            waiting[link]?.remove(at: index)
            return sent
        }
        forget(link, before: message.at)
        return message.at
    }

    /// Choices whose message died with its iPad never get an arrival.
    private mutating func forget(_ link: String, before now: Instant) {
        waiting[link]?.removeAll { ($0.notAfter ?? now) + $0.latency + Span.minutes(10) < now }
    }
}
