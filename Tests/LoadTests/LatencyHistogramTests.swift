import FleetModel
import Testing

@testable import Load

@Suite("Latency histogram", .timeLimit(.minutes(20))) struct LatencyHistogramTests {
    /// Lengths from nothing to hours, many short ones and few long ones.
    private static func lengths(_ count: Int, seed: UInt64) -> [Span] {
        var draw = Draw(seed: seed, name: "lengths")
        return (0..<count).map { _ in
            let magnitude = draw.below(44)
            return Span(nanoseconds: Int64(draw.next() >> UInt64(63 - magnitude)))
        }
    }
    private static func histogram(_ lengths: [Span]) -> LatencyHistogram {
        var histogram = LatencyHistogram()
        for length in lengths { histogram.record(length) }
        return histogram
    }

    @Test(
        "Quantiles: within a thousandth of those of the sorted list (seeds 1-20)",
        arguments: UInt64(1)...20)
    func quantiles(seed: UInt64) throws {
        let lengths = Self.lengths(1 + Int(seed) * 137, seed: seed)
        let sorted = lengths.sorted()
        let histogram = Self.histogram(lengths)
        #expect(histogram.count == lengths.count && histogram.max == sorted.last)
        for part in [0.0, 0.1, 0.5, 0.9, 0.99, 0.999, 1] {
            let rank = max(1, Int((part * Double(sorted.count)).rounded(.up)))
            let exact = sorted[rank - 1].nanoseconds
            let found = try #require(histogram.quantile(part)).nanoseconds
            #expect(abs(found - exact) <= exact / 1000, "p\(part) is \(found), not \(exact)")
        }
    }

    @Test("Joined histograms are the histogram of all (seeds 1-10)", arguments: UInt64(1)...10)
    func joined(seed: UInt64) {
        let (few, many) = (Self.lengths(10, seed: seed), Self.lengths(2000, seed: seed + 100))
        for (first, second) in [(few, many), (many, few), (few, []), ([], few)] {
            var sum = Self.histogram(first)
            sum.add(Self.histogram(second))
            #expect(sum == Self.histogram(first + second))
        }
    }

    @Test("Nothing recorded: no quantile; less than nothing counts as nothing; no length is too long")
    func edges() {
        #expect(LatencyHistogram().quantile(0.5) == nil)
        #expect(Self.histogram([Span(nanoseconds: -5)]).quantile(1) == .zero)
        #expect(Self.histogram([Span(nanoseconds: .max)]).max == .hours(744))
    }

    @Test("JSON: read back as written (seeds 1-5)", arguments: UInt64(1)...5)
    func json(seed: UInt64) throws {
        let histogram = Self.histogram(Self.lengths(500, seed: seed))
        let read = try #require(LatencyHistogram(try Value(json: Array(histogram.body.json.utf8))))
        #expect(read == histogram)
        #expect(read.quantile(0.99) == histogram.quantile(0.99))
    }

    @Test(
        "JSON: refused when counts do not agree",
        arguments: [
            ["count": .int(Int64.min), "max": 0, "buckets": [[0, 1]]], ["max": 5, "buckets": []],
            ["count": 1, "max": 5, "buckets": []],
            ["count": 1, "max": 5, "buckets": [[6, 1]]], ["count": 2, "max": 5, "buckets": [[5, 1]]],
            ["count": 1, "max": 5, "buckets": [[5, 2]]], ["count": 1, "max": 5, "buckets": [[-1, 1]]],
            ["count": 0, "max": -1, "buckets": []], ["count": 1, "max": .int(Int64.max), "buckets": [[5, 1]]],
            ["count": 1, "max": 5, "buckets": [[5]]], ["count": -1, "max": 5, "buckets": [[5, -1]]],
        ] as [Value])
    func hostile(body: Value) { #expect(LatencyHistogram(body) == nil) }
}
