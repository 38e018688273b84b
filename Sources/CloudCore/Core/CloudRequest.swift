import FleetModel

/// One HTTP request with its way back.
public struct CloudRequest: Hashable, Sendable {
    public var from: ParticipantID
    /// Pairs it with its answer; unique per sender.
    public var exchange: UInt64
    public var http: HTTPRequest

    public init(from: ParticipantID, exchange: UInt64, http: HTTPRequest) {
        self.from = from
        self.exchange = exchange
        self.http = http
    }
}

/// What one request led to. Nothing of it may leave before the commit: `Cloud.apply` returns after it.
public struct CloudReply: Hashable, Sendable {
    public var to: ParticipantID
    public var exchange: UInt64
    public var response: HTTPResponse
    public var pushes: [Push] = []
    /// For the history: `committed` and `replaced`.
    public var notes: [Note] = []
    /// A poll that found nothing: the edge may hold the answer back until another reply's `rung` names this courier, and
    /// then ask again.
    public var waitsFor: String?
    /// Couriers that have something to deliver now.
    public var rung: [String] = []
    /// What the World draws this answer's luck from: an edit's token, else the request's own name.
    public var cause: String

    /// One notification for one device.
    public struct Push: Hashable, Sendable {
        public var device: ParticipantID
        public var message: Message
    }

    /// The outputs in their order: response, pushes, notes.
    public var outputs: [Output] {
        var outputs = [Output(to: to, .response(response), exchange: exchange, cause: cause)]
        outputs += pushes.map { Output(to: $0.device, .push($0.message), cause: "push/\(cause)") }
        outputs += notes.map { Output(to: .cloud, .note($0)) }
        return outputs
    }
}
