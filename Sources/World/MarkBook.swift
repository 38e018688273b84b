import FleetModel

/// Marks of a run: each counts once. Also finds the one that no participant can see alone.
struct MarkBook {
    /// An edit made on one iPad was on the screen of another.
    static let secondIPadSaw = "second-ipad-saw"

    private(set) var names: Set<String> = []
    /// The iPad on which an edit was begun.
    private var origins: [Token: Int] = [:]

    /// False for a mark that was reached before or has no name: it is no news.
    mutating func takes(_ note: Note) -> Bool {
        guard note.kind == .mark else { return true }
        return note.detail["name"]?.string.map { names.insert($0).inserted } ?? false
    }

    /// Whether this note shows for the first time that a second iPad saw an edit.
    mutating func hasSeenElsewhere(_ note: Note, on pad: Int?) -> Bool {
        guard note.kind == .began, !names.contains(Self.secondIPadSaw) else { return false }
        for token in note.detail["saw"]?.strings ?? [] {
            if let origin = origins[token], origin != pad { return true }
        }
        for token in note.tokens { origins[token] = pad }
        return false
    }
}
