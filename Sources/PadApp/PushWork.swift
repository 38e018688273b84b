/// What libraries of the app do with a silent push, before the app's answer goes to the system: the app stays awake for it, within the time
/// that a push gives. One object in each launch (`AppLink.singleton`).
public final class PushWork {
    private var handlers: [(Value) async -> Bool] = []

    /// Empty. Get the launch's own by `AppLink.singleton`: the iPad runs that one only.
    public init() {}
    /// - Parameter handler: is given the payload; returns whether something new came.
    public func add(_ handler: @escaping (Value) async -> Bool) { handlers.append(handler) }
    /// - Returns: whether something new came to any of them.
    @MainActor func run(_ payload: Value) async -> Bool {
        var isNew = false
        for handler in handlers { isNew = await handler(payload) || isNew }
        return isNew
    }
}
