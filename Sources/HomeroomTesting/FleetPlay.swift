import FleetModel

/// The seeds of one test: played by a process of their own, told by the test's.
struct FleetPlay {
    let options: FleetOptions
    let place: TestPlace

    /// In the process of the test.
    func outcomes() async -> [SeedOutcome] {
        guard let seeds = options.wanted else { return [] }
        return await TestProcess.outcomes(of: place, seeds: seeds)
    }
    /// In the process of the seeds.
    func serve(
        _ order: SeedProcess.Order, catching makeCatcher: @escaping () -> any IssueCatcher,
        _ body: @escaping @Sendable (Fleet) async throws -> Void
    ) -> Never {
        SeedProcess(order: order, place: place, options: options, makeCatcher: makeCatcher, body: body).run()
    }
}
