import NoteSync
import PadApp

extension EngineApp {
    /// The engine as an app: how it is built, what a person sees, and what happens when somebody writes.
    public static func notes(_ name: String = "notes", _ build: @escaping @Sendable () throws -> NoteSync) -> EngineApp
    {
        EngineApp(
            name,
            build: {
                let sync = try build()
                Task { await sync.sync() }
                return sync
            },
            shows: { await $0.texts }, becomesActive: { sync in Task { await sync.sync() } },
            receivesPush: { sync, _ in
                await sync.sync(); return true
            },
            writes: { try await $0.write($2, to: $1) })
    }
    public static let notes = notes { try NoteSync() }
    /// The same with a realistic mistake: it overwrites what it has not seen.
    public static let overwriting = notes("overwriting") { try NoteSync(savePolicy: .allKeys) }
}
