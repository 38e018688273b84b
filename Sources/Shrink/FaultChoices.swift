import FleetModel
import Nemesis
import Workload

/// What can be said more simply about a fault.
public enum FaultChoices {
    /// Kinds that are the same whatever iPads they name (Docs/faults.md).
    static let ofTheCloud = [
        "cloud-crash", "quota-exceeded", "change-token-expired", "partial-failure", "stale-index", "account-suspended",
        "zone-deleted",
    ]

    /// Parameters as people write them: times as texts. Nothing else changes.
    public static func readable(_ fault: FaultSpec) -> FaultSpec {
        var fault = fault
        for (name, kind) in kinds(of: fault.kind) {
            guard case .time = kind, let number = fault.parameters[name]?.int else { continue }
            fault.parameters[name] = .string(Span(nanoseconds: number).written)
        }
        return fault
    }

    /// Simpler faults of the same kind, at the same time.
    /// - Parameter pads: iPads at which somebody is.
    static func of(_ fault: FaultSpec, pads: [Int]) -> [FaultSpec] {
        withoutParameter(fault) + onOnePad(fault, pads) + atCall(fault) + rounder(fault)
    }

    private static func withoutParameter(_ fault: FaultSpec) -> [FaultSpec] {
        (fault.parameters.object?.keys ?? []).map { key in
            var less = fault
            less.parameters[key] = nil
            return less
        }
    }
    private static func onOnePad(_ fault: FaultSpec, _ pads: [Int]) -> [FaultSpec] {
        let named = fault.pads.isEmpty ? pads : fault.pads
        return ([[]] + named.map { [$0] }).map { pads in
            var less = fault
            less.pads = pads
            return less
        }
    }
    /// A crash after so many messages, as one right after a call that changes what will survive.
    private static func atCall(_ fault: FaultSpec) -> [FaultSpec] {
        guard fault.parameters["hops"] != nil, kinds(of: fault.kind)["call"] != nil else { return [] }
        return (1...2).flatMap { nth in
            LocalCalls.durable.map { name in
                var moved = fault
                moved.parameters["hops"] = nil
                moved.parameters["call"] = .string(name)
                if nth > 1 { moved.parameters["nth"] = .int(nth) }
                return moved
            }
        }
    }
    private static func rounder(_ fault: FaultSpec) -> [FaultSpec] {
        (fault.parameters.object?.pairs ?? []).flatMap { pair -> [FaultSpec] in
            let values: [Value]
            switch kinds(of: fault.kind)[pair.key] {
            case .probability: values = [.int(1)]
            case .time:
                let number = pair.value.int.map { Span(nanoseconds: $0) }
                guard let span = number ?? pair.value.string.flatMap({ Span(parsing: $0) }) else { return [] }
                values = Roughness.choices(for: span).map { .string($0.written) }
            case .number: values = [0, 1].map { .int($0) }
            default: values = []
            }
            return values.filter { $0 != pair.value }.map { value in
                var rounder = fault
                rounder.parameters[pair.key] = value
                return rounder
            }
        }
    }

    private static func kinds(of kind: String) -> [String: FaultForm.Kind] {
        let form = FaultRegistry.named(kind)?.form
        return Dictionary(
            (form?.parameters ?? []).compactMap { parameter in parameter.kind.map { (parameter.name, $0) } },
            uniquingKeysWith: { first, _ in first })
    }
}
