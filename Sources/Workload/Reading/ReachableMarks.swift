import FleetModel

/// Marks that a run can reach: what World and Pad note once each. A name that nobody notes would never be reached.
public enum ReachableMarks {
    /// All names that `mustReach` may have.
    public static let all = byFaults + byAdministrators
    /// What the faults of a swarm bring about.
    public static let byFaults = Mark.allCases.filter { !$0.isByAdministrators }.map(\.rawValue)
    /// What only a scenario that asks for it shows, or only an app that queries.
    public static let byAdministrators = Mark.allCases.filter(\.isByAdministrators).map(\.rawValue)
}
