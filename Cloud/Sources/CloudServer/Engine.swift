import CloudCore
import Dispatch
import FleetModel
import Foundation
import Storage
import Synchronization

/// Runs the core for many connections: one writer, and group commit. Requests that arrive while a commit is under way wait
/// together and go into the next one; each is answered only after its flush.
public final class Engine: Sendable {
    private struct Job {
        var http: HTTPRequest
        var done: CheckedContinuation<CloudReply, Never>
    }
    private struct State {
        var waiting: [Job] = []
        var isDraining = false
    }
    /// The core is touched on `queue` alone.
    private final class Core: @unchecked Sendable {
        let cloud: Cloud
        private var time = ServerClock()
        private var exchange: UInt64 = 0

        init(_ cloud: Cloud) { self.cloud = cloud }

        /// The core's clock.
        func now() -> Instant { moment().now }
        /// The core's clock and the machine's; the latter judges the dates of others.
        private func moment() -> (now: Instant, clock: Instant) {
            let wall = Self.read(CLOCK_REALTIME) - Instant.epochNanoseconds
            let now = time.now(wall: wall, tick: Self.read(CLOCK_MONOTONIC))
            return (Instant(nanoseconds: now), Instant(nanoseconds: wall))
        }
        private static func read(_ clock: clockid_t) -> Int64 {
            var time = timespec()
            clock_gettime(clock, &time)
            return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
        }
        func knows(_ head: HTTPRequest) -> Bool {
            let (now, clock) = moment()
            return cloud.knows(head, now: now, clock: clock)
        }
        /// Lines go out in parts of this size.
        private static let partBytes = 1 << 18

        func export(head: Value, to handle: FileHandle) throws {
            var (part, problem): ([UInt8], (any Error)?) = ([], nil)
            func flush() {
                do { try handle.write(contentsOf: part) } catch { problem = error }
                part.removeAll(keepingCapacity: true)
            }
            try cloud.export(head: head) { line in
                guard problem == nil else { return }
                part += line
                part.append(10)
                if part.count >= Self.partBytes { flush() }
            }
            if problem == nil { flush() }
            if let problem { throw problem }
        }
        func apply(_ requests: [HTTPRequest]) -> [CloudReply] {
            let batch = requests.map { http in
                exchange &+= 1
                return CloudRequest(from: .people, exchange: exchange, http: http)
            }
            let (now, clock) = moment()
            return cloud.apply(batch, now: now, clock: clock)
        }
    }
    /// Requests of one commit at most: bounds the memory and the wait of the first.
    private static let batchMax = 256

    private let core: Core
    private let queue = DispatchQueue(label: "homeroom.cloud")
    private let state = Mutex(State())
    private let bells = Bells()
    private let pushes = PushQueue()
    public let metrics = Metrics()

    public init(_ cloud: sending Cloud) { core = Core(cloud) }

    /// Serves one request; returns after its commit.
    public func serve(_ http: HTTPRequest) async -> CloudReply {
        let reply = await withCheckedContinuation { done in
            let starts = state.withLock { state in
                state.waiting.append(Job(http: http, done: done))
                defer { state.isDraining = true }
                return !state.isDraining
            }
            if starts { queue.async { self.drain() } }
        }
        for courier in reply.rung { bells.ring(courier) }
        deliver(reply.pushes)
        return reply
    }
    private func deliver(_ pushes: [CloudReply.Push]) {
        for push in pushes {
            let device = push.device.description
            self.pushes.add(push.message.body, for: device)
            bells.ring(PushQueue.bell(device))
        }
    }

    /// A poll of an iPad for the pushes of the accounts that are cached there; waits for the first, or until the time is over.
    /// - Parameter sessions: account tokens; those that are not good on this device bring nothing.
    /// - Returns: nil when none of them is good.
    func pollPushes(_ sessions: [String], on device: String, patience: Duration) async -> [Value]? {
        let accounts = await holders(of: sessions, on: device)
        guard !accounts.isEmpty else { return nil }
        let deadline = ContinuousClock.now + patience
        let poll = pushes.begin(device)
        bells.ring(PushQueue.bell(device))
        while !Task.isCancelled {
            let mark = bells.mark
            guard let messages = pushes.take(for: accounts + [PushQueue.itself], on: device, by: poll) else {
                return []
            }
            guard messages.isEmpty else { return messages }
            guard await bells.wait(for: PushQueue.bell(device), after: mark, until: deadline) else { return [] }
        }
        return []
    }
    private func holders(of sessions: [String], on device: String) async -> [Person] {
        await withCheckedContinuation { done in
            queue.async { done.resume(returning: self.core.cloud.holders(of: sessions, on: device)) }
        }
    }
    /// Whether a request's head shows something that is good here (`Cloud.knows`).
    func knows(_ head: HTTPRequest) async -> Bool {
        await withCheckedContinuation { done in
            queue.async { done.resume(returning: self.core.knows(head)) }
        }
    }

    /// A poll that finds nothing waits for a push, or until the time is over.
    /// - Returns: nil when its task is cancelled, and then no push was taken after that: nobody would get it.
    public func poll(_ http: HTTPRequest, patience: Duration) async -> CloudReply? {
        let deadline = ContinuousClock.now + patience
        while true {
            guard !Task.isCancelled else { return nil }
            let mark = bells.mark
            let reply = await serve(http)
            guard let courier = reply.waitsFor, await bells.wait(for: courier, after: mark, until: deadline) else {
                return reply
            }
        }
    }

    /// Polls that wait for a push.
    var polls: Int { bells.waiting }

