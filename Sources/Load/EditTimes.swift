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

    /// Places in `all` of edits whose item was written or deleted again by the same person, later by the plan.
    var overtaken: Set<Int> {
        struct Item: Hashable {
            var person: Person
            var app: AppName
            var item: String
        }
        var written: Set<Item> = []
        var found: Set<Int> = []
        let order = all.indices.sorted { (all[$0].intended, $0) > (all[$1].intended, $1) }
        for index in order where all[index].performed != nil {
            let edit = all[index].edit
            let item = Item(person: edit.person, app: edit.app, item: edit.item)
            if !written.insert(item).inserted { found.insert(index) }
        }
        return found
    }
}
