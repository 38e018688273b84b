import FleetModel

/// A run as a ShiViz log (bestchai.bitbucket.io/shiviz): who could have known of what, by vector clocks.
///
/// The first line is the regular expression that reads the log, the second the delimiter of executions, which is empty: ShiViz takes both from
/// the file. Each event has two lines: host with clock, and text. Hosts are people, iCloud and the iPads. An app belongs to the host of
/// its iPad, and what the two say to each other is left out: each launch would be a column of its own.
public struct ShiVizExport {
    /// What reads a log of ours: the form that ShiViz offers first.
    public static let expression = #"(?<host>\S*) (?<clock>\{.*\})\n(?<event>.*)"#

    private struct Event {
        enum Role { case send, receive, local }
        var at: Instant
        var order: Int
        var role: Role
        var host: String
        /// Of a message: its index.
        var message = 0
        var text: String
    }

    private var clocks: [String: [String: Int]] = [:]
    /// The sender's clock as each message left.
    private var sent: [Int: [String: Int]] = [:]

    /// - Returns: the log, in an order in which no event comes before one that it knows of.
    public static func text(_ picture: RunPicture) -> String {
        var export = ShiVizExport()
        var lines = [expression, ""]
        for event in events(of: picture) { lines += export.lines(event) }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func events(of picture: RunPicture) -> [Event] {
        let messages = picture.messages
        var events: [Event] = []
        for index in 0..<messages.count {
            let kind = messages.kinds.values[Int(messages.kind[index])]
            let subject = messages.subjects.values[Int(messages.subject[index])]
            let from = host(messages.names.values[Int(messages.from[index])])
            let to = host(messages.names.values[Int(messages.to[index])])
            guard from != to else { continue }
            let isLost = messages.fate[index] == .lost
            let words = (isLost ? "lost " : "") + "\(kind) \(subject)"
            events.append(
                Event(
                    at: messages.sent[index], order: index, role: .send, host: from, message: index,
                    text: "sends \(words) to \(to)"))
            guard !isLost else { continue }
            events.append(
                Event(
                    at: messages.until[index], order: index, role: .receive, host: to, message: index,
                    text: "receives \(words) from \(from)"))
        }
        // What edits went through comes after the messages of its instant.
        for trail in picture.edits {
            for step in trail.steps where step.tokens.contains(trail.edit.token) {
                events.append(
                    Event(
                        at: step.at, order: .max, role: .local, host: host(step.place),
                        text: "\(step.kind) \(trail.edit.token)"))
            }
        }
        // Stable: what is equal keeps its order.
        return events.enumerated().sorted {
            ($0.element.at, $0.element.order, $0.offset) < ($1.element.at, $1.element.order, $1.offset)
        }.map(\.element)
    }

    private static func host(_ id: ParticipantID) -> String {
        id.pad.map { ParticipantID.pad($0).description } ?? id.description
    }

    private mutating func lines(_ event: Event) -> [String] {
        var clock = clocks[event.host] ?? [:]
        if event.role == .receive, let other = sent.removeValue(forKey: event.message) {
            clock.merge(other) { max($0, $1) }
        }
        clock[event.host, default: 0] += 1
        clocks[event.host] = clock
        if event.role == .send { sent[event.message] = clock }
        let body = Value.object(Value.Object(clock.map { ($0.key, .int($0.value)) }))
        return ["\(event.host) \(body.json)", "\(event.at) \(event.text)".oneLine]
    }
}

extension String {
    /// Without line breaks and other control characters: what stands in formats that count lines.
    var oneLine: String {
        var out = ""
        for scalar in unicodeScalars {
            let isBreak =
                scalar.value < 0x20 || scalar.value == 0x7f || scalar == "\u{85}" || scalar == "\u{2028}"
                || scalar == "\u{2029}"
            out.unicodeScalars.append(isBreak ? " " : scalar)
        }
        return out
    }
}
