import CInterpose
import FleetModel
import Glibc
import HeapModule

/// A fault proxy: carries bytes between clients and one target, and lets the faults bend what passes.
///
/// One thread, one epoll; `run` returns after `stop`. What is decided is decided by `Conversation`, `Stream` and `Faults`; here bytes are
/// moved, when their instant has come. Accepting is in `ProxyServer+Accepting`, moving in `ProxyServer+Moving`.
public final class ProxyServer {
    /// What a proxy is made of.
    public struct Setup {
        /// Where clients connect; port 0: any free one, which `port` tells.
        public var listen: Endpoint
        /// Where what is let through goes.
        public var target: Endpoint
        /// What bends it.
        public var faults: Faults
        /// Nil: the run begins now, at `speed`.
        public var clock: RunClock?
        /// Run seconds in a second of the machine, where no clock is given.
        public var speed = 1.0
        /// Whether faults begin and heal by the instants of their windows; else by `begin` and `heal`.
        public var keepsTimetable = true
        /// A stream socket that takes orders, one a line (`ControlLine`); nil: none.
        public var control: Int32?
        /// Gets lines for people: what begins and heals, a target that is down.
        public var say: (String) -> Void = { _ in }
        /// Monotonic nanoseconds of the machine; tests bring a clock of their own.
        var now: () -> Int64 = hr_real_ns

        /// A proxy with a clock of its own at speed 1, which keeps the timetable and says nothing.
        public init(listen: Endpoint, to target: Endpoint, faults: Faults) {
            self.listen = listen
            self.target = target
            self.faults = faults
        }
    }

    /// The port that is listened to.
    public let port: Int
    /// Write eight bytes here (`hr_wake`), from any thread or signal handler, to end `run`.
    public let waker: Int32
    /// The faults, and counters of what went through.
    public internal(set) var faults: Faults

