import CSQLite
import DeterministicRuntime
import FleetModel
import SandboxSQLite
import Storage
import Testing

@testable import PadApp
@testable import PadCore

/// The sandbox of one app on a disk, served by the iPad's own code, and the app's process: what a test of databases needs of an iPad.
final class SandboxBench: CallLink {
    static let home = "/var/mobile/Containers/Data/Application/com.example.cards"
    let disk = Disk.memory()
    /// Where the app keeps its database.
    let path = home + "/Documents/cards.sqlite"
    var isUnlocked = true
    private(set) var calls: [Message] = []
    private(set) var posts: [Message] = []
    private var system: Database
    private var launch: (loop: AppLoop, link: AppLink)?
    private var open: Set<String> = []
    private var now: Int64 = 0

    init() throws {
        SandboxSQLite.install()
        try disk.makeFolder(Self.home + "/Documents")
        try disk.makeFolder("/system")
        try disk.sync(Self.home)
        system = try Database(disk: disk, path: "/system/pad.db")
        start()
    }

    // MARK: The app's process

    /// A new process; of the one before nothing is left.
    func start() {
        let loop = AppLoop(seed: 7, epochNanoseconds: Instant.epochNanoseconds)
        let link = AppLink(pad: .pad(1), spec: ["bundle": "com.example.cards", "home": .string(Self.home)])
        loop.context = link
        launch = (loop, link)
        open = []
    }
    /// Code of the app, in one step.
    @discardableResult func step<T>(_ body: () throws -> T) rethrows -> T {
        let (loop, link) = launch!
        now += 1_000_000
        loop.setClock(now)
        disk.now = Instant(nanoseconds: now)
        link.open(self)
        defer { for output in loop.enter({ link.close() }) { take(output) } }
        return try loop.enter(body)
    }
    /// What was not synced is torn or gone, and the app starts again.
    func cutPower(seed: UInt64) throws {
        launch = nil
        disk.powerCut(seed: seed)
        disk.powerFailsAt = nil
        system = try Database(disk: disk, path: "/system/pad.db")
        start()
    }

    // MARK: The iPad

    func call(_ message: Message, after posts: [Output]) -> Message? {
        for post in posts { take(post) }
        calls.append(message)
        return Message(
            message.name, (try? serve(message)) ?? ["error": ["domain": "POSIX", "code": 5, "message": "?"]])
    }
    private func take(_ output: Output) {
        if case .post(let message) = output.payload { posts.append(message) }
    }
    private func serve(_ message: Message) throws -> Value {
        let path = message["path"]?.string ?? ""
        do {
            let answer = try FileCall(
                disk: disk, roots: [Self.home], inbox: Self.home + "/Documents/Inbox",
                bundle: AppBundle(of: "com.example.cards") { [:] },
                gate: FileGate(protection: protection, isAvailable: isUnlocked, open: open),
                exclusion: BackupExclusion(system, isThere: { _ in true }), isPlaceholder: { _ in false },
                makeRoom: { _, _ in false }
            ).serve(message)
            if message.name == "file.open" { open.insert(path) }
            if message.name == "file.close" { open.remove(path) }
            return answer
        } catch let error as LinkError {
            return error.body
        }
    }
    private var protection: FileProtection { FileProtection(system) }
    func protect(_ path: String, _ wanted: ProtectionClass) throws { try protection.set(wanted, path) }

    /// What the app has told of its locks last.
    var heldLocks: [Value]? { posts.last { $0.name == "file.locks" }?["held"]?.array }
}

/// SQLite as an app uses it: by its plain functions and its default file system.
final class PlainDatabase {
    let handle: OpaquePointer?
    let opened: Int32

    init(_ path: String, flags: Int32 = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE) {
        var made: OpaquePointer?
        opened = sqlite3_open_v2(path, &made, flags, nil)
        handle = made
    }
    deinit { sqlite3_close_v2(handle) }

    /// - Returns: the result code, extended.
    @discardableResult func run(_ statement: String) -> Int32 {
        sqlite3_extended_result_codes(handle, 1)
        return sqlite3_exec(handle, statement, nil, nil, nil)
    }
    /// The first column of every row.
    func rows(_ statement: String) -> [String] {
        var prepared: OpaquePointer?
        guard sqlite3_prepare_v2(handle, statement, -1, &prepared, nil) == SQLITE_OK else { return ["?"] }
        defer { sqlite3_finalize(prepared) }
        var rows: [String] = []
        while sqlite3_step(prepared) == SQLITE_ROW {
            rows.append(sqlite3_column_text(prepared, 0).map { String(cString: $0) } ?? "null")
        }
        return rows
    }
    var isWhole: Bool { rows("PRAGMA integrity_check") == ["ok"] }
}
