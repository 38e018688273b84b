import HomeroomTesting
import NoteSync

/// The example's engine as an app.
func notes(_ name: String = "notes", _ make: @escaping @Sendable () throws -> NoteSync = { try NoteSync() })
    -> EngineApp
{
    EngineApp(
        name,
        build: {
            let sync = try make()
            Task { await sync.sync() }
            return sync
        },
        shows: { await $0.texts }, becomesActive: { sync in Task { await sync.sync() } },
        receivesPush: { sync, _ in
            await sync.sync()
            return true
        },
        writes: { try await $0.write($2, to: $1) })
}

/// The same with its mistake: it overwrites what it has not seen.
let overwriting = notes("overwriting") { try NoteSync(savePolicy: .allKeys) }

/// Somebody writes at both iPads, one of which is cut off and loses its app.
func writeApart(_ fleet: Fleet) async throws {
    await fleet.launch(1, 2)
    await fleet.edit("shopping", "milk", on: 1)
    try await fleet.rest()
    await fleet.partition(2)
    await fleet.edit("shopping", "eggs & *bread*", on: 2)
    await fleet.edit("shopping", "\"bread\"\nand: butter", on: 1)
    await fleet.appKill(2)
    await fleet.launch(2)
    try await fleet.rest()
}
