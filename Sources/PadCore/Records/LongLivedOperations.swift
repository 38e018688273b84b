import FleetModel
import Storage

/// Long-lived operations: journaled before anything is promised, then tried until the service gives a definite answer, over
/// suspension, app death, sign-out, reboot and power cut (cloudkit-framework.md 11).
///
/// Writes of one zone go out one after the other in the order of hand-over, so that a retry cannot lay an older write over a
/// newer one (ASSUMED: CloudKit promises no order). One that ends before its answer keeps its place until its request has ended. The time of
/// `timeoutIntervalForResource` begins with the hand-over, also of one that waits for its turn (ASSUMED).
struct LongLivedOperations {
    private var operations: [LongLivedOperation] = []
    /// Requests on their way whose operations have ended, with the orders that they keep.
    private var ownerless: [(task: NetworkTask, queues: [String])] = []
    private var results = OperationResults()
    private static let prefix = "long:"

    static func owns(_ task: NetworkTask) -> Bool { task.name.hasPrefix(prefix) }

    // MARK: Start

    /// Reads the journals of every person on the iPad.
    mutating func boot(_ pad: any PadServices) {
        operations = []
        ownerless = []
        results = OperationResults()
        for account in pad.accounts { load(account, pad) }
        pump(pad)
    }
    private mutating func load(_ person: Person, _ pad: any PadServices) {
        // A journal that cannot be read is the volume's failure; it shows as promised edits that never arrive.
        guard let volume = pad.volume(of: person), let entries = try? OperationJournal(volume).open() else { return }
        for entry in entries {
            if entry.result == nil {
                if let operation = LongLivedOperation(entry, person: person, pad) {
                    operations.append(operation)
                }
            } else {
                results.add(entry, of: person)
            }
        }
    }

    // MARK: Hand-over

    /// Journals the operation and sets it going; what it carries is handed over when this returns.
    /// - Throws: `RecordFault` when its name is taken by another message, or the iPad has no space for the journal.
    mutating func submit(_ run: OperationRun, _ pad: any PadServices) throws(RecordFault) {
        guard let volume = pad.volume(of: run.app.account) else { throw .refused(.notAuthenticated) }
        let journal = OperationJournal(volume)
        do {
            if let known = try journal.find(run.op, of: run.app.app, now: pad.now) {
                guard known.message == run.message else { throw RecordFault.refused(.nameTaken(run.op)) }
                return try attach(run.op, as: run.message.name, exchange: run.exchange, app: run.app, pad)
            }
            let sequence = try journal.add(run.message, op: run.op, app: run.app, now: pad.now)
            let operation = LongLivedOperation(run, sequence: sequence, now: pad.now)
            operations.append(operation)
            if !operation.tokens.isEmpty {
                pad.note(RecordNotes.handedOver(operation.tokens, by: run, place: "journal/\(run.op)"))
            }
        } catch let fault as RecordFault {
            throw fault
        } catch {
            throw .refused(.journalFailed(error))
        }
        results.taken(run.app, pad)
        pump(pad)
    }

    /// Gives the stored result, now or once there is one.
    mutating func attach(
        _ op: String, as name: String, exchange: UInt64, app: AppIdentity, _ pad: any PadServices
    ) throws(RecordFault) {
        if let index = operations.firstIndex(where: { $0.belongs(to: app) && $0.run.op == op }) {
            operations[index].waiters.append(LongLivedOperation.Waiter(name: name, exchange: exchange, app: app))
            return
        }
        guard let volume = pad.volume(of: app.account),
            let entry = try? OperationJournal(volume).find(op, of: app.app, now: pad.now),
            let result = entry.result ?? results.unwritten(entry.sequence, of: app.account)
        else {
            throw .refused(
                CloudKitFailure(code: 11, "there is no long-lived operation '\(op)', or its result is older than 24 h"))
        }
        pad.noteAnswer(result, to: entry.message, of: app)
        if exchange != 0 { pad.post(Message(name, result), exchange: exchange, to: app) }
        results.delivered(entry.sequence, to: app, pad)
    }

