import HomeroomTesting
import NoteSync
import Testing

private func notes(_ name: String, _ make: @escaping @Sendable () throws -> NoteSync) -> EngineApp {
    EngineApp(
        name,
        build: {
            let sync = try make()
            Task { await sync.sync() }
            return sync
        },
        shows: { await $0.texts }, becomesActive: { sync in Task { await sync.sync() } },
        receivesPush: { sync, _ in await sync.sync(); return true },
        writes: { try await $0.write($2, to: $1) })
}

@Suite struct TwoIPadsTests {
    /// Maya goes on at her second iPad, whose network is gone, and writes at the first one too.
    private func writeApart() async throws {
        let fleet = Fleet.current
        await fleet.launch(1, 2)
        await fleet.edit("shopping", "milk", on: 1)
        try await fleet.rest()
        await fleet.partition(2)
        await fleet.edit("shopping", "eggs", on: 2)
        await fleet.edit("shopping", "bread", on: 1)
        await fleet.appKill(2)
        await fleet.launch(2)
        try await fleet.rest()
        #expect(try await fleet.shown(on: 1) == fleet.shown(on: 2))
    }

    @Test(.fleet(app: notes("notes") { try NoteSync() }, ipads: 2, people: ["maya"], seeds: 50))
    func textsWrittenApartBothStay() async throws { try await writeApart() }
}
