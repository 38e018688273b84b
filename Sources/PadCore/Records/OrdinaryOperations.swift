import FleetModel

/// Operations that belong to their launch: not journaled, never retried by the system, dropped when the app dies.
///
/// CloudKit is transport and fails to the app (S221, S256): offline at once with `networkUnavailable`, and with
/// `networkFailure` when the connection breaks after sending; the app decides what to do next.
struct OrdinaryOperations {
    /// In the order they were given; a launch has few at a time.
    private var runs: [OperationRun] = []
    private static let prefix = "op:"

    static func owns(_ task: NetworkTask) -> Bool { task.name.hasPrefix(prefix) }

    mutating func removeAll() { runs = [] }

    /// - Throws: `RecordFault` when the launch has an operation of that name under way.
    mutating func submit(_ run: OperationRun, _ pad: any PadServices) throws(RecordFault) {
        guard !runs.contains(where: { $0.op == run.op && $0.app == run.app }) else {
            throw .refused(
                CloudKitFailure(code: 12, "operation '\(run.op)' is under way; give each operation a name of its own"))
        }
        var run = run
        guard pad.canReachNetwork(as: run.app.person) else {
            receive(.failure(.networkUnavailable), &run, pad)
            return
        }
        send(&run, pad)
        runs.append(run)
    }

    private func send(_ run: inout OperationRun, _ pad: any PadServices) {
        run.send(as: "\(Self.prefix)\(run.app.app)/\(run.app.launch)", pad)
    }

    /// - Returns: the operation that came to its end by this.
    mutating func reply(_ reply: NetworkReply, to task: NetworkTask, _ pad: any PadServices) -> FinishedOperation? {
        guard let index = runs.firstIndex(where: { $0.task == task }) else { return nil }
        var run = runs.remove(at: index)
        run.landed(answered: true)
        let finished = receive(reply.answer(to: run.call), &run, pad)
        if finished == nil { runs.insert(run, at: index) }
        return finished
    }

    /// - Returns: nil when another request of the same operation is on its way.
    @discardableResult
    private func receive(_ answer: WebAnswer, _ run: inout OperationRun, _ pad: any PadServices) -> FinishedOperation? {
        switch run.work.receive(answer, retried: false) {
        case .send(let call), .sendLater(let call, _):
            run.proceed(to: call)
            if pad.canReachNetwork(as: run.app.person) {
                send(&run, pad)
                return nil
            }
            return receive(.failure(.networkUnavailable), &run, pad)
        case .finish(let result):
            finish(run, result, pad)
            return FinishedOperation(message: run.message, app: run.app, answer: result.answer)
        }
    }

    private func finish(_ run: OperationRun, _ result: OperationResult, _ pad: any PadServices) {
        for outcome in result.outcomes where outcome.failure == nil {
            pad.note(RecordNotes.handedOver(outcome.tokens, by: run.app, place: outcome.place))
        }
        for note in RecordNotes.handedBack(result, to: run.app) { pad.note(note) }
        guard run.exchange != 0 else { return }
        let answer = RecordAssets.place(result.answer, for: run.app, pad)
        pad.post(Message(run.message.name, answer), exchange: run.exchange, to: run.app)
    }

    /// The process is gone: nobody waits for the answers. What was sent may still happen.
    mutating func ended(_ app: AppIdentity, _ pad: any PadServices) {
        for run in runs where run.app == app {
            if let task = run.task { pad.forget(task) }
        }
        runs.removeAll { $0.app == app }
    }
    mutating func forget(_ person: Person, _ pad: any PadServices) {
        for run in runs where run.app.person == person {
            if let task = run.task { pad.forget(task) }
        }
        runs.removeAll { $0.app.person == person }
    }
}
