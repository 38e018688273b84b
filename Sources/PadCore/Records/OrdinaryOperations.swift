import FleetModel

/// Operations that belong to their launch: not journaled, dropped when the app dies.
///
/// CloudKit is transport and fails to the app (S221, S256): offline at once with `networkUnavailable`, and with
/// `networkFailure` or `serverResponseLost` when the connection breaks after sending; the app decides what to do next. Only failures of the
/// network, and only for the qualities of service `utility` and `background`, are waited out here until the resource timeout
/// (cloudkit-framework.md 11).
struct OrdinaryOperations {
    private struct Item {
        var run: OperationRun
        let expires: Instant
        var retryAt: Instant?
        /// Pauses since the last answer: each is longer than the one before.
        var pauses = 0
        var reason: CloudKitFailure?

        /// The seven days of the default cannot pass while an operation neither waits nor has 7 days of requests.
        var nextWake: Instant? {
            guard retryAt != nil || run.settings.resourceTimeout < OperationSettings.resourceTimeout else { return nil }
            return min(retryAt ?? expires, expires)
        }
        mutating func wait(for failure: CloudKitFailure, sent: Bool, _ pad: any PadServices) {
            let name = "\(run.app.app)/\(run.app.launch)/\(run.op)/\(run.step)"
            retryAt = pad.now + Backoff.pause(after: pauses, hint: nil, device: pad.deviceName, name: name)
            reason = failure
            pauses += 1
            if sent { run.attempt += 1 }
        }
    }
    /// In the order they were given; a launch has few at a time.
    private var items: [Item] = []
    private var throttle = RecordThrottle()
    private static let prefix = "op:"

    static func owns(_ task: NetworkTask) -> Bool { task.name.hasPrefix(prefix) }

    mutating func removeAll() { (items, throttle) = ([], RecordThrottle()) }

    /// - Throws: `RecordFault` when the launch has an operation of that name under way, or the service wants to be left alone.
    mutating func submit(_ run: OperationRun, _ pad: any PadServices) throws(RecordFault) {
        guard !items.contains(where: { $0.run.op == run.op && $0.run.app == run.app }) else {
            throw .refused(
                CloudKitFailure(code: 12, "operation '\(run.op)' is under way; give each operation a name of its own"))
        }
        try throttle.check(run, at: pad.now)
        var item = Item(run: run, expires: pad.now + run.settings.resourceTimeout)
        if goOn(&item, pad) == nil { items.append(item) }
    }

    /// Sends the next request, if it can leave.
    /// - Returns: the operation when it ended because it cannot.
    private mutating func goOn(_ item: inout Item, _ pad: any PadServices) -> FinishedOperation? {
        item.retryAt = nil
        if pad.canReachNetwork(as: item.run.app.account) {
            item.run.send(as: "\(Self.prefix)\(item.run.app.app)/\(item.run.app.launch)", pad)
            return nil
        }
        return receive(.failure(.networkUnavailable), &item, sent: false, pad)
    }

    /// - Returns: the operation that came to its end by this.
    mutating func reply(_ reply: NetworkReply, to task: NetworkTask, _ pad: any PadServices) -> FinishedOperation? {
        guard let index = items.firstIndex(where: { $0.run.task == task }) else { return nil }
        var item = items.remove(at: index)
        let answer = reply.answer(to: item.run.call)
        item.run.landed(answer.failure)
        throttle.hear(answer.failure, of: item.run, at: pad.now)
        let finished = receive(answer, &item, sent: true, pad)
        if finished == nil { items.insert(item, at: index) }
        return finished
    }

