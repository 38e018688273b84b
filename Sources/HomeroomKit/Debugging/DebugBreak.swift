import FleetModel

/// Where a run stops by itself: `mark NAME`, `edit maya.3 [KIND]`, `note KIND [PLACE]`, `message TEXT [PLACE]`, `fault ID`, `at TIME`,
/// `when PLACE PATH OP VALUE`.
struct DebugBreak: Hashable {
    /// As it was given.
    let words: [String]
    private let kind: Kind

    private enum Kind: Hashable {
        /// A line of the trace.
        case line(needle: [UInt8], Line)
        /// Something begins to hold.
        case moment(Instant)
        case state(ParticipantID, Condition)
    }
    private enum Line: Hashable {
        case mark(String)
        case edit(Token, String?)
        case note(String, ParticipantID?)
        case message(String, ParticipantID?)
        case fault(String)
    }
    struct Condition: Hashable {
        var path: [String]
        var comparison: Comparison
        var value: Value
    }
    enum Comparison: String, Hashable { case equal = "==", differs = "!=", less = "<", more = ">", exists, lacks }

    var text: String { words.joined(separator: " ") }

    init(_ words: [String]) throws(DebugProblem) {
        self.words = words
        let rest = Array(words.dropFirst())
        switch words.first {
        case "mark" where rest.count == 1: kind = .line(needle: Self.quoted(rest[0]), .mark(rest[0]))
        case "edit" where rest.count == 1, "edit" where rest.count == 2:
            if let kind = rest.dropFirst().first { try Self.check(kind) }
            kind = .line(needle: Self.quoted(rest[0]), .edit(rest[0], rest.dropFirst().first))
        case "note" where rest.count == 1, "note" where rest.count == 2:
            try Self.check(rest[0])
            kind = .line(needle: Self.quoted(rest[0]), .note(rest[0], try Self.place(rest.dropFirst().first)))
        case "message" where rest.count == 1, "message" where rest.count == 2:
            kind = .line(needle: Array(rest[0].utf8), .message(rest[0], try Self.place(rest.dropFirst().first)))
        case "fault" where rest.count == 1: kind = .line(needle: Self.quoted(rest[0]), .fault(rest[0]))
        case "at" where rest.count == 1:
            guard let moment = DebugMoment.time(rest[0], now: .zero) else { throw DebugMoment.noTime(rest[0]) }
            kind = .moment(moment)
        case "when" where rest.count >= 3:
            guard let id = try Self.place(rest[0]) else { throw Self.usage }
            kind = .state(id, try Self.condition(Array(rest.dropFirst())))
        default: throw Self.usage
        }
    }
    private static let usage = DebugProblem(
        "a break is: mark NAME, edit EDIT [KIND], note KIND [PLACE], message TEXT [PLACE], fault ID, at TIME, or when PLACE PATH OP VALUE "
            + "with OP one of == != < > exists lacks")
    private static func quoted(_ text: String) -> [UInt8] { Value.string(text).jsonBytes }
    private static func place(_ word: String?) throws(DebugProblem) -> ParticipantID? {
        guard let word else { return nil }
        guard let id = ParticipantID(word) else {
            throw DebugProblem("'\(word)' is no place: use people, cloud, ipad-1 or ipad-1/app-2")
        }
        return id
    }
    private static func check(_ kind: String) throws(DebugProblem) {
        guard Note.Kind(rawValue: kind) != nil else {
            throw DebugProblem(
                "there is no kind of note '\(kind)'; there are \(Note.Kind.allCases.map(\.rawValue).joined(separator: " "))"
            )
        }
    }
    private static func condition(_ words: [String]) throws(DebugProblem) -> Condition {
        let path = words[0].split(separator: ".").map(String.init)
        guard let comparison = Comparison(rawValue: words[1]) else { throw usage }
        let isUnary = comparison == .exists || comparison == .lacks
        guard words.count == (isUnary ? 2 : 3) else { throw usage }
        let text = isUnary ? "" : words[2]
        let value: Value = (try? Value(json: Array(text.utf8))) ?? .string(text)
        return Condition(path: path, comparison: comparison, value: value)
    }

    // MARK: Looking

    /// Whether a line of the trace is what it waits for.
    func isHit(by line: [UInt8]) -> Bool {
        guard case .line(let needle, let wanted) = kind, line.holds(needle),
            let body = try? Value(json: Array(line.dropLast()))
        else { return false }
        switch wanted {
        case .mark(let name): return body["note"] == "mark" && body["detail"]?["name"]?.string == name
        case .edit(let token, let kind):
            guard body["note"] != nil, kind == nil || body["note"]?.string == kind else { return false }
            return body["tokens"]?.strings.contains(token) == true
        case .note(let kind, let place):
            return body["note"]?.string == kind && (place == nil || body["from"]?.string == place?.description)
        case .message(let text, let place):
            guard body["e"] != nil, body["s"]?.string?.contains(text) == true else { return false }
            return place == nil || [body["from"]?.string, body["to"]?.string].contains(place?.description)
        case .fault(let id):
            return ["faultBegan", "faultHealed"].contains(body["note"]?.string) && body["detail"]?["id"]?.string == id
        }
    }
    /// Whether what it waits for holds now; nil for one that waits for a line.
    func holds(now: Instant, state: (ParticipantID) -> Value?) -> Bool? {
        switch kind {
        case .line: nil
        case .moment(let moment): now >= moment
        case .state(let id, let condition): condition.holds(in: state(id) ?? .null)
        }
    }
}

extension DebugBreak.Condition {
    /// A path leads through members, numbers of an array's elements and `count`.
    func holds(in state: Value) -> Bool {
        var found: Value? = state
        for step in path {
            if let list = found?.array {
                found =
                    step == "count"
                    ? .int(list.count) : Int(step).flatMap { list.indices.contains($0) ? list[$0] : nil }
            } else {
                found = found?[step]
            }
        }
        switch comparison {
        case .exists: return found != nil
        case .lacks: return found == nil
        case .equal: return found == value
        case .differs: return found != value
        case .less: return Self.order(found, value) { $0 < $1 }
        case .more: return Self.order(found, value) { $0 > $1 }
        }
    }
    private static func order(_ a: Value?, _ b: Value, _ holds: (Double, Double) -> Bool) -> Bool {
        guard let a = a?.double, let b = b.double else { return false }
        return holds(a, b)
    }
}

extension [UInt8] {
    /// Whether these bytes stand somewhere in it: cheaper than to read a line that says something else.
    fileprivate func holds(_ needle: [UInt8]) -> Bool {
        guard let first = needle.first, count >= needle.count else { return needle.isEmpty }
        return withUnsafeBytes { bytes in
            needle.withUnsafeBytes { needle in
                (0...(bytes.count - needle.count)).contains { start in
                    bytes[start] == first && bytes[start..<(start + needle.count)].elementsEqual(needle)
                }
            }
        }
    }
}
