import FleetModel

/// Which way along an iPad's link a fault looks, seen from the iPad.
public enum LinkDirection: String, CaseIterable, Sendable {
    case both
    /// Requests.
    case up
    /// Responses and pushes.
    case down

    func selects(_ message: NetworkMessage) -> Bool {
        switch self {
        case .both: true
        case .up: message.direction == .request
        case .down: message.direction != .request
        }
    }
}
