/// What the statements ask of an app that `homeroom lint` tells habits by: a number alone means nothing to a reader without the list. The whole list
/// is Docs/statements.tsv, to which a test compares these.
enum Statements {
    static let subjects: [String: String] = [
        "S11": "NSSupportsPurgeableLocalStorage is declared only by apps that pass the purge test",
        "S16": "route: credentials in the keychain, nowhere else",
        "S17": "download only what the screen needs",
        "S18": "a later launch fetches differences only",
        "S21": "large or late batches lose more at a kill",
        "S22": "progress and first-run flags in the key-value store, per person",
        "S24": "background tasks held for the minimum",
        "S25": "a background task ends at the hand-over, not at the transfer's end",
        "S52": "coordinated against uncoordinated file work",
        "S58": "no live database file in a container",
        "S59": "no caches, temporary or re-creatable files in a container",
        "S75": "identity token is read early in launch",
        "S76": "identity token is read on the main thread",
        "S84": "container call may block: off the main thread",
        "S159": "interface updates in background are violations",
        "S164": "launch stays within its budget",
        "S191": "protection set at write, before content",
        "S204": "no polling",
        "S209": "bulk data in a database, loaded late",
        "S210": "few big transfers",
        "S212": "only changed parts are written",
        "S213": "large random access: a database",
        "S214": "temporary files are gone afterwards",
        "S290": "shipped apps: production",
    ]

    /// A line of lint that begins with a statement's number, with what the statement asks.
    static func explained(_ line: String) -> String {
        let number = String(line.prefix { $0 != " " })
        return subjects[number].map { "\(line); \(number) asks: \($0)" } ?? line
    }
}
