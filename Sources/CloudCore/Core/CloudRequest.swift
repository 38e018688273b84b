import FleetModel

/// One HTTP request with its way back.
public struct CloudRequest: Hashable, Sendable {
    /// The device that asks; the answer goes to it.
    public var from: ParticipantID
    /// Pairs it with its answer; unique per sender.
    public var exchange: UInt64
    /// What it asks for, as it came.
    public var http: HTTPRequest

    /// `exchange` has to be unique among the sender's open requests.
    public init(from: ParticipantID, exchange: UInt64, http: HTTPRequest) {
        self.from = from
        self.exchange = exchange
        self.http = http
    }
}

/// What one request led to. Nothing of it may leave before the commit: `Cloud.apply` returns after it.
public struct CloudReply: Hashable, Sendable {
    /// The device that asked.
    public var to: ParticipantID
    /// That of its request.
    public var exchange: UInt64
    /// The answer, an error's too.
    public var response: HTTPResponse
    /// Notifications that the commit calls for, in their order.
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
        /// The iPad that it is for.
        public var device: ParticipantID
        /// Its name, and its payload as the body.
        public var message: Message
    }

    /// The outputs in their order: response, pushes, notes.
    public var outputs: [Output] {
        [Output(to: to, .response(response), exchange: exchange, cause: cause)]
            + Self.outputs(pushes, notes, cause: cause)
    }
    static func outputs(_ pushes: [Push], _ notes: [Note], cause: String) -> [Output] {
        pushes.map { Output(to: $0.device, .push($0.message), cause: "push/\(cause)") }
            + notes.map { Output(to: .cloud, .note($0)) }
    }
}

/// What work that was put off has led to (`Cloud.settle`). Nothing of it may leave before the commit, as of a `CloudReply`.
public struct CloudSettlement: Hashable, Sendable {
    /// Notifications that the work calls for, in their order.
    public var pushes: [CloudReply.Push] = []
    /// For the history: `replaced`.
    public var notes: [Note] = []
    /// Couriers that have something to deliver now.
    public var rung: [String] = []
    /// Whether more is due.
    public var isMoreDue = false

    /// The outputs in their order: pushes, notes.
    public var outputs: [Output] {
        CloudReply.outputs(pushes, notes, cause: notes.first { !$0.tokens.isEmpty }?.tokens.first ?? "put off")
    }
}
