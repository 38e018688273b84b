import FleetModel

/// Run time from the machine's: everything in a fault file, latencies too, is run time.
public struct RunClock: Hashable, Sendable {
    /// Monotonic nanoseconds of the machine at the run's beginning.
    public var origin: Int64
    /// How many seconds of the run pass in one second of the machine.
    public var speed: Int

    public init(origin: Int64, speed: Int = 1) {
        self.origin = origin
        self.speed = max(1, speed)
    }

    /// Never before the run's beginning.
    public func instant(at real: Int64) -> Instant {
        let (product, isTooLong) = max(0, real - origin).multipliedReportingOverflow(by: Int64(speed))
        return Instant(nanoseconds: isTooLong ? .max : product)
    }
    /// The first nanosecond of the machine at which the instant has come.
    public func real(of instant: Instant) -> Int64 {
        let (whole, rest) = instant.nanoseconds.quotientAndRemainder(dividingBy: Int64(speed))
        let (sum, isTooLong) = origin.addingReportingOverflow(whole + (rest > 0 ? 1 : 0))
        return isTooLong ? .max : sum
    }
}
