/// A habit that lint reports, as the pages tell it.
public struct HabitRule: Hashable, Sendable {
    /// The statement that asks for something else.
    public let statement: String
    /// What the app does, in one clause: Markdown, for tables.
    public let habit: String
}

extension HabitLint {
    /// All of them, in the order of their statements.
    public static let rules: [HabitRule] = [
        ("S11", "`NSSupportsPurgeableLocalStorage` is declared though a purge loses an edit"),
        ("S16", "a secret is kept outside the keychain"),
        ("S17", "documents are fetched at launch before one is shown, or fetched and never read"),
        ("S18", "a zone is fetched from the beginning though the app has a change token"),
        ("S21", "an edit waits longer than 30 s until it is handed over"),
        ("S22", "first-run flags and progress are in user defaults, where the next iPad has none of them"),
        ("S24", "a background task is held for more than 5 s"),
        ("S25", "a background task waits for the end of a transfer instead of its hand-over"),
        ("S52", "a file in a container is changed without `NSFileCoordinator`"),
        ("S58", "a live database is in a container"),
        ("S59", "caches, temporary or other files that can be made again are in a container"),
        ("S75", "the identity token is read after launch, or after a container was opened"),
        ("S76", "the identity token is read on another thread than the main one"),
        ("S84", "a container is opened on the main thread, where it may block"),
        ("S159", "what is on the screen is changed while the app is in the background"),
        ("S164", "a launch takes more than 5 s"),
        ("S191", "a file gets its protection class when it has content already"),
        ("S204", "the same question is asked again and again though nothing changed"),
        ("S209", "all of a large file is loaded at launch"),
        ("S210", "records are sent one by one in a short time"),
        ("S212", "a file is written whole for a small change"),
        ("S213", "parts of a file of several MB are changed, without a database"),
        ("S214", "temporary files are left behind"),
        ("S290", "the app is built for CloudKit's development environment"),
    ].map { HabitRule(statement: $0, habit: $1) }
}
