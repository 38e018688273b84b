// A homeroom of its own with apps that keep a database: SQLite by its plain functions, as libraries use it.
import CSQLite
import Foundation
import HomeroomKit
import PadApp
import Ubiquity

/// Keeps what is not in the key-value store yet in a table, so that neither a kill nor a power cut takes it: an outbox.
@MainActor class Cabinet: PadApp {
    nonisolated class var name: String { "cabinet" }
    nonisolated static var declaration: AppDeclaration {
        AppDeclaration(
            name: name, infoPlistPath: "homeroom_databases.resources/InfoPlists/\(name)/Info.plist",
            channel: .keyValue,
            actions: [AppManifest.Action("file", kind: "paper", verb: .put, pool: 6, prefix: "paper")],
            promises: ["paper": .lastWriterWins])
    }
    let store = NSUbiquitousKeyValueStore.default
    private(set) var outbox: OpaquePointer?

    required init() {
        let folder = Ubiquity.FileManager.default.urls(for: .documentDirectory, in: .userDomainMask)[0]
        sqlite3_open(folder.path + "/outbox.sqlite", &outbox)
        run("PRAGMA journal_mode = wal; PRAGMA synchronous = FULL")
        run("CREATE TABLE IF NOT EXISTS outbox(key TEXT PRIMARY KEY, value TEXT, at REAL, draw INTEGER)")
    }

    func application(didFinishLaunching reason: LaunchReason) async {
        store.synchronize()
        for (key, value) in waiting { send(key, value) }
    }

    func perform(_ edit: Edit) async throws {
        var statement: OpaquePointer?
        let text = "INSERT OR REPLACE INTO outbox VALUES (?, ?, julianday('now'), random())"
        sqlite3_prepare_v2(outbox, text, -1, &statement, nil)
        bind(edit.item, to: statement, 1)
        bind(edit.value, to: statement, 2)
        let code = sqlite3_step(statement)
        sqlite3_finalize(statement)
        guard code == SQLITE_DONE else {
            throw Refusal("the paper cannot be filed: \(String(cString: sqlite3_errmsg(outbox)))")
        }
        await filed()
        send(edit.item, edit.value)
    }
    func filed() async {}

    func visibleState() async -> VisibleState {
        var papers = store.dictionaryRepresentation.compactMapValues { $0 as? String }
        for (key, value) in waiting { papers[key] = value }
        return VisibleState(papers.sorted { $0.key < $1.key }.map { Item(id: $0.key, kind: "paper", text: $0.value) })
    }

    private func send(_ key: String, _ value: String) {
        store.set(value, forKey: key)
        guard store.synchronize() else { return }
        var statement: OpaquePointer?
        sqlite3_prepare_v2(outbox, "DELETE FROM outbox WHERE key = ? AND value = ?", -1, &statement, nil)
        bind(key, to: statement, 1)
        bind(value, to: statement, 2)
        sqlite3_step(statement)
        sqlite3_finalize(statement)
    }
    private var waiting: [(String, String)] {
        var statement: OpaquePointer?
        sqlite3_prepare_v2(outbox, "SELECT key, value FROM outbox ORDER BY key", -1, &statement, nil)
        defer { sqlite3_finalize(statement) }
        var rows: [(String, String)] = []
        while sqlite3_step(statement) == SQLITE_ROW {
            rows.append(
                (String(cString: sqlite3_column_text(statement, 0)), String(cString: sqlite3_column_text(statement, 1)))
            )
        }
        return rows
    }
    func run(_ statement: String) { sqlite3_exec(outbox, statement, nil, nil, nil) }
    private func bind(_ text: String, to statement: OpaquePointer?, _ index: Int32) {
        sqlite3_bind_text(statement, index, text, -1, unsafeBitCast(-1, to: sqlite3_destructor_type.self))
    }
}

/// Begins a transaction and goes to sleep with it.
final class Squatter: Cabinet {
    nonisolated override class var name: String { "squatter" }
    override func filed() async { run("BEGIN IMMEDIATE") }
}

Homeroom.main(apps: [Cabinet.self, Squatter.self])
