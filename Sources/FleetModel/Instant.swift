/// A moment of virtual time: nanoseconds since the run began.
///
/// The World alone advances it. Participants receive it in `step` and never read a clock of their own.
public struct Instant: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// Nanoseconds since the run began; never negative in a run.
    public var nanoseconds: Int64

    /// Any number is taken; a run gives none below 0.
    public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    /// The beginning of a run.
    public static let zero = Instant(nanoseconds: 0)
    /// The calendar moment that apps see at `zero`, in nanoseconds since 1970: 2026-09-01 08:00:00 UTC, a school morning.
    /// ASSUMED: any fixed moment would do; it must not depend on the machine.
    public static let epochNanoseconds: Int64 = 1_788_249_600_000_000_000

    /// The moment so much later. Wraps on overflow, which 292 years of a run would take.
    public static func + (instant: Instant, span: Span) -> Instant {
        Instant(nanoseconds: instant.nanoseconds &+ span.nanoseconds)
    }
    /// The length from `earlier` to `later`; negative where they stand the other way round.
    public static func - (later: Instant, earlier: Instant) -> Span {
        Span(nanoseconds: later.nanoseconds &- earlier.nanoseconds)
    }
    /// Earlier is smaller.
    public static func < (a: Instant, b: Instant) -> Bool { a.nanoseconds < b.nanoseconds }

    /// Clock form for people: `1h02m03.004s`.
    public var description: String { Span(nanoseconds: nanoseconds).description }

    /// The time that people at the school see: the run begins at 08:00 (`epochNanoseconds`). `08:02:40.000`, later `day 2 07:00:00.000`.
    public var wallClock: String {
        let day: Int64 = 86_400_000
        let total = nanoseconds / 1_000_000 + Self.epochNanoseconds / 1_000_000 % day
        let ofDay = (total % day + day) % day
        let days = (total - ofDay) / day
        let (hours, minutes) = (padded(ofDay / 3_600_000, 2), padded(ofDay / 60_000 % 60, 2))
        let text = "\(hours):\(minutes):\(padded(ofDay / 1000 % 60, 2)).\(padded(ofDay % 1000, 3))"
        return days == 0 ? text : "day \(days + 1) \(text)"
    }
}

/// A length of virtual time in nanoseconds: 64 bits, so that the heap and the frames stay small.
public struct Span: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// May be negative: a clock can be behind.
    public var nanoseconds: Int64

    /// Any number is taken.
    public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    /// No time at all.
    public static let zero = Span(nanoseconds: 0)
    /// `n` thousand nanoseconds. Traps on overflow, as all five of these do.
    public static func microseconds(_ n: Int64) -> Span { Span(nanoseconds: n * 1_000) }
    /// `n` million nanoseconds.
    public static func milliseconds(_ n: Int64) -> Span { Span(nanoseconds: n * 1_000_000) }
    /// `n` billion nanoseconds.
    public static func seconds(_ n: Int64) -> Span { Span(nanoseconds: n * 1_000_000_000) }
    /// `n` times 60 seconds.
    public static func minutes(_ n: Int64) -> Span { .seconds(n * 60) }
    /// `n` times 60 minutes. Days are written as 24 hours.
    public static func hours(_ n: Int64) -> Span { .seconds(n * 3600) }

    /// Shorter is smaller, with the sign: -2 s is smaller than 1 s.
    public static func < (a: Span, b: Span) -> Bool { a.nanoseconds < b.nanoseconds }
    /// Both one after the other. Wraps on overflow.
    public static func + (a: Span, b: Span) -> Span { Span(nanoseconds: a.nanoseconds &+ b.nanoseconds) }
    /// So many times as long. Traps on overflow, unlike `+`.
    public static func * (a: Span, factor: Int64) -> Span { Span(nanoseconds: a.nanoseconds * factor) }
    /// A part or a multiple, to the nanosecond below.
    public func scaled(by factor: Double) -> Span { Span(nanoseconds: Int64(Double(nanoseconds) * factor)) }

    /// The form of scenarios, to the millisecond below, or in microseconds where it is shorter: `1h02m03.004s`, `250us`.
    public var description: String {
        let total = nanoseconds.magnitude
        let sign = nanoseconds < 0 ? "-" : ""
        let milliseconds = total / 1_000_000
        let (hours, minutes, seconds) = (milliseconds / 3_600_000, milliseconds / 60_000 % 60, milliseconds / 1000 % 60)
        if total < 1_000_000, total > 0 { return "\(sign)\(total / 1000)us" }
        let fraction = milliseconds % 1000
        let tail = fraction == 0 ? "\(seconds)s" : "\(seconds).\(padded(fraction, 3))s"
        if hours > 0 { return "\(sign)\(hours)h\(padded(minutes, 2))m" + (milliseconds % 60_000 == 0 ? "" : tail) }
        if minutes > 0 { return "\(sign)\(minutes)m" + (milliseconds % 60_000 == 0 ? "" : tail) }
        return sign + tail
    }

    /// Reads `250ms`, `1.5s`, `20m`, `2h`, `6h30m`; nil when the text is not a length of time.
    public init?(parsing text: some StringProtocol) {
        var rest = Substring(text)
        var total: Double = 0
        guard !rest.isEmpty else { return nil }
        while !rest.isEmpty {
            let digits = rest.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
            rest = rest.dropFirst(digits.count)
            let unit = rest.prefix { $0.isASCII && $0.isLetter }
            rest = rest.dropFirst(unit.count)
            guard let number = Double(digits), let scale = Self.scales[String(unit)] else { return nil }
            total += number * scale
        }
        guard total.isFinite, total <= 9e18 else { return nil }
        nanoseconds = Int64(total.rounded())
    }

    private static let scales: [String: Double] = [
        "us": 1e3, "ms": 1e6, "s": 1e9, "m": 60e9, "h": 3600e9, "d": 86400e9,
    ]
}

/// Decimal digits with leading zeros: formatting without Foundation.
@inlinable public func padded(_ number: some BinaryInteger, _ width: Int) -> String {
    let text = String(number)
    return text.count >= width ? text : String(repeating: "0", count: width - text.count) + text
}
