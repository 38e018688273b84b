import FleetModel

/// Run time from the machine's: everything in a fault file, latencies too, is run time.
public struct RunClock: Hashable, Sendable {
    /// Monotonic nanoseconds of the machine at the run's beginning.
    public var origin: Int64
    /// How many seconds of the run pass in one second of the machine; more than 0.
    public var speed: Double

    /// A speed of 0 or less counts as 1.
    public init(origin: Int64, speed: Double = 1) {
        self.origin = origin
        self.speed = speed > 0 ? speed : 1
    }
    /// A run that has not begun: it stays at its first instant until it is given another clock.
    public static let standing = RunClock(origin: .max)

    /// Never before the run's beginning.
    public func instant(at real: Int64) -> Instant {
        guard real > origin else { return .zero }
        return Instant(nanoseconds: Int64(exactly: (Double(real - origin) * speed).rounded(.down)) ?? .max)
    }
    /// The first nanosecond of the machine at which the instant has come.
    public func real(of instant: Instant) -> Int64 {
        let length = Int64(exactly: (Double(instant.nanoseconds) / speed).rounded(.up)) ?? .max
        let (sum, isTooLong) = origin.addingReportingOverflow(length)
        guard !isTooLong else { return .max }
        // A quotient may be rounded to just before it.
        return self.instant(at: sum) < instant && sum < .max ? sum + 1 : sum
    }
}
