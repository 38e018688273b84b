import CInterpose
import FleetModel

/// Virtual time that follows the machine's monotonic clock: the same in every process of one machine.
public struct LiveClock: Hashable, Sendable {
    /// What CLOCK_MONOTONIC showed at the beginning of the run, ns.
    public var start: Int64
    /// Virtual seconds a second.
    public var speed: Double

    /// From its parts; `speed` is more than 0.
    public init(start: Int64, speed: Double) {
        self.start = start
        self.speed = speed
    }

    /// The instant that the machine's clock shows now; never before the run's beginning.
    public var now: Instant { instant(at: hr_real_ns()) }
    /// - Parameter monotonic: a reading of CLOCK_MONOTONIC, ns.
    public func instant(at monotonic: Int64) -> Instant {
        Instant(nanoseconds: Int64(max(0, Double(monotonic &- start)) * speed))
    }

    /// How long to wait, rounded up; 0 when the instant is past, at most `limit`.
    func milliseconds(until instant: Instant?, atMost limit: Int32) -> Int32 {
        guard let instant else { return limit }
        let left = Double(instant.nanoseconds &- now.nanoseconds) / speed / 1_000_000
        return left <= 0 ? 0 : Int32(min(left.rounded(.up), Double(limit)))
    }

    // MARK: In a participant's specification

    var body: Value { ["start": .int(start), "speed": .double(speed)] }
    init?(_ body: Value?) {
        guard let start = body?["start"]?.int, let speed = body?["speed"]?.double, speed > 0 else { return nil }
        self.init(start: start, speed: speed)
    }
}
