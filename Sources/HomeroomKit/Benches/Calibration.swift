import CInterpose
import FleetModel

/// A fixed piece of work, timed before and after a figure: what the figure came to per loop compares machines, and moments of a machine that others
/// use too.
///
/// One loop does what a run does most, in one proportion for ever: it multiplies and mixes numbers that depend on each other, and follows links
/// through memory that a core's nearest cache does not hold. It calls no library, so no version of one changes it. Change it and every ratio that
/// was written down means nothing: give it another name then.
enum Calibration {
    /// Said where a ratio is shown.
    static let name = "calibration-1"
    private static let links = 1 << 16
    private static let steps = 400_000

    /// Loops a second by that clock.
    /// - Parameter clock: ns; of the processor's time or of a real clock, as the figure has it.
    static func rate(_ clock: () -> Int64, loops: Int = 20) -> Double {
        var next = [UInt32](repeating: 0, count: links)
        // One round through all places: an odd step leads everywhere.
        for place in 0..<links { next[place] = UInt32((place + 24_421) % links) }
        var mixed: UInt64 = 1
        let began = clock()
        for _ in 0..<loops { mixed = next.withUnsafeBufferPointer { loop($0, mixed) } }
        let took = clock() - began
        // Used, or the compiler leaves the work out.
        precondition(mixed != 0)
        return Double(loops) * 1e9 / Double(max(1, took))
    }

    private static func loop(_ next: UnsafeBufferPointer<UInt32>, _ start: UInt64) -> UInt64 {
        var (mixed, place) = (start, 0)
        for _ in 0..<steps {
            place = Int(next[place])
            mixed = (mixed ^ UInt64(truncatingIfNeeded: place)) &* 0x9e37_79b9_7f4a_7c15
            mixed ^= mixed >> 29
            mixed |= 1
        }
        return mixed
    }
}

/// One number that was measured in several rounds.
struct Spread: Hashable {
    /// In ascending order; at least one.
    private let values: [Double]

    /// - Parameter values: at least one.
    init(_ values: [Double]) {
        precondition(!values.isEmpty, "a spread of nothing")
        self.values = values.sorted()
    }

    var count: Int { values.count }
    var low: Double { values[0] }
    var high: Double { values[values.count - 1] }
    /// Of an even number the mean of the two in the middle.
    var median: Double { (values[(values.count - 1) / 2] + values[values.count / 2]) / 2 }
}

/// A figure of several rounds.
struct MeasuredFigure {
    /// Name, unit and goal; its value is the median.
    var figure: Figure
    var value: Spread
    /// Of each round against the calibration before and after it; nil for what does not depend on speed.
    var ratio: Spread?

    /// Each figure of a bench, measured in turn with the calibration.
    /// - Parameters:
    ///   - rounds: at least 1.
    ///   - round: called before each.
    static func measure(
        _ bench: Bench, rounds: Int, scratch: String, round: (Int) throws -> Void
    ) throws -> [MeasuredFigure] {
        var order: [String] = []
        var found: [String: (figure: Figure, values: [Double], ratios: [Double])] = [:]
        var before = Calibration.rate(bench.clock.now)
        for number in 1...max(1, rounds) {
            try round(number)
            let figures = try bench.measure(scratch)
            let after = Calibration.rate(bench.clock.now)
            for figure in figures {
                if found[figure.name] == nil { order.append(figure.name) }
                var one = found[figure.name] ?? (figure, [], [])
                one.values.append(figure.value)
                one.ratios += figure.perLoop(loopsPerSecond: (before + after) / 2).map { [$0] } ?? []
                found[figure.name] = one
            }
            before = after
        }
        return order.compactMap { found[$0] }.map { figure, values, ratios in
            let value = Spread(values)
            var middle = figure
            middle.value = value.median
            return MeasuredFigure(figure: middle, value: value, ratio: ratios.isEmpty ? nil : Spread(ratios))
        }
    }
}

extension MeasuredFigure {
    /// For a person: `edits-sim-single  1052 edits/s  (goal 5000 edits/s)  858 to 1176 in 5 rounds; 10.5 a loop (10.1 to 10.9)  homeroom bench sim-single`.
    func line(_ bench: Bench) -> String {
        var words = figure.line
        if value.count > 1 {
            words += "  \(value.low.short) to \(value.high.short) in \(value.count) rounds"
            if let ratio {
                words += "; \(ratio.median.short) \(figure.perLoopUnit), \(ratio.low.short) to \(ratio.high.short)"
            }
        }
        return words + "  homeroom bench \(bench.name)"
    }

    /// One line of JSON, which `Scripts/figures --take` reads.
    func json(_ bench: Bench) -> String {
        var body = figure.body
        body["command"] = .string("homeroom bench \(bench.name)")
        body["rounds"] = .int(value.count)
        body["low"] = .double(value.low.hundredths)
        body["high"] = .double(value.high.hundredths)
        body["clock"] = .string(bench.clock.rawValue)
        if let ratio {
            body["ratio"] = [
                "median": .double(ratio.median.significant), "low": .double(ratio.low.significant),
                "high": .double(ratio.high.significant), "unit": .string(figure.perLoopUnit),
                "calibration": .string(Calibration.name),
            ]
        }
        return body.json
    }
}

/// One measured number.
struct Figure {
    var name: String
    var value: Double
    var unit: String
    /// What the design asks for first; nil where it asks nothing.
    var goal: Double?
    /// What to know when reading it.
    var remark: String?

    var line: String {
        let against = (goal.map { "goal \($0.formatted) \(unit)" } ?? remark).map { "  (\($0))" } ?? ""
        return "\(name)  \(value.hundredths.formatted) \(unit)\(against)"
    }
    var body: Value {
        var body: Value = ["name": .string(name), "value": .double(value.hundredths), "unit": .string(unit)]
        if let goal { body["goal"] = .double(goal) }
        if let remark { body["remark"] = .string(remark) }
        return body
    }

    private static let perSecond = "/s"
    private static let seconds = ["s": 1.0, "us": 1e-6]

    /// A rate by the loops of that second, or a time in loops; nil for what does not depend on speed, as memory does not.
    func perLoop(loopsPerSecond: Double) -> Double? {
        if unit.hasSuffix(Self.perSecond) { return value / loopsPerSecond }
        return Self.seconds[unit].map { value * $0 * loopsPerSecond }
    }
    var perLoopUnit: String {
        unit.hasSuffix(Self.perSecond) ? "\(unit.dropLast(Self.perSecond.count)) a loop" : "loops"
    }
}

extension Double {
    /// Without a point where it is a whole number.
    fileprivate var formatted: String { self == rounded() && magnitude < 1e15 ? String(Int64(self)) : String(self) }
    fileprivate var hundredths: Double { (self * 100).rounded() / 100 }
    /// Four digits: ratios may be small.
    fileprivate var significant: Double {
        guard self != 0, isFinite else { return 0 }
        var scale = 1.0
        while magnitude * scale < 1000 { scale *= 10 }
        return (self * scale).rounded() / scale
    }
    fileprivate var short: String { magnitude >= 100 ? rounded().formatted : significant.formatted }
}
