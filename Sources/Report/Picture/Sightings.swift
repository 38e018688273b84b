import Checkers
import FleetModel

/// Where each edit was seen outside its own iPad: the first event on each other iPad that shows it there.
struct Sightings {
    private struct Sight: Hashable {
        var token: Token
        var pad: Int
    }
    private var seen: Set<Sight> = []
    /// Events by edit, in the order of the history.
    private(set) var events: [Token: [Int]] = [:]

    init(_ stories: Stories) {
        for (index, event) in stories.history.enumerated() {
            guard let pad = event.from.pad ?? event.note.detail["pad"]?.int.flatMap({ Int(exactly: $0) }) else {
                continue
            }
            switch event.note.kind {
            case .began:
                for token in event.note.detail["saw"]?.strings ?? [] { note(token, on: pad, at: index, stories) }
            case .arrived, .fetched:
                for token in event.note.tokens { note(token, on: pad, at: index, stories) }
            case .read:
                for item in event.note.detail["items"]?.array ?? [] {
                    for token in item["tokens"]?.strings ?? [] { note(token, on: pad, at: index, stories) }
                }
            default: break
            }
        }
    }

    private mutating func note(_ token: Token, on pad: Int, at index: Int, _ stories: Stories) {
        guard let entry = stories.ledger.entry(of: token), entry.pad != pad,
            seen.insert(Sight(token: token, pad: pad)).inserted
        else { return }
        events[token, default: []].append(index)
    }
}
