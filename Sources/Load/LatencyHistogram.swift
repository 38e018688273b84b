import FleetModel
import Histogram

/// How long something took, many times: counts by length, to three significant digits, from a nanosecond to a month.
///
/// Invariants: the count and the largest value are exact; a quantile is off by at most a thousandth; histograms of runs that are
/// measured apart can be joined without loss.
public struct LatencyHistogram: Sendable {
    private var histogram: Histogram<UInt64>
    /// Of all that was recorded; zero when nothing was.
    public private(set) var max = Span.zero

    /// Longer than any run; what claims to be longer counts as this.
    private static let longest = Span.hours(31 * 24)

    /// Nothing is recorded.
    public init() {
        histogram = Histogram(lowestDiscernibleValue: 1, highestTrackableValue: 2)
        histogram.autoResize = true
    }

    /// How often something was recorded.
    public var count: Int { Int(clamping: histogram.totalCount) }

    /// - Parameter span: what is negative counts as zero: it was done before it was waited for.
    public mutating func record(_ span: Span) { record(span, times: 1) }

    private mutating func record(_ span: Span, times: UInt64) {
        let kept = Swift.min(Swift.max(span, .zero), Self.longest)
        histogram.record(UInt64(kept.nanoseconds), count: times)
        max = Swift.max(max, kept)
    }

    /// The least length that so large a part of all reached at most; nil when nothing was recorded.
    /// - Parameter part: 0.99 for p99.
    public func quantile(_ part: Double) -> Span? {
        guard count > 0 else { return nil }
        let value = histogram.valueAtPercentile(Swift.min(Swift.max(part, 0), 1) * 100)
        return Swift.min(Span(nanoseconds: Int64(clamping: value)), max)
    }

    /// Takes all that another one recorded, without loss.
    public mutating func add(_ other: LatencyHistogram) {
        histogram.add(other.histogram)
        max = Swift.max(max, other.max)
    }

    /// Lengths and how often each was recorded, the shortest first.
    public var buckets: [(length: Span, count: Int)] {
        histogram.recordedValues().map { bucket in
            (Swift.min(Span(nanoseconds: Int64(clamping: bucket.value)), max), Int(clamping: bucket.count))
        }
    }
}

extension LatencyHistogram: Hashable {
    /// Equal in the largest value and in every bucket.
    public static func == (a: LatencyHistogram, b: LatencyHistogram) -> Bool {
        a.max == b.max && a.buckets.elementsEqual(b.buckets) { $0 == $1 }
    }
    /// Over count and largest value: equal ones have equal hashes.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(count)
        hasher.combine(max)
    }
}

extension LatencyHistogram {
    /// The quantiles that are shown, by name.
    public static let shown: [(name: String, part: Double)] = [
        ("p50", 0.5), ("p90", 0.9), ("p99", 0.99), ("p999", 0.999),
    ]

    /// Quantiles for people and scripts, and buckets for whoever joins or compares; all in nanoseconds.
    public var body: Value {
        var body: Value = [
            "count": .int(count), "max": .int(max.nanoseconds),
            "buckets": .array(buckets.map { .array([.int($0.length.nanoseconds), .int($0.count)]) }),
        ]
        for (name, part) in Self.shown { body[name] = quantile(part).map { .int($0.nanoseconds) } ?? .null }
        return body
    }

    /// Reads what `body` writes; nil when counts and buckets do not agree.
    public init?(_ body: Value) {
        guard let count = body["count"]?.int, let max = body["max"]?.int, let buckets = body["buckets"]?.array,
            (0...Self.longest.nanoseconds).contains(max), (0...Costs.numberMax).contains(count)
        else { return nil }
        self.init()
        var rest = count
        for bucket in buckets {
            guard let pair = bucket.array, pair.count == 2, let length = pair[0].int, let times = pair[1].int,
                (0...max).contains(length), (1...Swift.max(rest, 1)).contains(times)
            else { return nil }
            rest -= times
            record(Span(nanoseconds: length), times: UInt64(times))
        }
        guard rest == 0 else { return nil }
        self.max = Span(nanoseconds: max)
    }
}
