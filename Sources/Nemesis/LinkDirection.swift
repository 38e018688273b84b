import FleetModel

/// Which way along an iPad's link a fault looks, seen from the iPad.
public enum LinkDirection: String, CaseIterable, Sendable {
    case both
    /// Requests.
    case up
    /// Responses and pushes.
    case down

    func selects(_ passage: Passage) -> Bool {
        switch self {
        case .both: true
        case .up: passage.direction == .request
        case .down: passage.direction != .request
        }
    }
}
