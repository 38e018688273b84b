import FleetModel

/// First-run and progress flags that an app keeps in its user defaults: they are the person's, and belong where the person's next iPad
/// finds them (S22).
enum KeptFlags {
    /// One text for each flag that was set and is in no key-value store of the app under the same name.
    ///
    /// Whether iCloud is used is each iPad's own affair and belongs in the defaults (icloud-documents.md 9; S82): such a flag the app
    /// declares in its Info.plist (`HomeroomLocalFlags`), and is not told of.
    static func found(in history: [HistoryEvent]) -> [(event: HistoryEvent, text: String)] {
        var synced: Set<Flag> = []
        for event in history where event.note.detail["what"] == "kvsKey" { synced.insert(Flag(event)) }
        return history.compactMap { event in
            guard event.note.kind == .habit, event.note.detail["what"] == "flag" else { return nil }
            let flag = Flag(event)
            guard !synced.contains(flag), event.note.detail["local"] != true else { return nil }
            return (
                event,
                "keeps the flag '\(flag.key)' in user defaults; the person's next iPad looks into the key-value store"
            )
        }
    }
    private struct Flag: Hashable {
        var app: AppName
        var key: String
        init(_ event: HistoryEvent) {
            app = event.note.app ?? ""
            key = event.note.detail["key"]?.string ?? ""
        }
    }
}
