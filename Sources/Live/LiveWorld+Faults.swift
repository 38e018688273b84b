import CInterpose
import FleetModel
import Nemesis
import Run

/// Kills, power cuts and crashes of processes.
extension LiveWorld {
    /// Real time after which an iPad whose last step does not end is ended all the same.
    private static let fallNanoseconds: Int64 = 10_000_000_000

    package func scheduleFaults() {
        for (index, fault) in nemesis.faults.enumerated() {
            agenda.add(.faultBegins(index), at: fault.spec.from)
            if fault.spec.until > fault.spec.from, !fault.spec.stays {
                agenda.add(.faultHeals(index), at: fault.spec.until)
            }
        }
    }
    package func healEverything() throws {
        try healFaults()
        for mark in try network?.heal() ?? [] { try note(.mark(mark), from: .people) }
        isCalm = true
        for pad in pads.values {
            pad.order("forgetCounts")
            if pad.number <= plan.pads, !plan.core.contains(pad.number) { pad.order("goOffline") }
        }
    }

    package func perform(_ act: FaultAct) throws {
        switch act {
        case .command(let id, let message): try command(id, message)
        case .commandLater(let id, let span, let message): agenda.add(.laterCommand(id, message), at: now + span)
        case .commandAfterHops(let pad, let hops, let message): pads[pad]?.order("count", message, hops: hops)
        case .killApp(let pad, let hops, let reason): pads[pad]?.order("count", hops: hops, reason: reason)
        case .afterCall(let pad, let name, let nth, let act): pads[pad]?.order(after: name, nth, act)
        case .powerCut(let pad, let seed, let outage): fall(pad, .powerCut(seed: seed), outage)
        case .reboot(let pad, let outage): fall(pad, PadCommand.Reboot().message, outage)
        case .crashCloud(_, let outage): try crashCloud(outage)
        }
    }

    /// The iPad does its last step and is ended after it; `fallen` boots it after the outage.
    private func fall(_ pad: Int, _ message: Message, _ outage: Span) {
        guard isAlive(.pad(pad)) else { return }
        pads[pad]?.order("fall", message)
        pads[pad]?.fall = (hr_real_ns() + Self.fallNanoseconds, outage)
    }

    /// SIGKILL: what the server had not given to the machine is gone, and nothing else.
    private func crashCloud(_ outage: Span) throws {
        guard cloud.isOurs, isCloudUp else { return }
        cloud.crash()
        isCloudUp = false
        try note(Note(.cloudCrashed), from: .cloud)
        try note(.mark(.cloudCrashed), from: .cloud)
        agenda.add(.boot(.cloud), at: now + outage)
    }
}
