import FleetModel
import Testing

@testable import Nemesis

func at(_ seconds: Int64) -> Instant { .zero + .seconds(seconds) }

func spec(_ kind: String, from: Int64 = 10, until: Int64 = 20, pads: [Int] = [1], _ parameters: Value = .empty)
    -> FaultSpec
{
    FaultSpec(id: kind, kind: kind, from: at(from), until: at(until), pads: pads, parameters: parameters)
}

func message(
    _ direction: NetworkMessage.Direction, pad: Int = 1, route: String = "/kvs/v1/store/sync", cause: String = "maya.1",
    attempt: Int = 0, at moment: Instant = at(15), bytes: Int = 200
) -> NetworkMessage {
    NetworkMessage(
        direction: direction, pad: pad, route: route, cause: cause, attempt: attempt, at: moment, bytes: bytes)
}

/// Two iPads, a storm of 100 s and seed 7; faults are active as they would be at `moment`.
struct Storm {
    var nemesis: Nemesis
    var seed: UInt64 = 7

    init(_ specs: [FaultSpec], seed: UInt64 = 7, at moment: Instant = at(15)) throws {
        self.seed = seed
        nemesis = try Nemesis(specs: specs, pads: [1, 2], stormEnd: at(100))
        for (index, fault) in nemesis.faults.enumerated() where fault.spec.from <= moment {
            nemesis.begin(index)
            if fault.spec.until <= moment { nemesis.heal(index) }
        }
    }
    /// Each time as if nothing had been asked before.
    func outcome(of message: NetworkMessage) -> DeliveryOutcome {
        var nemesis = nemesis
        return nemesis.outcome(of: message, seed: seed)
    }
}

/// What the fault does to one message of each direction at 15 s.
func endings(_ spec: FaultSpec, pad: Int = 1) throws -> [DeliveryOutcome.Ending] {
    let storm = try Storm([spec])
    return [NetworkMessage.Direction.request, .response, .push].map { storm.outcome(of: message($0, pad: pad)).ending }
}

func problem(_ spec: FaultSpec) -> FaultProblem? {
    do throws(FaultProblem) {
        _ = try FaultRegistry.make(spec)
        return nil
    } catch { return error }
}

extension DeliveryOutcome.Ending {
    var isHeld: Bool { if case .held = self { true } else { false } }
}

/// What one fault asks for at its begin and at its end.
func acts(_ spec: FaultSpec) throws -> [[FaultAct]] {
    var nemesis = try Storm([spec], at: .zero).nemesis
    nemesis.begin(0)
    let acts = [nemesis.faults[0].begin(), nemesis.faults[0].heal()]
    return nemesis.isActive(0) ? acts : [acts[0]]
}
func command(_ name: String, _ body: Value = .empty, pad: Int = 1) -> [FaultAct] {
    [.command(.pad(pad), Message(name, body))]
}
func cloud(_ name: String, _ body: Value = .empty) -> [FaultAct] { [.command(.cloud, Message(name, body))] }
