import DeterministicRuntime
import Foundation

/// What app code said, and when in virtual time.
final class Log: @unchecked Sendable {
    private(set) var lines: [String] = []
    private let now: () -> Int64
    init(now: @escaping () -> Int64 = { Int64(DispatchTime.now().uptimeNanoseconds) }) { self.now = now }
    /// One line, with milliseconds since the start of the run.
    func add(_ text: String) { lines.append("\(now() / 1_000_000) \(text)") }
    var text: String { lines.joined(separator: "\n") }
}

/// An app's loop without an iPad.
final class AppRun {
    let loop: AppLoop
    let log = Log()
    init(seed: UInt64 = 1) { loop = AppLoop(seed: seed, epochNanoseconds: 1_788_249_600_000_000_000) }

    /// Runs `body` on the main thread, and all that follows from it, until `seconds` of virtual time have passed.
    func play(seconds: Int64 = 100, _ body: @escaping @MainActor @Sendable (Log) -> Void) {
        let log = log
        loop.start { body(log) }
        loop.run(until: loop.now)
        step(seconds: seconds)
    }
    /// One step for each timer, as the World does it.
    func step(seconds: Int64) {
        let end = loop.now + seconds * 1_000_000_000
        while let next = loop.nextTimer, next <= end { loop.run(until: next) }
        loop.run(until: end)
    }
    /// What `body` said in a run of its own.
    static func lines(_ body: @escaping @MainActor @Sendable (Log) -> Void) -> [String] {
        let run = AppRun()
        run.play(body)
        return run.log.lines
    }
}
