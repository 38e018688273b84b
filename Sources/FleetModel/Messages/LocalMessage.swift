/// How a message travels.
public enum MessageWay: String, Hashable, Sendable, CaseIterable {
    /// The app asks and waits: the answer comes in the same instant.
    case call
    /// The app posts it with an exchange: the answer comes later, perhaps never.
    case ask
    /// The app posts it, and no answer comes.
    case post
    /// The iPad posts it and wants an answer under the same name and exchange.
    case question
    /// The iPad posts it and wants none.
    case notice
    /// People, the World and faults give it to an iPad.
    case command
}

/// One message, defined once for both ends and for the pages: its name, its members, its answer.
public protocol LocalMessage: FieldGroup {
    /// What an answer holds that is not an error.
    associatedtype Answer: FieldGroup = NoFields
    /// `service.verb`, as it travels and stands in traces.
    static var name: String { get }
    static var way: MessageWay { get }
    /// It changes what survives: an end at this moment tells most, so a swarm draws from these.
    static var isDurable: Bool { get }
    /// For the page that lists it.
    static var about: String { get }
}

extension LocalMessage {
    public static var isDurable: Bool { false }
    public static var about: String { "" }

    /// Reads the members of a message of this name.
    /// - Throws: for a member that is missing or of another kind.
    public init(_ message: Message) throws(MalformedMessage) { try self.init(message.body, of: Self.name) }
    /// As it travels.
    public var message: Message { Message(Self.name, body) }
}

extension Message {
    public func `is`(_ definition: (some LocalMessage).Type) -> Bool { name == definition.name }
}

/// `MessageWay.call`.
public protocol LocalCall: LocalMessage {}
/// `MessageWay.ask`.
public protocol LocalAsk: LocalMessage {}
/// `MessageWay.post`.
public protocol LocalPost: LocalMessage {}
/// `MessageWay.question`.
public protocol LocalQuestion: LocalMessage {}
/// `MessageWay.notice`.
public protocol LocalNotice: LocalMessage {}
extension LocalCall { public static var way: MessageWay { .call } }
extension LocalAsk { public static var way: MessageWay { .ask } }
extension LocalPost { public static var way: MessageWay { .post } }
extension LocalQuestion { public static var way: MessageWay { .question } }
extension LocalNotice { public static var way: MessageWay { .notice } }
