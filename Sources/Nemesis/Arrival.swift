import FleetModel

/// What reaches somebody of one network message, and when: what a `DeliveryOutcome` means, for everybody who carries whole messages.
public struct Arrival: Hashable, Sendable {
    /// What arrives, and at which end.
    public enum Content: Hashable, Sendable {
        /// The message itself, at its receiver.
        case message
        /// An error, at the iPad whose request it concerns.
        case failure(NetworkFailure)
        /// An answer of somebody on the way, at the iPad whose request it concerns.
        case response(HTTPResponse)
    }
    /// The message itself, an error or a foreign answer.
    public var content: Content
    /// Virtual time of the arrival; never before the message started its way.
    public var at: Instant

    /// `at` is not checked: `DeliveryOutcome.arrivals` never gives a moment before the message started.
    public init(content: Content, at: Instant) {
        self.content = content
        self.at = at
    }
}

extension DeliveryOutcome {
    /// A push that is on its way for so long is late.
    static let lateness = Span.seconds(5)
    /// The message arrives, and late.
    public var isLate: Bool { ending == .arrives && latency >= Self.lateness }

    /// What arrives of a message that starts its way at `now`; nothing when it is lost and nobody is told.
    /// - Parameter direction: an answer or a push that is refused on its way is lost, and nobody asked for a push who could be told.
    public func arrivals(of direction: NetworkMessage.Direction, at now: Instant) -> [Arrival] {
        let then = now + latency
        switch ending {
        case .arrives: return twice(at: then)
        // A request is held where one copy of it waits.
        case .held(let until):
            let message = Arrival(content: .message, at: max(until, then))
            return direction == .request ? [message] : [message] + copies(at: then)
        case .lost: return []
        case .refused, .handshakeFailed:
            return direction == .request ? [Arrival(content: .failure(.unreachable), at: then)] : []
        case .reset, .truncated:
            return direction == .push ? [] : [Arrival(content: .failure(.connectionLost), at: then)]
        // The request's way and the answer's.
        case .answered(let response):
            return direction == .request ? [Arrival(content: .response(response), at: then + latency)] : []
        }
    }

    private func twice(at then: Instant) -> [Arrival] { [Arrival(content: .message, at: then)] + copies(at: then) }
    private func copies(at then: Instant) -> [Arrival] {
        duplicate.map { [Arrival(content: .message, at: then + $0)] } ?? []
    }
}
