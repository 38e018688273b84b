import CInterpose
import FleetModel

/// Gives a Pad or the Cloud its own clock and entropy for the time of a step, so that nothing of the machine reaches it.
/// Apps have theirs in their loop.
public final class Guarded: Participant {
    /// What is guarded.
    package let inner: any Participant
    private let machine: UnsafeMutablePointer<hr_context>

    /// - Parameter seed: of the run; each id has a stream of its own.
    public init(_ inner: any Participant, id: ParticipantID, seed: UInt64) {
        self.inner = inner
        let stream = StableHash.of(seed, "guarded", id.description)
        machine = .allocate(capacity: 1)
        machine.initialize(to: hr_context(now_ns: 0, epoch_ns: Instant.epochNanoseconds, rng: stream, drawn: stream))
    }
    deinit { machine.deallocate() }

    /// Steps what is guarded with `now` as the machine's clock; what it drew is part of the result's entropy.
    public func step(now: Instant, inputs: [Input], link: any CallLink) -> StepResult {
        machine.pointee.now_ns = now.nanoseconds
        let before = hr_enter(machine)
        defer { hr_enter(before) }
        var result = inner.step(now: now, inputs: inputs, link: link)
        result.entropy ^= machine.pointee.drawn
        return result
    }
}

extension Guarded: Inspectable {
    public func inspect(_ question: Message) -> Value? { (inner as? any Inspectable)?.inspect(question) }
}
