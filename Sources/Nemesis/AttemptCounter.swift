/// Counts the messages of each link and cause: the number is part of the key of a message's draw, so everybody who draws counts alike.
public struct AttemptCounter: Sendable {
    private struct Key: Hashable {
        var direction: NetworkMessage.Direction
        var pad: Int
        var cause: String
    }
    private var young: [Key: Int] = [:]
    private var old: [Key: Int] = [:]
    private let most: Int

    /// - Parameter most: causes that are remembered at least; what was not seen for longer begins at 0 again. Without it memory grows with
    ///   the run, as virtual time allows and a process that runs for weeks does not.
    public init(most: Int = .max) { self.most = most }

    /// How many messages like this one came before.
    public mutating func next(_ direction: NetworkMessage.Direction, pad: Int, cause: String) -> Int {
        let key = Key(direction: direction, pad: pad, cause: cause)
        let before = young[key] ?? old[key] ?? 0
        if young.count >= most, young[key] == nil { (old, young) = (young, [:]) }
        young[key] = before + 1
        return before
    }
}
