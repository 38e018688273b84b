import FleetModel

/// What befell iPads, people and apps, indexed so that "the next kill after this event" is one binary search.
struct LifeLog: Sendable {
    enum Kind: Hashable, Sendable {
        case launch
        /// An app runs again.
        case resume
        /// Any end of an app, and those that come without notice to it.
        case exit, abruptExit
        /// Any removal of local data.
        case purge
        case powerCut
        /// Something waits that names no edit.
        case pending
        /// An app looked for changes; of an account, with its name.
        case fetch
        /// The person's iCloud account came, went or changed.
        case identity
        /// A push to the iPad did not arrive.
        case pushLost
    }

    private struct Key: Hashable {
        var kind: Kind
        var pad: Int
        var person: Person?
        var app: AppName?
    }
    private var events: [Key: [Int]] = [:]

    /// Adds an event; indices come in ascending order. Nil for person or app means: all of them on that iPad.
    mutating func record(_ kind: Kind, pad: Int?, person: Person?, app: AppName?, at index: Int) {
        guard let pad else { return }
        events[Key(kind: kind, pad: pad, person: person, app: app), default: []].append(index)
    }

    /// The first event of this kind after `index` that concerns this app of this person on this iPad.
    func first(_ kind: Kind, pad: Int?, person: Person, app: AppName, after index: Int) -> Int? {
        guard let pad else { return nil }
        var best: Int?
        for (owner, name) in [(person, app), (person, nil), (nil, app), (nil, nil)] as [(Person?, AppName?)] {
            guard let list = events[Key(kind: kind, pad: pad, person: owner, app: name)] else { continue }
            let position = Self.position(after: index, in: list)
            if position < list.count, best.map({ list[position] < $0 }) ?? true { best = list[position] }
        }
        return best
    }

    /// All of this app in this account on this iPad, in order; nil for both: of the iPad.
    func all(_ kind: Kind, pad: Int, person: Person? = nil, app: AppName? = nil) -> [Int] {
        events[Key(kind: kind, pad: pad, person: person, app: app)] ?? []
    }

    /// The last one before `index`.
    func last(_ kind: Kind, pad: Int?, person: Person, app: AppName, before index: Int) -> Int? {
        guard let pad else { return nil }
        var best: Int?
        for (owner, name) in [(person, app), (person, nil), (nil, app), (nil, nil)] as [(Person?, AppName?)] {
            guard let list = events[Key(kind: kind, pad: pad, person: owner, app: name)] else { continue }
            let position = Self.position(after: index - 1, in: list)
            if position > 0 { best = max(best ?? -1, list[position - 1]) }
        }
        return best
    }

    /// How many of a list in ascending order are at most `index`.
    static func position(after index: Int, in list: [Int]) -> Int {
        var (low, high) = (0, list.count)
        while low < high {
            let middle = (low + high) / 2
            if list[middle] <= index { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

extension LifeLog {
    /// Files the event if it is one of life; others are ignored.
    mutating func note(_ event: HistoryEvent, pad: Int?, at index: Int) {
        let note = event.note
        switch note.kind {
        case .appLaunched: record(.launch, pad: pad, person: note.person, app: note.app, at: index)
        case .appResumed: record(.resume, pad: pad, person: note.person, app: note.app, at: index)
        case .appExited:
            record(.exit, pad: pad, person: note.person, app: note.app, at: index)
            if note.endReason?.isAbrupt ?? false {
                record(.abruptExit, pad: pad, person: note.person, app: note.app, at: index)
            }
        case .purged: record(.purge, pad: pad, person: note.person, app: note.app, at: index)
        case .powerCut: record(.powerCut, pad: pad, person: nil, app: nil, at: index)
        case .identityChanged: record(.identity, pad: pad, person: note.person, app: nil, at: index)
        case .fetched: record(.fetch, pad: pad, person: note.person, app: note.app, at: index)
        case .mark where note.mark == .pushLost:
            record(.pushLost, pad: pad, person: nil, app: nil, at: index)
        case .pending where note.tokens.isEmpty:
            record(.pending, pad: pad, person: note.person, app: note.app, at: index)
        default: break
        }
    }
}
