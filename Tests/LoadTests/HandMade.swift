import FleetModel

@testable import Load

/// A history written by hand: one person, iPads 1 to 3, times in milliseconds.
struct HandMade {
    var plan: [PlanStep] = []
    var history: [HistoryEvent] = []

    static let apps: [AppName: Channel] = ["notebook": .record, "quiz": .keyValue]

    init() {
        for app in Self.apps.keys.sorted() {
            note(0, .people, Note(.appDeclared, app: app, channel: Self.apps[app]))
        }
        phase(0, "storm")
    }

    mutating func note(_ milliseconds: Int64, _ from: ParticipantID, _ note: Note) {
        history.append(HistoryEvent(at: .zero + .milliseconds(milliseconds), from: from, note))
    }
    mutating func phase(_ at: Int64, _ name: String) {
        note(at, .people, Note(.phase, detail: ["name": .string(name)]))
    }
    mutating func fault(_ kind: Note.Kind, _ at: Int64, id: String = "partition-1") {
        note(at, .people, Note(kind, detail: ["id": .string(id), "kind": "partition"]))
    }
    @discardableResult
    mutating func planned(
        _ token: Token, _ at: Int64, app: AppName = "notebook", item: String? = nil, verb: Edit.Verb = .put,
        pad: Int = 1
    ) -> Edit {
        let edit = Edit(
            token: token, person: "maya", app: app, action: "write", item: item ?? token, verb: verb, value: "")
        plan.append(PlanStep(at: .zero + .milliseconds(at), person: "maya", pad: pad, .perform(edit)))
        return edit
    }
    mutating func invoked(_ edit: Edit, _ at: Int64, pad: Int = 1) {
        let detail: Value = ["edit": edit.body, "pad": .int(pad)]
        note(at, .people, Note(.invoked, person: "maya", app: edit.app, tokens: [edit.token], detail: detail))
    }
    /// Planned, tried at once and performed.
    mutating func made(_ token: Token, _ at: Int64, performed: Int64, app: AppName = "notebook", item: String? = nil) {
        let edit = planned(token, at, app: app, item: item)
        invoked(edit, at)
        step(.performed, token, performed)
    }
    mutating func step(_ kind: Note.Kind, _ token: Token, _ at: Int64) {
        note(at, .pad(1), Note(kind, person: "maya", tokens: [token]))
    }
    mutating func seen(_ token: Token, on pad: Int, _ at: Int64, by person: Person = "maya") {
        note(at, .pad(pad), Note(.arrived, person: person, app: "notebook", tokens: [token]))
    }

    var figures: RunFigures {
        RunFigures(
            history: history, plan: plan, bells: [.zero + .seconds(30)], scenario: "hand", seed: 1, mode: "sim",
            wallMilliseconds: 500)
    }
    /// The row of everything.
    var all: RunFigures.Row? { figures.rows.first }
}

extension RunFigures.Row {
    /// The only latency, or the largest, in milliseconds.
    func most(_ stage: RunFigures.Stage) -> Int64? {
        self[stage].count == 0 ? nil : self[stage].max.nanoseconds / 1_000_000
    }
}
