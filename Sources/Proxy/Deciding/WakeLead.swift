/// How much before an instant to be woken for it, so that a delay is as long as was asked.
///
/// A machine wakes its sleepers late, a virtual one by a tenth of a millisecond. Who sleeps until shortly before the instant and looks
/// again and again for the rest is not late; by how much is learnt from how late the sleeps before were.
struct WakeLead {
    /// Nanoseconds; the longest time spent on looking, for one instant. ASSUMED: a quarter of a millisecond, beyond which the machine is busy with
    /// others, and looking would make it busier.
    static let longest: Int64 = 250_000
    private(set) var nanoseconds: Int64 = 0

    /// A sleep ended so many nanoseconds after it should have.
    ///
    /// Up in large steps and down in small ones: to be woken too early costs some looks, too late cannot be mended.
    mutating func sleptLonger(by late: Int64) {
        let difference = min(max(0, late), Self.longest) - nanoseconds
        nanoseconds += difference / (difference > 0 ? 2 : 16)
    }

    /// How long to sleep for an instant that is so many nanoseconds away; 0: look again at once.
    func sleep(for left: Int64) -> Int64 { max(0, left - nanoseconds) }
}
