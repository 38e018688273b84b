import FleetModel

/// When each edit of a run reached which rung, read from plan and history.
struct EditTimes {
    struct Times {
        var edit: Edit
        var pad: Int
        /// From the plan; of an edit that no plan has, when it was tried.
        var intended: Instant
        var isTried = false
        var isRefused = false
        var handedBack = 0
        var performed: Instant?
        var handedOver: Instant?
        var committed: Instant?
        /// First sights on other iPads, one an iPad, in the order of time.
        var sights: [(pad: Int, at: Instant)] = []

        /// A text can be recognised where it arrives; flags and deletions cannot.
        var isVisible: Bool { edit.verb == .put }
    }

    /// In the order of the plan, then of the history.
    private(set) var all: [Times] = []
    private(set) var channels: [AppName: Channel] = [:]
    private(set) var faults: [RunFigures.Timeline.Window] = []
    private(set) var stormEnd = Instant.zero
    private var place: [Token: Int] = [:]
    private var openFaults: [String: Int] = [:]
    private var isStorm = true

    init(history: [HistoryEvent], plan: [PlanStep]) {
        for step in plan {
            guard case .perform(let edit) = step.deed, place[edit.token] == nil else { continue }
            add(Times(edit: edit, pad: step.pad, intended: step.at))
        }
        for event in history { take(event) }
        let end = history.last?.at ?? .zero
        if stormEnd == .zero { stormEnd = end }
        for index in openFaults.values { faults[index].until = end }
        inheritSights()
    }

    private mutating func add(_ times: Times) {
        place[times.edit.token] = all.count
        all.append(times)
    }

    private mutating func take(_ event: HistoryEvent) {
        let note = event.note
        switch note.kind {
        case .appDeclared: if let app = note.app, let channel = note.channel { channels[app] = channel }
        case .phase: phaseBegan(note.detail["name"]?.string, at: event.at)
        case .faultBegan: faultBegan(note.detail, at: event.at)
        case .faultHealed: faultHealed(note.detail, at: event.at)
        case .invoked: invoked(event)
        case .performed: each(note) { $0.performed = $0.performed ?? event.at }
        case .refused: each(note) { $0.isRefused = true }
        case .handedOver: each(note) { $0.handedOver = $0.handedOver ?? event.at }
        case .handedBack: each(note) { $0.handedBack += 1 }
        case .committed: each(note) { $0.committed = $0.committed ?? event.at }
        case .arrived: if isStorm { arrived(event) }
        default: break
        }
    }

    private mutating func each(_ note: Note, _ change: (inout Times) -> Void) {
        for token in note.tokens { if let index = place[token] { change(&all[index]) } }
    }

    private mutating func invoked(_ event: HistoryEvent) {
        guard let edit = event.note.detail["edit"].flatMap(Edit.init) else { return }
        if place[edit.token] == nil {
            let pad = Int(clamping: event.note.detail["pad"]?.int ?? 0)
            add(Times(edit: edit, pad: pad, intended: event.at))
        }
        each(event.note) { $0.isTried = true }
    }

    /// What another person is handed is not a sight; a checker looks after that.
    private mutating func arrived(_ event: HistoryEvent) {
        guard let pad = event.from.pad else { return }
        each(event.note) { times in
            guard times.pad != pad, times.edit.person == event.note.person,
                !times.sights.contains(where: { $0.pad == pad })
            else { return }
            times.sights.append((pad, event.at))
        }
    }

    /// In calm and at the readings the run itself goes round and opens every app: what is seen then nobody waited for.
    private mutating func phaseBegan(_ name: String?, at: Instant) {
        guard isStorm, let name, name != "storm" else { return }
        isStorm = false
        stormEnd = at
    }

    private mutating func faultBegan(_ detail: Value, at: Instant) {
        guard let id = detail["id"]?.string else { return }
        openFaults[id] = faults.count
        faults.append(.init(name: detail["kind"]?.string ?? id, from: at, until: at))
    }
    private mutating func faultHealed(_ detail: Value, at: Instant) {
        guard let id = detail["id"]?.string, let index = openFaults.removeValue(forKey: id) else { return }
        faults[index].until = at
    }

    private struct Item: Hashable {
        var person: Person
        var app: AppName
        var item: String

        init(_ edit: Edit) { (person, app, item) = (edit.person, edit.app, edit.item) }
    }
    /// What was performed, the last of the plan first.
    private var backwards: [Int] {
        all.indices.filter { all[$0].performed != nil }.sorted { (all[$0].intended, $0) > (all[$1].intended, $1) }
    }

    /// Whoever is shown a later text of an item waits no more for an earlier one: that is its sight there, if it had none before.
    private mutating func inheritSights() {
        var later: [Item: [Int: Instant]] = [:]
        for index in backwards {
            let item = Item(all[index].edit)
            for (pad, at) in later[item, default: [:]].sorted(by: { $0.key < $1.key }) where pad != all[index].pad {
                if let own = all[index].sights.firstIndex(where: { $0.pad == pad }) {
                    all[index].sights[own].at = min(all[index].sights[own].at, at)
                } else {
                    all[index].sights.append((pad, at))
                }
            }
            all[index].sights.sort { ($0.at, $0.pad) < ($1.at, $1.pad) }
            for (pad, at) in all[index].sights { later[item, default: [:]][pad] = at }
        }
    }

    /// Places in `all` of edits whose item was deleted next: of a deletion nothing can be seen.
    var overtaken: Set<Int> {
        var next: [Item: Edit.Verb] = [:]
        var found: Set<Int> = []
        for index in backwards {
            let verb = all[index].edit.verb
            if next.updateValue(verb, forKey: Item(all[index].edit)) == .delete { found.insert(index) }
        }
        return found
    }
}
