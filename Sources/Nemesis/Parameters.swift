import FleetModel

/// Reads a fault's parameters with types and limits, so that an impossible one is named before a run begins.
///
/// Spans are nanoseconds (as the fault tape holds them) or texts such as `250ms` (as people write them).
struct Parameters {
    private let values: Value
    /// Somebody who only wants to know what is asked here.
    private let listener = FormListener.current

    /// - Parameters:
    ///   - names: the parameters that the fault knows.
    ///   - window: whether the fault lasts; then it must end after it begins.
    init(_ spec: FaultSpec, window: Bool, _ names: String...) throws(FaultProblem) {
        values = spec.parameters
        listener?.takes(names, isWindow: window)
        guard spec.from >= .zero else { throw FaultProblem("from", "begins before the run; give a time from 0s on") }
        guard spec.until >= spec.from else { throw FaultProblem("until", "ends before it begins at \(spec.from)") }
        guard !window || spec.until > spec.from else {
            throw FaultProblem("until", "'\(spec.kind)' lasts from ... until; give an end after \(spec.from)")
        }
        guard spec.pads.allSatisfy({ $0 > 0 }) else { throw FaultProblem("ipads", "iPads are numbered from 1") }
        guard let object = values.object else { throw FaultProblem("with", "expected a mapping of parameters") }
        for key in object.keys where !names.contains(key) {
            let known = names.isEmpty ? "it takes none" : "it takes \(names.joined(separator: ", "))"
            throw FaultProblem(key, "'\(spec.kind)' has no parameter '\(key)'; \(known)")
        }
    }

    func has(_ name: String) -> Bool { values[name] != nil }

    /// A number from 0 to 1.
    func probability(_ name: String, _ standard: Double) throws(FaultProblem) -> Double {
        listener?.reads(name, as: .probability(standard))
        guard let value = values[name] else { return standard }
        guard let number = value.double, (0...1).contains(number) else {
            throw FaultProblem(name, "'\(name)' is a probability; give a number from 0 to 1")
        }
        return number
    }

    /// A length of time inside the range; negative ones carry a leading minus.
    func span(_ name: String, _ standard: Span, in range: ClosedRange<Span>) throws(FaultProblem) -> Span {
        listener?.reads(name, as: .time(standard, range))
        guard let value = values[name] else { return standard }
        guard let span = Self.span(value), range.contains(span) else {
            throw FaultProblem(
                name,
                "'\(name)' is a length of time from \(range.lowerBound) to \(range.upperBound), such as 250ms or 5s")
        }
        return span
    }

