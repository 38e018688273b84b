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
    /// On one machine the Cloud reads this machine's own calendar clock: where nothing says otherwise that one is believed, which can be
    /// looked at from much nearer.
    static func offset(cloud: [ClockLook], own: [ClockLook]) -> (offset: Int64, error: Int64)? {
        guard let there = best(cloud) else { return nil }
        guard let here = best(own), (here.offset &- there.offset).magnitude <= UInt64(here.error + there.error) else {
            return (there.offset, there.error)
        }
        return (here.offset, here.error)
    }
}
