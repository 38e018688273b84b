import FleetModel
import Glibc
import Nemesis

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
    func order(_ what: String, _ message: Message? = nil, hops: Int = 0, reason: KillReason = .kill) {
        var order: Value = ["do": .string(what), "hops": .int(hops)]
        if reason != .kill { order["reason"] = .string(reason.rawValue) }
        if let message {
            order["name"] = .string(message.name)
            order["body"] = message.body
        }
        var writer = ByteWriter(reserving: 64)
        order.write(to: &writer)
        wire.queue(.order, writer)
    }
}
