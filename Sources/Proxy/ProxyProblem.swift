/// Why a proxy cannot begin: what happened, where, what to do next. Nothing was listened to.
public struct ProxyProblem: Error, Hashable, Sendable, CustomStringConvertible {
    /// What happened, where, and what to do next.
    public var message: String
    /// From its message.
    public init(_ message: String) { self.message = message }
    /// The message.
    public var description: String { message }
}
