import Nemesis

/// Counts the messages of each cause, as the World does, in bounded memory: what was not seen for long begins at 0 again.
struct Tries {
    private struct Key: Hashable {
        var direction: Passage.Direction
        var pad: Int
        var cause: String
    }
    private var young: [Key: Int] = [:]
    private var old: [Key: Int] = [:]
    /// Causes that a generation holds.
    private let most: Int

    init(most: Int = 50_000) { self.most = most }

    /// How many messages like this one came before.
    mutating func next(_ direction: Passage.Direction, pad: Int, cause: String) -> Int {
        let key = Key(direction: direction, pad: pad, cause: cause)
        let before = young[key] ?? old[key] ?? 0
        if young.count >= most, young[key] == nil { (old, young) = (young, [:]) }
        young[key] = before + 1
        return before
    }
}