    /// The operations of an app, also from earlier launches, in the order of hand-over. Of the one that is named also what it was asked: a day's
    /// results pile up by the thousand, and an app that asks for one must not pay for all.
    func list(of app: AppIdentity, named op: String?, _ pad: any PadServices) -> Value {
        guard let journal = pad.volume(of: app.account).map(OperationJournal.init) else { return [] }
        func row(_ op: String, _ name: String, _ isDone: Bool) -> Value {
            ["op": .string(op), "name": .string(name), "done": .bool(isDone || results.hasUnwritten(op, of: app))]
        }
        guard let op else {
            return .array(((try? journal.list(of: app.app, now: pad.now)) ?? []).map { row($0.op, $0.name, $0.isDone) })
        }
        // One under way need not be read: every hand-over asks whether it was taken.
        let message: Message
        var isDone = false
        if let running = operations.first(where: { $0.belongs(to: app) && $0.run.op == op }) {
            message = running.run.message
        } else if let entry = try? journal.find(op, of: app.app, now: pad.now) {
            (message, isDone) = (entry.message, entry.result != nil)
        } else {
            return []
        }
        var found = row(op, message.name, isDone)
        for key in ["container", "database", "zone", "query"] { found[key] = message[key] }
        return [found]
    }

    /// The app wants no more of it: the system tries no longer, and what it carried is the app's own again.
    mutating func cancel(_ op: String, of app: AppIdentity, _ pad: any PadServices) {
        guard let index = operations.firstIndex(where: { $0.belongs(to: app) && $0.run.op == op }) else { return }
        let sequence = operations[index].sequence
        end(at: index, pad) { $0.end(with: .cancelled) }
        // Who cancels knows of it: no refusal waits for the app, also when the operation is an earlier launch's.
        results.delivered(sequence, to: app, pad)
        pump(pad)
    }
    /// Ends an operation that has no answer. What it has sent may still happen, and nothing later of its zones may overtake that.
    private mutating func end(at index: Int, _ pad: any PadServices, by ending: (inout OperationRun) -> OperationResult)
    {
        var operation = operations.remove(at: index)
        if let task = operation.run.task {
            if pad.isOnItsWay(task) { ownerless.append((task, operation.queues)) } else { pad.forget(task) }
        }
        let result = ending(&operation.run)
        finish(operation, result, pad)
    }

    // MARK: Tries

    /// Sends whatever may go now.
    private mutating func pump(_ pad: any PadServices) {
        var busy = Set(ownerless.flatMap { $0.queues })
        for index in operations.indices {
            let isFree = busy.isDisjoint(with: operations[index].queues)
            busy.formUnion(operations[index].queues)
            guard isFree, operations[index].isDue(pad.now) else { continue }
            if pad.canReachNetwork(as: operations[index].run.app.account) {
                operations[index].send(as: Self.prefix, pad)
            } else {
                operations[index].wait(for: .networkUnavailable, sent: false, pad)
            }
        }
    }
    mutating func wake(_ pad: any PadServices) {
        while let index = operations.firstIndex(where: { $0.expires <= pad.now }) {
            let reason = operations[index].reason
            end(at: index, pad) { $0.expire(waitingFor: reason) }
        }
        pump(pad)
        results.wake(pad)
    }
    var nextWake: Instant? {
        [operations.compactMap(\.retryAt).min(), operations.map(\.expires).min(), results.nextWake]
            .compactMap { $0 }.min()
    }
    /// What waited for the network need wait no longer; what the service asked to wait does.
    mutating func networkReturned(_ pad: any PadServices) {
        for index in operations.indices { operations[index].hurry(pad.now) }
        pump(pad)
    }

    // MARK: Answers

    /// - Returns: the operation that came to its end by this.
    mutating func reply(_ reply: NetworkReply, to task: NetworkTask, _ pad: any PadServices) -> FinishedOperation? {
        if let index = ownerless.firstIndex(where: { $0.task == task }) {
            ownerless.remove(at: index)
            pump(pad)
            return nil
        }
        guard let index = operations.firstIndex(where: { $0.run.task == task }) else { return nil }
        let answer = reply.webAnswer(about: operations[index].run.call.subject)
        operations[index].run.landed(answer.failure)
        if let failure = answer.failure, failure.isTransient {
            operations[index].wait(for: failure, sent: true, pad)
            return nil
        }
        defer { pump(pad) }
        return receive(answer, at: index, pad)
    }

