import FleetModel

@testable import PadCore

/// The quiz and its key-value store: what suites of pairs begin with.
extension PadBench {
    /// A running app with its store open and the initial sync done.
    static func runningQuiz() throws -> PadBench {
        let bench = try PadBench()
        bench.signIn("maya")
        bench.open("quiz")
        bench.call(bench.launch("quiz"), "kvs.open")
        bench.advance(.seconds(1))
        return bench
    }
    func set(_ key: String, _ value: Value) {
        post(launch("quiz"), "kvs.set", ["key": .string(key), "value": value])
    }
    /// What the quiz sees.
    var pairs: Value? { call(launch("quiz"), "kvs.open")?["values"] }
}
