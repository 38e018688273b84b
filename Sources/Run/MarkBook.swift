import FleetModel

/// Marks of a run: each counts once, but one that names an iPad (a push that it did not get) as often as it comes. Also finds the one that no
/// participant can see alone.
public struct MarkBook {
    /// An edit made on one iPad was on the screen of another.

    /// What was reached so far: names as in `mustReach` of a scenario.
    public private(set) var names: Set<String> = []
    /// The iPad on which an edit was begun.
    private var origins: [Token: Int] = [:]
    /// Who is signed in on which iPad.
    private var seats: [Int: Person] = [:]
    /// In calm everybody is signed in on two iPads at once, for the readings.
    private var isStorm = true
    /// Second accounts that an iPad has told of, whether the Cloud has heard of them or not.
    public private(set) var secondAccounts: Set<Person> = []

    /// For one run, from its beginning: nothing is reached, nobody signed in.
    public init() {}

    /// What a note of an iPad adds to the history: nothing for a mark that is no news, and with it what it shows for the first time.
    public mutating func events(for event: HistoryEvent) -> [HistoryEvent] {
        guard takes(event.note) else { return [] }
        if let account = event.note.person, SecondAccount.isOne(account) { secondAccounts.insert(account) }
        var shown: [Mark] = []
        if hasSeenElsewhere(event.note, on: event.from.pad) { shown.append(.secondIPadSaw) }
        if isTwice(event.note, on: event.from.pad) { shown.append(.samePersonTwice) }
        return [event]
            + shown.map { Note.mark($0) }.filter { takes($0) }.map {
                HistoryEvent(at: event.at, from: event.from, $0)
            }
    }
    /// Whether this note shows a person signed in on a second iPad.
    private mutating func isTwice(_ note: Note, on pad: Int?) -> Bool {
        if note.kind == .phase { isStorm = note.detail["name"] == "storm" }
        guard let pad, isStorm else { return false }
        switch note.kind {
        case .signedIn:
            seats[pad] = note.person
            return seats.contains { $0.key != pad && $0.value == note.person }
        case .signedOut, .rebooted, .powerCut: seats[pad] = nil
        case .purged where note.app == nil && seats[pad] == note.person: seats[pad] = nil
        default: break
        }
        return false
    }

    /// False for a mark that was reached before or has no name: it is no news. Which iPad missed what is news each time.
    package mutating func takes(_ note: Note) -> Bool {
        guard note.kind == .mark else { return true }
        let isOfPad = note.detail["pad"] != nil
        return note.detail["name"]?.string.map { names.insert($0).inserted || isOfPad } ?? false
    }

    /// Whether this note shows for the first time that a second iPad saw an edit.
    package mutating func hasSeenElsewhere(_ note: Note, on pad: Int?) -> Bool {
        guard note.kind == .began, !names.contains(Mark.secondIPadSaw.rawValue) else { return false }
        for token in note.detail["saw"]?.strings ?? [] {
            if let origin = origins[token], origin != pad { return true }
        }
        for token in note.tokens { origins[token] = pad }
        return false
    }
}