    let setup: Setup
    let address: hr_address
    let poller: Int32
    let listener: Int32
    var clock: RunClock
    var timetable: Timetable
    var connections: [Connection?] = []
    var free: [Int] = []
    /// Raised for each use of a slot, so that an event of its former connection is known as such.
    var uses: [UInt32] = []
    var live = 0
    /// Two descriptors a connection, and a few for everything else.
    var liveMax: Int
    var isAccepting = true
    var timers = Heap<Timer>()
    var copies = Heap<CopyTimer>()
    var copyBytes = 0
    var copyNumber = 0
    var said: Set<String> = []
    var controlInput: [UInt8] = []
    var isStopped = false
    private var current: Instant?
    private var lead = WakeLead()
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)
    var orders = Orders()
    private var ready = [hr_ready](repeating: hr_ready(), count: 256)

    struct Timer: Comparable {
        var at: Instant
        var slot: Int
        var use: UInt32
        static func < (a: Timer, b: Timer) -> Bool { (a.at, a.slot) < (b.at, b.slot) }
    }
    /// A request that comes a second time.
    struct CopyTimer: Comparable {
        var at: Instant
        var number: Int
        var bytes: [UInt8]
        static func < (a: CopyTimer, b: CopyTimer) -> Bool { (a.at, a.number) < (b.at, b.number) }
    }
    enum Key { static let listener = UInt64.max, waker = UInt64.max - 1, control = UInt64.max - 2 }

    /// Begins to listen; `run` does the rest.
    /// - Throws: `ProxyProblem` when an address is not known, the port is taken, or too few files may be open.
    public init(_ setup: Setup) throws(ProxyProblem) {
        self.setup = setup
        faults = setup.faults
        clock = setup.clock ?? RunClock(origin: setup.now(), speed: setup.speed)
        timetable = setup.keepsTimetable ? Timetable(setup.faults.all) : .none
        address = try setup.target.resolved(toListen: false)
        liveMax = try Self.connectionsMax()
        let wanted = try setup.listen.resolved(toListen: true)
        listener = try withUnsafePointer(to: wanted) { wanted throws(ProxyProblem) in
            try Self.opened(hr_listen(wanted), "cannot listen on \(setup.listen)")
        }
        poller = try Self.opened(hr_poller(), "cannot watch sockets")
        waker = try Self.opened(hr_waker(), "cannot watch sockets")
        port = Int(hr_local_port(listener))
        _ = hr_watch(poller, listener, Key.listener, UInt32(HR_READABLE), 0)
        _ = hr_watch(poller, waker, Key.waker, UInt32(HR_READABLE), 0)
        if let control = setup.control { _ = hr_watch(poller, control, Key.control, UInt32(HR_READABLE), 0) }
    }
    deinit {
        for connection in connections { connection?.client?.close(); connection?.target.close() }
        for fd in [listener, poller, waker] { close(fd) }
        buffer.deallocate()
    }

    private static func opened(_ result: Int32, _ what: String) throws(ProxyProblem) -> Int32 {
        guard result < 0 else { return result }
        var text = "\(what): \(String(cString: strerror(-result)))"
        switch -result {
        case EADDRINUSE: text += "; another program has the port: stop it, or choose another (0: any free one)"
        case EACCES: text += "; ports below 1024 need privileges: choose a higher one"
        case EADDRNOTAVAIL: text += "; this machine has no such address"
        default: remedy(for: -result).map { text += "; raise the limit of open files (\($0))" }
        }
        throw ProxyProblem(text)
    }
    private static func connectionsMax() throws(ProxyProblem) -> Int {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        guard limit.rlim_cur >= 64 else {
            throw ProxyProblem(
                "only \(limit.rlim_cur) files may be open; each connection needs two: raise the limit (ulimit -n 1024)")
        }
        return (Int(clamping: limit.rlim_cur) - 24) / 2
    }

    // MARK: Time and turns

    /// Run time of this turn; the clock is read when somebody asks.
    var now: Instant {
        if let current { return current }
        let instant = clock.instant(at: setup.now())
        current = instant
        return instant
    }

    /// Carries until `stop`, or until `waker` is written to.
    /// - Throws: `ProxyProblem` when the machine refuses to watch sockets.
    public func run() throws(ProxyProblem) {
        while !isStopped { _ = try turn() }
    }
    /// Ends `run` after this turn; from other threads and signal handlers use `waker`.
    public func stop() { isStopped = true }

    /// Waits for something to do and does it.
    /// - Parameter nanoseconds: waits so long at most; nil: until something comes or is due.
    /// - Returns: how many sockets had something.
    func turn(atMost nanoseconds: Int64? = nil) throws(ProxyProblem) -> Int {
        let count = try wait(atMost: nanoseconds)
        for index in 0..<count { happened(ready[index]) }
        doWhatIsDue()
        return count
    }

    /// Real nanoseconds after which new connections are tried for again, where no more files may be open. ASSUMED.
    private static let retry: Int64 = 1_000_000_000

    private func wait(atMost nanoseconds: Int64?) throws(ProxyProblem) -> Int {
        var wait = nanoseconds ?? -1
        var end: Int64?
        if let due = nextDue {
            let began = setup.now()
            let sleep = lead.sleep(for: clock.real(of: due) - began)
            if wait < 0 || sleep <= wait { (wait, end) = (sleep, sleep > 0 ? began + sleep : nil) }
        }
        // Who has all the files may be another program, whose end nobody tells us.
        if !isAccepting, wait < 0 || wait > Self.retry { (wait, end) = (Self.retry, nil) }
        let count = hr_wait_ready(poller, &ready, Int32(ready.count), wait)
        current = nil
        // Who was interrupted says nothing about how late the machine wakes its sleepers.
        if count == 0, let end, setup.now() >= end { lead.sleptLonger(by: setup.now() - end) }
        if count == 0, !isAccepting { goOnAccepting() }
        return Int(try Self.opened(count, "cannot watch sockets"))
    }

    private var nextDue: Instant? {
        [timers.min?.at, copies.min?.at, timetable.next].compactMap { $0 }.min()
    }

    private func happened(_ event: hr_ready) {
        switch event.key {
        case Key.listener: accept()
        case Key.waker: isStopped = true
        case Key.control: readControl()
        default:
            let slot = Int(event.key >> 1 & 0x7fff_ffff)
            guard let connection = connections[slot], uses[slot] == UInt32(event.key >> 32) else { return }
            happened(event.what, at: event.key & 1 == 0 ? .client : .target, of: connection)
        }
    }

    private func doWhatIsDue() {
        guard timers.min != nil || copies.min != nil || timetable.next != nil else { return }
        while let event = timetable.due(now) { event.begins ? begin(event.index) : heal(event.index) }
        while let timer = timers.min, timer.at <= now {
            _ = timers.popMin()
            guard let connection = connections[timer.slot], uses[timer.slot] == timer.use else { continue }
            connection.armed = nil
            settle(connection)
        }
        while let copy = copies.min, copy.at <= now {
            _ = copies.popMin()
            sendCopy(copy.bytes)
        }
    }

    // MARK: Faults

    /// Begins a fault by its index among the specifications; connections that wait for it notice.
    public func begin(_ index: Int) { change(index, "begins") { $0.begin($1) } }
    /// Heals a fault by its index.
    public func heal(_ index: Int) { change(index, "heals") { $0.heal($1) } }
    /// Heals all but those that stay: calm begins.
    public func healAll() { for index in faults.all.indices where !faults.all[index].spec.stays { heal(index) } }

    private func change(_ index: Int, _ word: String, _ deed: (inout Faults, Int) -> Void) {
        guard faults.all.indices.contains(index) else { return }
        let before = faults.activity
        deed(&faults, index)
        guard faults.activity != before else { return }
        setup.say("\(now)  \(faults.all[index].spec.id) \(word)")
        for connection in connections.compactMap({ $0 }) {
            orders.removeAll()
            connection.faultsChanged(now: now, &faults, &orders)
            perform(connection, UnsafeRawBufferPointer(start: nil, count: 0))
        }
    }

    /// Says something once, until it is forgotten.
    func sayOnce(_ text: String) { if said.insert(text).inserted { setup.say(text) } }
}
