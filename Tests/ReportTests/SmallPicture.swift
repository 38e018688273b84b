import Checkers
import FleetModel
import Trace

@testable import Report

/// A run that a test writes by hand: two iPads, an edit of each, one of them overwritten.
enum SmallPicture {
    static let hostile = "</script><script>document.title='owned'</script><img src=x onerror=alert(1)> & \u{2028} <!--"

    static func at(_ seconds: Int64) -> Instant { .zero + .seconds(seconds) }
    static func note(
        _ kind: Note.Kind, _ seconds: Int64, from: ParticipantID = .pad(1), person: Person? = "maya",
        app: AppName? = "notebook", tokens: [Token] = [], detail: Value = .empty
    ) -> HistoryEvent {
        HistoryEvent(at: at(seconds), from: from, Note(kind, person: person, app: app, tokens: tokens, detail: detail))
    }
    static func edit(_ token: Token, item: String = "note-1") -> Edit {
        Edit(
            token: token, person: "maya", app: "notebook", action: "write", item: item, verb: .put,
            value: EditPayload.text(token: token, hostile))
    }
    static func invoked(_ token: Token, _ seconds: Int64, pad: Int64, item: String = "note-1") -> HistoryEvent {
        note(
            .invoked, seconds, from: .people, tokens: [token],
            detail: ["edit": edit(token, item: item).body, "pad": .int(pad)])
    }

    static let history: [HistoryEvent] = [
        note(.phase, 0, from: .people, person: nil, app: nil, detail: ["name": "storm"]),
        note(.signedIn, 1, app: nil, detail: ["first": true]),
        note(.appLaunched, 2, detail: ["launch": 1, "reason": "user"]),
        note(
            .faultBegan, 3, from: .people, person: nil, app: nil,
            detail: ["id": "p-1", "kind": "partition", "target": "ipad-2"]),
        invoked("maya.1", 10, pad: 1), note(.began, 10, tokens: ["maya.1"], detail: ["saw": []]),
        note(.performed, 11, tokens: ["maya.1"]),
        note(.committed, 12, from: .cloud, tokens: ["maya.1"], detail: ["where": "Notebook/note-1"]),
        note(.signedIn, 13, from: .pad(2), app: nil, detail: ["guest": true]),
        invoked("maya.2", 20, pad: 2), note(.began, 20, from: .pad(2), tokens: ["maya.2"], detail: ["saw": ["maya.1"]]),
        note(
            .faultHealed, 25, from: .people, person: nil, app: nil,
            detail: ["id": "p-1", "kind": "partition", "target": "ipad-2"]),
        note(.appSuspended, 30, detail: ["launch": 1]),
        note(.appExited, 40, detail: ["launch": 1, "reason": "memory"]),
        note(.powerCut, 50, from: .pad(2), person: nil, app: nil),
        note(
            .read, 60, from: .pad(2),
            detail: [
                "complete": true,
                "items": .array([Item(id: "note-1", kind: "note", tokens: ["maya.2"], digest: "d").body]),
                "reader": "core",
            ]),
    ]
    static let finding = Finding(
        .overwritten, token: "maya.1", person: "maya", app: "notebook", summary: hostile, doomedBy: 10,
        story: [4, 5, 6, 7, 10, 15])

    static func message(
        _ at: Instant, _ from: ParticipantID, _ to: ParticipantID, _ kind: String, _ subject: String
    ) -> TraceLine {
        .message(TracedMessage(at: at, from: from, to: to, kind: kind, subject: subject))
    }

    /// - Parameter lines: of the trace; default: the history.
    static func picture(
        _ lines: [TraceLine]? = nil, history: [HistoryEvent] = history, findings: [Finding] = [finding],
        limits: PictureMaker.Limits = .page
    ) -> RunPicture {
        var told = report(.invalid, counts: [.overwritten: 1])
        told.scenario = hostile
        var maker = PictureMaker(
            told, .init(purpose: hostile, build: "b", command: hostile, trace: "t"), history: history,
            findings: findings, end: at(70), limits: limits)
        for line in lines ?? history.map(TraceLine.note) { maker.take(line) }
        return maker.finish()
    }
}
