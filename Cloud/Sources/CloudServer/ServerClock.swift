/// The core's clock, made from the machine's. It never goes back, because what was put off, what expires and the order of a history
/// hang on it. When the machine's clock was ahead for a while and is set right, this one goes on at half the pace until it is true again:
/// what is due stays due soon.
struct ServerClock {
    private var last: Int64?
    private var lastTick: Int64 = 0

    /// - Parameters:
    ///   - wall: the machine's clock, ns since any moment.
    ///   - tick: a clock of the machine that nobody sets, ns.
    /// - Returns: the core's moment as `wall` counts it; another one in each call.
    mutating func now(wall: Int64, tick: Int64) -> Int64 {
        defer { lastTick = tick }
        guard let last else {
            self.last = wall
            return wall
        }
        let next = max(wall, last + max(1, (tick - lastTick) / 2))
        self.last = next
        return next
    }
}
