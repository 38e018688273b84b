extension PadAppDelegate {
    /// An app that takes Apple's dictionary instead gets that: see `application(didReceiveRemoteNotification:)` with `[AnyHashable: Any]`.
    public func application(didReceiveRemoteNotification userInfo: Value) async -> UIBackgroundFetchResult {
        await application(didReceiveRemoteNotification: userInfo.userInfo)
    }
    /// Answers `.noData`: the app does not use pushes.
    public func application(didReceiveRemoteNotification userInfo: [AnyHashable: Any]) async -> UIBackgroundFetchResult
    {
        DefaultCalls.note("application(didReceiveRemoteNotification:)", of: self)
        return .noData
    }
}

extension Value {
    /// The payload of a push as Apple's delegate method has it: an object's members, of Swift's own types; empty for anything else.
    public var userInfo: [AnyHashable: Any] {
        guard case .object(let object) = self else { return [:] }
        return Dictionary(
            object.pairs.map { (AnyHashable($0.key), $0.value.foreign) }, uniquingKeysWith: { first, _ in first })
    }
    private var foreign: Any {
        switch self {
        case .null: [String]?.none as Any
        case .bool(let flag): flag
        case .int(let number): Int(clamping: number)
        case .double(let number): number
        case .string(let text): text
        case .data(let bytes): bytes
        case .array(let list): list.map(\.foreign)
        case .object: userInfo
        }
    }

    /// The payload that such a dictionary was made from. What no push can hold is left out.
    public init(userInfo: [AnyHashable: Any]) {
        self = .object(
            Value.Object(
                userInfo.compactMap { key, value in
                    guard let name = key.base as? String, let value = Value(foreign: value) else { return nil }
                    return (name, value)
                }))
    }
    private init?(foreign value: Any) {
        switch value {
        // A literal that holds one of ours is a dictionary of Apple's for the compiler.
        case let value as Value: self = value
        case let flag as Bool: self = .bool(flag)
        case let number as Int: self = .int(number)
        case let number as Double: self = .double(number)
        case let text as String: self = .string(text)
        // An empty list is one of bytes too for Swift; a payload has lists.
        case let list as [Any] where list.isEmpty: self = .array([])
        case let bytes as [UInt8]: self = .data(bytes)
        case let members as [AnyHashable: Any]: self = Value(userInfo: members)
        case let list as [Any]: self = .array(list.compactMap(Value.init(foreign:)))
        default: return nil
        }
    }
}
