import FleetModel

/// The tokens that lie in a piece of content, as they stand beside its row.
enum TokenList {
    /// Tokens never hold a space (`EditPayload`).
    static func text(_ tokens: [Token]) -> String { tokens.joined(separator: " ") }
    static func read(_ text: String) -> [Token] { text.split(separator: " ").map(String.init) }
}

extension Work {
    /// Tells the history that content was committed, and which tokens it pushed out.
    func noteWrite(
        _ channel: Channel, of person: Person, at place: String, old: [Token], new: [Token], detail: Value = .empty
    ) {
        var detail = detail
        detail["where"] = .string(place)
        note(Note(.committed, person: person, channel: channel, tokens: new, detail: detail))
        noteReplaced(channel, of: person, at: place, old: old, by: new, detail: detail)
    }
    /// Tells the history that content with tokens is gone; nothing when all of them are in what took its place.
    func noteReplaced(
        _ channel: Channel, of person: Person, at place: String, old: [Token], by new: [Token], detail: Value = .empty
    ) {
        let gone = old.filter { !new.contains($0) }
        guard !gone.isEmpty else { return }
        var detail = detail
        detail["where"] = .string(place)
        detail["by"] = .strings(new)
        note(Note(.replaced, person: person, channel: channel, tokens: gone, detail: detail))
    }
}
