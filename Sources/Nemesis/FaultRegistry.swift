import FleetModel

/// All faults by name. A new fault is one file in `Faults/` and one line here.
public enum FaultRegistry {
    public static let all: [any Fault.Type] = []

    public static func named(_ name: String) -> (any Fault.Type)? { all.first { $0.name == name } }
}
