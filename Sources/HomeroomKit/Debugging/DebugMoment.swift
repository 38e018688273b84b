import FleetModel

/// A moment as people name it: `08:03:40.5` on the school's clock, `3m40s` since the run began, `+5s` or `-5s` from here, `#1234` for the
/// message of that number, `line 1234` of the trace file, `turn 12`, `start`, `end`.
enum DebugMoment {
    static func turn(_ words: [String], from here: Instant, in index: DebugIndex) throws(DebugProblem) -> Int {
        guard let word = words.first, words.count <= 2 else { throw noTime(words.joined(separator: " ")) }
        if words.count == 2 {
            guard let number = Int(words[1]) else { throw noTime(words.joined(separator: " ")) }
            switch word {
            case "turn": return try within(number, index)
            case "line": return index.turn(ofLine: number)
            default: throw noTime(words.joined(separator: " "))
            }
        }
        switch word {
        case "start": return index.first
        case "end": return index.last
        default: break
        }
        if word.hasPrefix("#") {
            guard let number = Int(word.dropFirst()) else { throw noTime(word) }
            return index.turn(ofEvent: number)
        }
        guard let time = time(word, now: here) else { throw noTime(word) }
        return index.turn(at: time)
    }
    private static func within(_ turn: Int, _ index: DebugIndex) throws(DebugProblem) -> Int {
        guard (index.first...max(index.first, index.last)).contains(turn) else {
            throw DebugProblem("turn \(turn) is outside: there are turns \(index.first) to \(index.last)")
        }
        return turn
    }
    static func noTime(_ text: String) -> DebugProblem {
        DebugProblem(
            "'\(text)' is no moment: use 08:03:40.5, 3m40s since the beginning, +5s, #1234 (a message), line 1234, turn 12, start or end"
        )
    }

    /// The clock of the school, or a length of time.
    static func time(_ word: String, now: Instant) -> Instant? {
        if let sign = word.first, sign == "+" || sign == "-" {
            guard let span = Span(parsing: word.dropFirst()) else { return nil }
            let nanoseconds = now.nanoseconds + (sign == "+" ? span.nanoseconds : -span.nanoseconds)
            return Instant(nanoseconds: max(0, nanoseconds))
        }
        guard word.contains(":") else { return Span(parsing: word).map { .zero + $0 } }
        let parts = word.split(separator: ":", omittingEmptySubsequences: false)
        guard (2...3).contains(parts.count), let hours = Int64(parts[0]), let minutes = Int64(parts[1]),
            let seconds = parts.count == 3 ? Double(parts[2]) : 0, (0..<24 * 400).contains(hours),
            (0..<60).contains(minutes), seconds >= 0, seconds < 60
        else { return nil }
        // The run begins at 08:00 (`Instant.epochNanoseconds`).
        let begin: Int64 = Instant.epochNanoseconds / 1_000_000_000 % 86_400
        let whole = (hours * 60 + minutes) * 60 - begin
        let fraction = parts.count == 3 && parts[2].contains(".") ? Int(parts[2].split(separator: ".")[1].count) : 0
        // What is named to the millisecond is all of that millisecond.
        let rest: Int64 = fraction == 3 ? 999_999 : 0
        return Instant(nanoseconds: max(0, whole * 1_000_000_000 + Int64((seconds * 1e9).rounded()) + rest))
    }
}
