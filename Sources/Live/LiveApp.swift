import FleetModel
import Glibc
import Run

/// An app's own process in live: it waits for messages and for its own timers, and steps by itself.
///
/// Suspension reaches it as SIGSTOP, a kill as SIGKILL: it knows nothing of either.
enum LiveApp {
    /// Never returns: a process that runs nothing but this app.
    static func serve(_ app: any Participant, on wire: Wire, _ clock: LiveClock) -> Never {
        run(app, on: wire, clock)
        _exit(0)
    }

    /// The program behind the app has ended, and its process ends as it did.
    private static func leave(_ end: ProgramEnd) -> Never {
        switch end {
        case .died(let how):
            writeError("the program has ended: \(how)")
            _exit(1)
        case .broke(let text), .stalled(let text): LastWords.protocolBroken(text)
        }
    }

    /// Runs until the iPad goes away.
    static func run(_ app: any Participant, on wire: Wire, _ clock: LiveClock) {
        let link = WireLink(wire)
        var timer: Instant?
        while !link.isDead {
            link.receive()
            // What came while a call waited for its answer waits no longer.
            if !link.hasInputs {
                wire.wait(milliseconds: timer.map { clock.milliseconds(until: $0, atMost: 60_000) } ?? -1)
                wire.receive()
                link.receive()
            }
            let inputs = link.takeInputs()
            let now = clock.now
            if inputs.isEmpty, timer.map({ $0 > now }) ?? true {
                if wire.isClosed { return }
                continue
            }
            let result = app.step(now: now, inputs: inputs, link: link)
            if let end = result.end { leave(end) }
            timer = result.nextTimer
            guard !link.isDead, !result.outputs.isEmpty else { continue }
            var writer = ByteWriter(reserving: 256)
            writer.outputs(result.outputs)
            guard wire.send(.outputs, writer) else { return }
        }
    }
}

/// The call link of a free process: what comes while it waits for the answer is kept for the next step.
private final class WireLink: CallLink {
    private let wire: Wire
    private var inputs: [Input] = []
    /// The iPad is gone or sends what cannot be read: this process has nothing to say any more.
    private(set) var isDead = false

    init(_ wire: Wire) { self.wire = wire }

    var hasInputs: Bool { !inputs.isEmpty }
    func takeInputs() -> [Input] {
        defer { inputs = [] }
        return inputs
    }

    /// Keeps what has been received.
    func receive() { while let frame = wire.next() { keep(frame) } }
    private func keep(_ frame: (kind: FrameKind, body: [UInt8])) {
        var reader = ByteReader(frame.body)
        guard frame.kind == .inputs, let more = try? reader.inputs() else { return isDead = true }
        inputs += more
    }

    func call(_ message: Message, after posts: [Output]) -> Message? {
        var writer = ByteWriter(reserving: 128)
        writer.outputs(posts)
        message.write(to: &writer)
        isDead = isDead || !wire.send(.call, writer)
        while !isDead {
            while let frame = wire.next() {
                guard frame.kind == .answer else {
                    keep(frame)
                    continue
                }
                var reader = ByteReader(frame.body)
                if let answer = try? Message(from: &reader) { return answer }
                isDead = true
            }
            guard !wire.isClosed else { break }
            wire.wait(milliseconds: -1)
            wire.receive()
        }
        isDead = true
        return nil
    }
}
