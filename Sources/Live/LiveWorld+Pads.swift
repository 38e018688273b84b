import FleetModel
import Glibc
import Run
import Trace

/// The processes of the iPads: their beginning and end, and what they say.
extension LiveWorld {
    func startPad(_ number: Int, spec: Value) throws {
        let log = settings.logs.isEmpty ? "" : "\(settings.logs)/ipad-\(number).log"
        let (pid, socket) = try zygote.spawn(.pad(number), spec: spec, log: log, limitMilliseconds: 0)
        pads[number] = PadHandle(number: number, pid: pid, wire: Wire(socket.fd))
    }
    func kill(_ number: Int) {
        guard let pad = pads.removeValue(forKey: number) else { return }
        Glibc.kill(pad.pid, SIGKILL)
        _ = zygote.reap(pad.pid)
        pad.wire.close()
    }
    /// Its last step is done, or it had time enough: the power is gone.
    /// - Parameter outage: of a power cut that came by a count, which nobody here knew of.
    func fallen(_ number: Int, outage: Span? = nil) {
        guard let outage = pads[number]?.fall?.outage ?? outage else { return }
        kill(number)
        agenda.add(.boot(.pad(number)), at: now + outage)
    }

    // MARK: What iPads say

    func take(from number: Int) throws {
        guard let pad = pads[number] else { return }
        pad.wire.flush()
        pad.wire.receive()
        while pads[number] != nil, let frame = pad.wire.next() { try take(frame, from: pad) }
        if pads[number] != nil, pad.wire.isClosed { try ended(pad) }
    }

    private func take(_ frame: (kind: FrameKind, body: [UInt8]), from pad: PadHandle) throws {
        var reader = ByteReader(frame.body)
        switch frame.kind {
        case .outputs:
            guard let at = try? reader.signed(), let count = try? reader.varint(), let outputs = try? reader.outputs(),
                let requests = try? reader.requests()
            else { throw RunEnd.harness("ipad-\(pad.number) sent malformed outputs") }
            handled += Int(clamping: count)
            for request in requests { onRequest?(request) }
            for output in outputs { try take(output, from: pad.number, at: Instant(nanoseconds: at)) }
        case .fallen:
            let outage = (try? reader.signed()).map(Span.init(nanoseconds:))
            fallen(pad.number, outage: outage)
            // It counted on when calm began: the phases do not know that it has to come back.
            if isCalm, outage != nil, plan.core.contains(pad.number) { try boot(.pad(pad.number)) }
        case .leak:
            throw RunEnd(.leak, "ipad-\(pad.number): \((try? reader.string()) ?? "unknown")")
        case .machine: throw RunEnd(.disk, "ipad-\(pad.number): \((try? reader.string()) ?? "unknown")")
        case .failed: throw RunEnd.harness((try? reader.string()) ?? "unknown")
        default: throw RunEnd.harness("ipad-\(pad.number) sent an unknown frame")
        }
    }

    private func take(_ output: Output, from number: Int, at instant: Instant) throws {
        switch output.payload {
        case .note(let note): keep(note, from: .pad(number), at: instant)
        case .post(let message) where output.exchange >= 1 << 40: answers[output.exchange] = message
        case .post: try stepPeople([Input(from: .pad(number), output.payload, exchange: output.exchange)])
        default: throw RunEnd.harness("ipad-\(number) sent a \(output.payload.kindName), which no link carries")
        }
    }

    private func ended(_ pad: PadHandle) throws {
        if pad.fall != nil { return fallen(pad.number) }
        pads[pad.number] = nil
        pad.wire.close()
        Glibc.kill(pad.pid, SIGUSR1)
        let how = WaitStatus.words(for: zygote.reap(pad.pid))
        throw RunEnd.harness("ipad-\(pad.number) ended by itself: \(how)")
    }
}
