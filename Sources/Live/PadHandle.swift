import FleetModel
import Glibc
import Nemesis
import Run

/// The supervisor's end of an iPad's process.
struct PadHandle {
    let number: Int
    let pid: pid_t
    let wire: Wire
    /// It does its last step: when to end it at the latest, ns of CLOCK_MONOTONIC, and when it boots again.
    var fall: (deadline: Int64, outage: Span)?

    func send(_ inputs: [Input]) {
        var writer = ByteWriter(reserving: 128)
        writer.inputs(inputs)
        wire.queue(.inputs, writer)
    }
    /// What it shall do by itself right after the nth call of its apps; a power cut it tells when it has done its last step.
    func order(after call: String, _ nth: Int, _ act: FaultAct) {
        var order: Value = ["do": "countCall", "call": .string(call), "nth": .int(nth)]
        switch act {
        case .killApp(_, _, let reason): order["reason"] = .string(reason.rawValue)
        case .powerCut(_, let seed, let outage):
            order["seed"] = .int(Int64(bitPattern: seed))
            order["outage"] = .int(outage.nanoseconds)
        // No fault counts calls for anything else.
        case .command, .commandLater, .commandAfterHops, .afterCall, .reboot, .crashCloud: return
        }
        queue(order)
    }
    func order(_ what: String, _ message: Message? = nil, hops: Int = 0, reason: KillReason = .kill) {
        var order: Value = ["do": .string(what), "hops": .int(hops)]
        if reason != .kill { order["reason"] = .string(reason.rawValue) }
        if let message {
            order["name"] = .string(message.name)
            order["body"] = message.body
        }
        queue(order)
    }
    private func queue(_ order: Value) {
        var writer = ByteWriter(reserving: 64)
        order.write(to: &writer)
        wire.queue(.order, writer)
    }
}
