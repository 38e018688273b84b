import FleetModel

/// One documented behaviour: what is asked and what must be answered.
public struct Check: Sendable {
    /// Subject: behaviour.
    public var name: String
    /// Of cloudkit-web-services.md, unless it names another document.
    public var section: String
    private let body: @Sendable (Conversation) -> Void

    init(_ section: String, _ name: String, _ body: @escaping @Sendable (Conversation) -> Void) {
        self.section = section
        self.name = name
        self.body = body
    }

    /// Every check there is. A new behaviour is one entry in one of the tables.
    public static let all =
        access + records + conflicts + fields + queries + comparators + changes + zones + subscriptions + users
        + assets + shares + limits

    /// What came of it.
    public struct Outcome: Sendable {
        /// What was expected and not seen; empty: it holds.
        public var failures: [String]
        /// Requests and answers, without what differs from run to run.
        public var transcript: [String]
        /// Operations that were served (`records/query`).
        public var served: Set<String>
    }

    /// - Parameter number: makes container and people of this check its own.
    public func run(over wire: any Wire, number: Int) -> Outcome {
        let conversation = Conversation(wire, number)
        body(conversation)
        return Outcome(
            failures: conversation.failures, transcript: conversation.transcript, served: conversation.served)
    }
}
