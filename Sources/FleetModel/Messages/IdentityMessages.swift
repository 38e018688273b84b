/// The iCloud account of a launch (identity.md).
public enum IdentityMessages {
    static let all: [any LocalMessage.Type] = [Get.self, Taken.self]

    public struct Get: LocalCall {
        public static var name: String { "identity.get" }
        public typealias Answer = State
        public init() {}
    }
    /// The token and the status of the account.
    public struct State: FieldGroup, Hashable {
        public var accountStatus: Int64 = 1
        public var identity: String?
        public init() {}
        public mutating func visit(_ fields: inout Fields) {
            fields.always("accountStatus", &accountStatus, "0-4")
            fields.nullable("identity", &identity, "token")
        }
    }
    public struct Taken: LocalCall {
        public static var name: String { "identity.taken" }
        public static var about: String {
            "the link calls it as soon as `app.identityChanged` brings another token, before any code of the app hears of it"
        }
        public var identity: String?
        public init() {}
        public init(_ identity: String?) { self.identity = identity }
        public mutating func visit(_ fields: inout Fields) { fields.nullable("identity", &identity, "token") }
    }
}