    /// Applies one batch and lets others have the queue before the next: under steady writing something always waits, and
    /// what an administrator asks for and what the core has put off must get their turn.
    private func drain() {
        let jobs = state.withLock { state -> [Job] in
            let batch = Array(state.waiting.prefix(Self.batchMax))
            state.waiting.removeFirst(batch.count)
            return batch
        }
        let replies = core.apply(jobs.map(\.http))
        metrics.committed(requests: jobs.count)
        for (job, reply) in zip(jobs, replies) { job.done.resume(returning: reply) }
        let goesOn = state.withLock { state in
            state.isDraining = !state.waiting.isEmpty
            return state.isDraining
        }
        if goesOn { queue.async { self.drain() } }
    }

    /// Does what the core has put off and is due: a part at a time, so that requests get their turn between. A zone of
    /// thousands of files goes in one or two calls.
    /// - Parameter span: after it the rest is left for the next call.
    public func settle(for span: Duration = .milliseconds(400)) async {
        let end = ContinuousClock.now + span
        while await settlePart(), ContinuousClock.now < end {}
    }
    /// - Returns: whether more is due.
    private func settlePart() async -> Bool {
        await withCheckedContinuation { done in
            queue.async {
                let settlement = self.core.cloud.settle(now: self.core.now())
                for courier in settlement.rung { self.bells.ring(courier) }
                self.deliver(settlement.pushes)
                done.resume(returning: settlement.isMoreDue)
            }
        }
    }

    /// Everything as lines (`Cloud.export`), in a new file that only its owner reads, or in one that is open already. Nothing
    /// is written to the database meanwhile; a file takes the lines as fast as they come, which a client may not.
    public func export(head: Value, to file: URL) async throws {
        let handle = try FileHandle.made(at: file)
        try await export(head: head, to: handle)
        try handle.close()
    }
    public func export(head: Value, to handle: FileHandle) async throws {
        try await withCheckedThrowingContinuation { (done: CheckedContinuation<Void, any Error>) in
            queue.async { done.resume(with: Result { try self.core.export(head: head, to: handle) }) }
        }
    }
    /// Puts lines in the place of everything (`Cloud.restore`), one after the other as they are read.
    public func restore(_ lines: LineReader) async throws {
        try await withCheckedThrowingContinuation { (done: CheckedContinuation<Void, any Error>) in
            queue.async {
                var lines = lines
                done.resume(with: Result { try self.core.cloud.restore { try lines.next() } })
            }
        }
    }

    /// The URLs of answers begin with it from now on.
    public func listens(at origin: String) async {
        await withCheckedContinuation { done in
            queue.async {
                self.core.cloud.listens(at: origin)
                done.resume()
            }
        }
    }

    /// What an administrator asks for.
    public func command(_ message: Message) async -> Value {
        let (answer, pushes) = await withCheckedContinuation { done in
            queue.async { done.resume(returning: self.core.cloud.command(message, now: self.core.now())) }
        }
        deliver(pushes)
        return answer
    }
}

/// Wakes polls when their courier has something.
final class Bells: Sendable {
    private struct State {
        var count: UInt64 = 0
        /// When each courier was rung last: as a point in the order, and by the clock.
        var rung: [String: (mark: UInt64, at: ContinuousClock.Instant)] = [:]
        /// Couriers at which the old ones are looked for again.
        var crowd = 1024
        var waiting: [String: [UInt64: CheckedContinuation<Bool, Never>]] = [:]
        var next: UInt64 = 0
    }
    private let state = Mutex(State())
    /// Nobody who polls now has taken his mark so long ago: a bell from before says nothing to anybody.
    private let keptFor: Duration

    init(keptFor: Duration = .seconds(24 * 3600)) { self.keptFor = keptFor }

    /// Couriers of which is known when they were rung.
    var known: Int { state.withLock { $0.rung.count } }
    var waiting: Int { state.withLock { $0.waiting.values.reduce(0) { $0 + $1.count } } }

    /// A point in the order of all ringing.
    var mark: UInt64 { state.withLock { $0.count } }

    func ring(_ courier: String) {
        let waiting = state.withLock { state in
            state.count += 1
            let now = ContinuousClock.now
            state.rung[courier] = (state.count, now)
            if state.rung.count > state.crowd {
                state.rung = state.rung.filter { $0.value.at + keptFor > now }
                state.crowd = max(1024, 2 * state.rung.count)
            }
            return state.waiting.removeValue(forKey: courier)
        }
        for (_, waiter) in waiting ?? [:] { waiter.resume(returning: true) }
    }

    /// - Returns: whether the courier was rung after `mark`; false when the time is over.
    func wait(for courier: String, after mark: UInt64, until deadline: ContinuousClock.Instant) async -> Bool {
        guard ContinuousClock.now < deadline else { return false }
        let id = state.withLock { state in
            state.next += 1
            return state.next
        }
        let timer = Task {
            try await Task.sleep(until: deadline, clock: .continuous)
            self.end(courier, id)
        }
        defer { timer.cancel() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                let isRung = state.withLock { state in
                    if state.rung[courier]?.mark ?? 0 > mark { return true }
                    state.waiting[courier, default: [:]][id] = waiter
                    return false
                }
                if isRung { waiter.resume(returning: true) }
                if Task.isCancelled { end(courier, id) }
            }
        } onCancel: {
            end(courier, id)
        }
    }
    private func end(_ courier: String, _ id: UInt64) {
        let waiter = state.withLock { state in
            let waiter = state.waiting[courier]?.removeValue(forKey: id)
            if state.waiting[courier]?.isEmpty == true { state.waiting[courier] = nil }
            return waiter
        }
        waiter?.resume(returning: false)
    }
}
