import FleetModel

/// What apps save after calm has begun though nobody edits any more. An app that goes on for ever proves nothing about what it would have
/// ended with, and empties batteries.
struct RestlessApps {
    /// More saves of one edit by one iPad since calm began than this are not explained by what still waited. ASSUMED: the number is ours; each
    /// iPad of a fleet may save a merged item once for every other.
    static let calmSavesMax = 50

    private struct Sender: Hashable {
        var token: Token
        var device: String
        var place: String
    }
    private(set) var doubts: [String] = []

    init(_ history: [HistoryEvent]) {
        var watch = SaveWatch()
        var isCalm = false
        var saves: [Sender: Int] = [:]
        var apps: [Token: AppName] = [:]
        for event in history {
            let note = event.note
            if let reason = watch.take(event), doubts.isEmpty { doubts = [reason] }
            if note.kind == .phase, note.detail["name"] == "calm" { isCalm = true }
            if note.kind == .invoked { for token in note.tokens { apps[token] = note.app } }
            guard isCalm, note.kind == .committed, doubts.isEmpty else { continue }
            for token in note.tokens {
                let place = note.detail["where"]?.string ?? ""
                let sender = Sender(token: token, device: note.detail["device"]?.string ?? "", place: place)
                saves[sender, default: 0] += 1
                guard saves[sender] == Self.calmSavesMax + 1, doubts.isEmpty else { continue }
                let often = "more than \(Self.calmSavesMax) times since calm began"
                doubts = [SaveWatch.reason(event, often, app: apps[token])]
            }
        }
    }
}