    private mutating func receive(_ answer: WebAnswer, at index: Int, _ pad: any PadServices) -> FinishedOperation? {
        // Even a first try may have been doubled on the way, its first answer lost: an echo is always possible.
        switch operations[index].run.work.receive(answer, retried: true) {
        case .send(let call):
            operations[index].proceed(to: call)
            keepProgress(operations[index], pad)
        case .sendLater(let call, let failure):
            operations[index].run.call = call
            operations[index].wait(for: failure, sent: true, pad)
            keepProgress(operations[index], pad)
        case .finish(let result):
            let operation = operations.remove(at: index)
            finish(operation, result, pad)
            return FinishedOperation(message: operation.run.message, app: operation.run.app, answer: result.answer)
        }
        return nil
    }
    private func keepProgress(_ operation: LongLivedOperation, _ pad: any PadServices) {
        guard let progress = operation.run.work.progress, let volume = pad.volume(of: operation.run.app.account) else {
            return
        }
        // Without it a restart asks for all again and recognises what it wrote.
        pad.attempt("an operation's progress") {
            try OperationJournal(volume).save(progress: progress, of: operation.sequence)
        }
    }

    private mutating func finish(_ operation: LongLivedOperation, _ result: OperationResult, _ pad: any PadServices) {
        let run = operation.run
        results.add(result, of: operation, pad)
        let live = pad.using(run.app.account, app: run.app.app)
        let later = operation.waiters.isEmpty ? [] : later(than: operation.sequence, of: run.app)
        for waiter in operation.waiters where live.contains(waiter.app) {
            pad.noteAnswer(result.answer, to: run.message, of: waiter.app, later: later)
            if waiter.exchange != 0 {
                pad.post(Message(waiter.name, result.answer), exchange: waiter.exchange, to: waiter.app)
            }
            results.delivered(operation.sequence, to: waiter.app, pad)
        }
    }

    /// What an app has handed over since, and has no answer to.
    private func later(than sequence: Int64, of app: AppIdentity) -> [Message] {
        operations.filter { $0.sequence > sequence && $0.belongs(to: app) }.map(\.run.message)
    }

    // MARK: Life

    /// The launch is gone: its operations go on, nobody waits for them there.
    mutating func ended(_ app: AppIdentity) {
        for index in operations.indices { operations[index].waiters.removeAll { $0.app == app } }
        results.ended(app)
    }
    mutating func forget(_ person: Person, _ pad: any PadServices) {
        for task in operations.compactMap(\.run.task) + ownerless.map({ $0.task }) where task.person == person {
            pad.forget(task)
        }
        operations.removeAll { $0.run.app.account == person }
        ownerless.removeAll { $0.task.person == person }
        results.forget(person)
    }
    /// The launch runs: what waited for it is with it.
    mutating func resumed(_ app: AppIdentity) { results.resumed(app) }
    /// The launch has had its chance to hand over what was refused.
    mutating func taken(_ app: AppIdentity, _ pad: any PadServices) { results.taken(app, pad) }

    func pending(of person: Person) -> [PendingItem] {
        operations.filter { $0.run.app.account == person }.map(\.pendingItem)
            + results.pending(of: person)
    }
    func queuedTokens(of person: Person) -> [Token] { pending(of: person).flatMap(\.tokens) }
}

extension CloudKitFailure {
    static func nameTaken(_ op: String) -> CloudKitFailure {
        CloudKitFailure(code: 12, "a long-lived operation '\(op)' is kept already; give each one a name of its own")
    }
    static func journalFailed(_ error: any Error) -> CloudKitFailure {
        var failure = CloudKitFailure(
            code: 1, "the iPad could not journal the operation, nothing was sent (\(error)); free space and try again")
        failure.isOutOfRoom = error.isOutOfRoom
        return failure
    }
}

extension LongLivedOperations: InvariantHolder {
    func checkInvariants() throws(BrokenInvariant) {
        for (index, operation) in operations.enumerated() {
            try invariant(
                !operations[..<index].contains {
                    $0.run.op == operation.run.op && $0.run.app.app == operation.run.app.app
                        && $0.run.app.account == operation.run.app.account
                },
                "\(operation.run.app.app) has two long-lived operations of the name \(operation.run.op)")
        }
    }
}
