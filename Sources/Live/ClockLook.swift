/// One look at another clock, between two at this machine's monotonic one; all in ns.
struct ClockLook: Hashable {
    var before: Int64
    var shown: Int64
    var after: Int64

    /// The other clock less the monotonic one, and how far that may be wrong: the other clock was read at some moment in between.
    var offset: Int64 { shown &- (before &+ (after &- before) / 2) }
    var error: Int64 { max(0, after &- before) / 2 + 1 }

    /// The look that was over soonest tells most.
    static func best(_ looks: [ClockLook]) -> ClockLook? { looks.min { $0.error < $1.error } }

    /// What the Cloud's clock is ahead of the monotonic one.
    ///
    /// - Parameter own: looks at this machine's calendar clock, where the Cloud is known to read that one: it can be looked at from much
    ///   nearer, and is believed where nothing says otherwise. None for a Cloud that may be elsewhere: clocks that agree by NTP agree to
    ///   milliseconds, not to what such looks would tell.
    static func offset(cloud: [ClockLook], own: [ClockLook]) -> (offset: Int64, error: Int64)? {
        guard let there = best(cloud) else { return nil }
        guard let here = best(own), (here.offset &- there.offset).magnitude <= UInt64(here.error + there.error) else {
            return (there.offset, there.error)
        }
        return (here.offset, here.error)
    }

    /// ASSUMED: what two healthy clocks may part in a second, and what is noise; ns.
    private static let (driftMax, noise) = (Int64(200_000), Int64(1_000_000))
    /// How far what the other clock stamped between two comparisons may be from its place, where the first one puts it.
    static func error(_ first: (offset: Int64, error: Int64), _ second: (offset: Int64, error: Int64)) -> Int64 {
        let drifted = Int64(clamping: (second.offset &- first.offset).magnitude)
        return max(first.error, drifted + second.error)
    }

    /// Whether a clock was set between two comparisons, so that what it stamped lies elsewhere in the run than it happened.
    static func wasSet(
        _ first: (offset: Int64, error: Int64), _ second: (offset: Int64, error: Int64), seconds: Int64
    ) -> Bool {
        (second.offset &- first.offset).magnitude
            > UInt64(first.error + second.error + noise + driftMax * max(0, seconds))
    }
}
