/// Why a proxy cannot begin: what happened, where, what to do next. Nothing was listened to.
public struct ProxyProblem: Error, Hashable, Sendable, CustomStringConvertible {
    public var message: String
    public init(_ message: String) { self.message = message }
    public var description: String { message }
}
