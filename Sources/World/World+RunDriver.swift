import FleetModel
import Run

/// The World as the place where a run is played.
extension World: RunDriver {
    /// Runs the whole plan. What was found is in the recorder's history.
    /// - Throws: `RunEnd.harness` or `TraceProblem`; then nothing is said about the app.
    public func run() throws {
        try play()
        host.shutDown()
    }
    /// Writes the tapes and starts everybody, for who plays something else than a scenario.
    public func begin() throws { try open() }
    /// Steps the workload without inputs, so that it sets the timer of its first deed.
    public func wakePeople() throws { try step(.people, []) }

    package var timeScale: Double { 1 }
    package var readings: Int { 1 }

    package func switchOff(_ pad: Int) {
        end(.pad(pad))
        for app in liveApps(of: pad) { end(app) }
    }

    // MARK: Asking

    /// Sends one command and runs until it is answered; nil when the time is over.
    public func ask(_ id: ParticipantID, _ message: Message, within span: Span) throws -> Message? {
        let exchange = send(message, to: id)
        try run(until: now + span, orAnswersTo: [exchange])
        return takeAnswer(to: exchange)
    }
    package func run(until end: Instant, orAnswersTo exchanges: [UInt64]) throws {
        while exchanges.contains(where: { answers[$0] == nil }), try runOne(until: end) {}
    }
    package func takeAnswer(to exchange: UInt64) -> Message? { answers.removeValue(forKey: exchange) }

    /// Sends a command at a later time, without waiting for its answer.
    public func schedule(_ message: Message, to id: ParticipantID, at instant: Instant) {
        queue.add(.laterCommand(id, message), at: instant)
    }
    package func send(_ message: Message, to id: ParticipantID) -> UInt64 {
        nextExchange += 1
        hops.append(
            Delivery(
                from: .people, to: id, payload: .command(message), exchange: nextExchange, cause: "",
                life: lives[id]?.number ?? 0))
        return nextExchange
    }
}