    /// - Returns: nil when another request of the same operation is on its way, or waits.
    private mutating func receive(
        _ answer: WebAnswer, _ item: inout Item, sent: Bool, _ pad: any PadServices
    ) -> FinishedOperation? {
        if let failure = answer.failure, failure.isOfNetwork, item.run.settings.waitsForNetwork {
            item.wait(for: failure, sent: sent, pad)
            return nil
        }
        // A retry may meet its own first attempt on the service.
        switch item.run.work.receive(answer, retried: item.run.attempt > 0) {
        case .send(let call), .sendLater(let call, _):
            item.run.proceed(to: call)
            item.pauses = 0
            return goOn(&item, pad)
        case .finish(let result):
            finish(item.run, result, pad)
            return FinishedOperation(message: item.run.message, app: item.run.app, answer: result.answer)
        }
    }

    private func finish(_ run: OperationRun, _ result: OperationResult, _ pad: any PadServices) {
        if let task = run.task { pad.forget(task) }
        for outcome in result.outcomes where outcome.failure == nil {
            pad.note(RecordNotes.handedOver(outcome.tokens, by: run, place: outcome.place))
        }
        pad.noteAnswer(result.answer, to: run.message, of: run.app)
        for note in RecordNotes.handedBack(result, to: run.app) { pad.note(note) }
        guard run.exchange != 0 else { return }
        let answer = RecordAssets.place(result.answer, for: run.app, pad)
        pad.post(Message(run.message.name, answer), exchange: run.exchange, to: run.app)
    }

    // MARK: Time

    var nextWake: Instant? { items.compactMap(\.nextWake).min() }
    mutating func wake(_ pad: any PadServices) {
        for item in items where item.expires <= pad.now && item.nextWake != nil {
            var run = item.run
            items.removeAll { $0.run.op == run.op && $0.run.app == run.app }
            let result = run.expire(waitingFor: item.reason)
            finish(run, result, pad)
        }
        retry(pad) { $0 <= pad.now }
    }
    /// The network may be there: whoever waited for it need wait no longer.
    mutating func networkReturned(_ pad: any PadServices) { retry(pad) { _ in true } }

    private mutating func retry(_ pad: any PadServices, _ isDue: (Instant) -> Bool) {
        for index in items.indices where items[index].retryAt.map(isDue) == true {
            var item = items[index]
            // One that waits for the network ends by its time alone.
            _ = goOn(&item, pad)
            items[index] = item
        }
    }

    /// The app wants no more of it: what waits is not sent, what is on its way may still happen.
    mutating func cancel(_ op: String, of app: AppIdentity, _ pad: any PadServices) {
        guard let index = items.firstIndex(where: { $0.run.op == op && $0.run.app == app }) else { return }
        var run = items.remove(at: index).run
        finish(run, run.end(with: .cancelled), pad)
    }
    /// The process is gone: nobody waits for the answers. What was sent may still happen.
    mutating func ended(_ app: AppIdentity, _ pad: any PadServices) {
        for item in items where item.run.app == app {
            for note in AnswerNotes.cutOff(item.run.message, of: app) { pad.note(note) }
        }
        remove(pad) { $0.app == app }
    }
    /// The launch works in another account: its operations end as they would when their time is over.
    mutating func left(_ app: AppIdentity, _ pad: any PadServices) {
        let ended = items.filter { $0.run.app == app }
        items.removeAll { $0.run.app == app }
        for item in ended {
            var run = item.run
            let result = run.expire(waitingFor: .notAuthenticated)
            finish(run, result, pad)
        }
    }
    mutating func forget(_ person: Person, _ pad: any PadServices) {
        remove(pad) { $0.app.account == person }
        throttle.forget(person)
    }
    private mutating func remove(_ pad: any PadServices, _ isGone: (OperationRun) -> Bool) {
        for item in items where isGone(item.run) {
            if let task = item.run.task { pad.forget(task) }
        }
        items.removeAll { isGone($0.run) }
    }
}

extension OrdinaryOperations: InvariantHolder {
    func checkInvariants() throws(BrokenInvariant) {
        for (index, item) in items.enumerated() {
            try invariant(
                !items[..<index].contains { $0.run.op == item.run.op && $0.run.app == item.run.app },
                "\(item.run.app.app) has two operations of the name \(item.run.op) under way")
        }
    }
}