    func whole(_ name: String, _ standard: Int, in range: ClosedRange<Int>) throws(FaultProblem) -> Int {
        listener?.reads(name, as: .number(standard, range))
        guard let value = values[name] else { return standard }
        guard let number = value.int.flatMap({ Int(exactly: $0) }), range.contains(number) else {
            throw FaultProblem(name, "'\(name)' is a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    func flag(_ name: String, _ standard: Bool) throws(FaultProblem) -> Bool {
        listener?.reads(name, as: .flag(standard))
        guard let value = values[name] else { return standard }
        guard let flag = value.bool else { throw FaultProblem(name, "'\(name)' is true or false") }
        return flag
    }

    func text(_ name: String) throws(FaultProblem) -> String? {
        listener?.reads(name, as: .text)
        guard let value = values[name] else { return nil }
        guard let text = value.string, !text.isEmpty else { throw FaultProblem(name, "'\(name)' is a text") }
        return text
    }

    /// One of a fixed list of words; the first is the default.
    func choice<Word: RawRepresentable & CaseIterable>(_ name: String, _ standard: Word) throws(FaultProblem) -> Word
    where Word.RawValue == String {
        listener?.reads(name, as: .choice(standard.rawValue, of: Word.allCases.map(\.rawValue)))
        guard let value = values[name] else { return standard }
        guard let word = value.string.flatMap(Word.init(rawValue:)) else {
            throw FaultProblem(name, "'\(name)' is one of \(Word.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        return word
    }

    private static func span(_ value: Value) -> Span? {
        if let number = value.int { return Span(nanoseconds: number) }
        guard let text = value.string else { return nil }
        guard text.hasPrefix("-") else { return Span(parsing: text) }
        return Span(parsing: text.dropFirst()).map { Span(nanoseconds: -$0.nanoseconds) }
    }
}

/// What the drawn specifications of many faults have in common.
enum Drawn {
    /// A window of a drawn length somewhere in the storm.
    static func window(
        id: String, kind: String, pads: [Int], lasting: ClosedRange<Span>, horizon: Instant, _ draw: inout Draw
    )
        -> FaultSpec
    {
        let from = moment(before: horizon, &draw)
        let until = min(from + draw.span(lasting), horizon)
        return FaultSpec(
            id: id, kind: kind, from: from, until: max(until, from + Span(nanoseconds: 1)), pads: some(pads, &draw))
    }
    /// A single moment on one iPad.
    static func event(id: String, kind: String, pads: [Int], horizon: Instant, _ draw: inout Draw) -> FaultSpec {
        let from = moment(before: horizon, &draw)
        return FaultSpec(id: id, kind: kind, from: from, until: from, pads: draw.pick(pads).map { [$0] } ?? [])
    }
    /// A part of the iPads: one in half of the draws, else each with a drawn bias; never none.
    static func some(_ pads: [Int], _ draw: inout Draw) -> [Int] {
        guard let one = draw.pick(pads) else { return [] }
        if draw.chance(0.5) { return [one] }
        let bias = draw.unit()
        return pads.filter { $0 == one || draw.chance(bias) }
    }
    static func moment(before horizon: Instant, _ draw: inout Draw) -> Instant {
        Instant(nanoseconds: Int64(Double(max(horizon.nanoseconds, 0)) * 0.95 * draw.unit()))
    }
    static func span(_ range: ClosedRange<Span>, _ draw: inout Draw) -> Value { .int(draw.span(range).nanoseconds) }
    /// A probability with two decimals, so that a tape stays readable.
    static func probability(_ range: ClosedRange<Double>, _ draw: inout Draw) -> Value {
        let number = range.lowerBound + (range.upperBound - range.lowerBound) * draw.unit()
        return .double((number * 100).rounded() / 100)
    }
}

extension Fault {
    /// One command to the Cloud, about one account or about all.
    func cloudCommand(_ command: CloudCommand, account: String?, _ body: Value = .empty) -> [FaultAct] {
        var body = body
        if let account { body["account"] = .string(account) }
        return [.command(.cloud, command.message(body))]
    }
    /// One command for each iPad of the specification. The nemesis has put in all iPads where none were named.
    func command(_ command: some PadCommandMessage) -> [FaultAct] { self.command(command.message) }
    func command(_ message: Message) -> [FaultAct] { spec.pads.map { .command(.pad($0), message) } }
    /// A seed of its own for each iPad: what a power cut tears.
    func seed(_ part: String) -> UInt64 {
        StableHash.of(UInt64(bitPattern: spec.from.nanoseconds), Self.name, spec.id, part)
    }
    /// Whether the message is one that this fault's iPads and route prefix select.
    func selects(_ message: NetworkMessage, route: String? = nil) -> Bool {
        spec.concerns(message.pad) && (route.map(message.route.hasPrefix) ?? true)
    }
}

extension HTTPResponse {
    /// What somebody in front of the Cloud answers in its words (cloudkit-web-services.md 9): not now, and when to come back.
    static func refusal(_ status: Int, _ code: String, _ reason: String, retryAfter: Span, uuid: UInt64) -> HTTPResponse
    {
        // Whole seconds, never sooner than meant.
        let seconds = (retryAfter.nanoseconds + 999_999_999) / 1_000_000_000
        var response = HTTPResponse(
            status: status,
            json: [
                "uuid": .string(String(uuid, radix: 16)), "serverErrorCode": .string(code), "reason": .string(reason),
                "retryAfter": .int(seconds),
            ])
        response.headers["Retry-After"] = String(seconds)
        return response
    }
}
