import Foundation
import PadApp

/// The way of one database's requests to the Pad's CloudKit daemon.
struct CloudLink: Sendable {
    let container: String
    /// `private`, `public` or `shared`.
    let database: String
    /// Members that say how an operation is carried out (`CKOperation.Configuration`).
    var settings = Value.empty
    /// Of the operation that asks; nil for the database's own methods, which nobody can cancel.
    var requests: CloudRequests?

    init(container: String, database: String) {
        self.container = container
        self.database = database
    }

    /// Names ordinary operations: unique in a launch.
    private final class Counter {
        var count = 0
    }

    private func body(_ members: Value, op: String?) -> Value {
        var body = members
        if let op {
            body["op"] = .string(op)
        } else {
            let counter = AppLink.current.singleton { Counter() }
            counter.count += 1
            body["op"] = .string("\(counter.count)")
        }
        body["container"] = .string(container)
        body["database"] = .string(database)
        for pair in settings.object?.pairs ?? [] { body[pair.key] = pair.value }
        return body
    }

    /// Why a request is not sent at all.
    private func refusal() -> CKError? {
        if requests?.isCancelled == true { return CKOperation.cancelled }
        return nil
    }

    /// Sends a request and calls `answered` with its answer or the error of the whole request.
    func ask(
        _ name: String, _ members: Value = .empty, op: String? = nil,
        answered: @escaping (Result<Value, CKError>) -> Void
    ) {
        if let refusal = refusal() { return answered(.failure(refusal)) }
        let body = body(members, op: op)
        AppLink.current.ask(name, body, answered: track(body["op"]?.string ?? "", answered))
    }
    /// Hands a long-lived operation to the system, unless it was cancelled before.
    /// - Returns: whether the system has it, and goes on without the app from now on.
    func handOver(
        _ name: String, _ members: Value, op: String, answered: @escaping (Result<Value, CKError>) -> Void
    ) -> Bool {
        if let refusal = refusal() {
            answered(.failure(refusal))
            return false
        }
        var body = body(members, op: op)
        body["longLived"] = true
        return AppLink.current.handOver(name, body, answered: track(op, answered))["kept"] == true
    }
    private func track(
        _ op: String, _ answered: @escaping (Result<Value, CKError>) -> Void
    ) -> (Value) -> Void {
        if requests?.names.contains(op) == false { requests?.names.append(op) }
        return { [requests] answer in
            requests?.names.removeAll { $0 == op }
            answered(answer["error"].map { .failure(CKError(link: $0)) } ?? .success(answer))
        }
    }

    /// Sends a request and suspends until its answer comes; on iPads without network that is at once.
    func ask(_ name: String, _ members: Value = .empty) async throws -> Value {
        let answer = await withCheckedContinuation { continuation in
            ask(name, members) { continuation.resume(returning: $0) }
        }
        return try answer.get()
    }

    /// What the system keeps for this app: all of it, or the one operation of that name.
    static func longLivedOperations(named op: String? = nil) -> [Value] {
        AppLink.current.call(RecordMessages.LongLived.name, op.map { ["op": .string($0)] } ?? .empty)["ops"]?.array
            ?? []
    }
}

/// What an operation has asked and not been answered, in an earlier launch too, by the names that the iPad knows it by.
final class CloudRequests: @unchecked Sendable {
    var names: [String] = []
    private(set) var isCancelled = false

    /// The iPad sends nothing of it from now on, and ends what waits; what is on its way may still happen.
    func cancel() {
        isCancelled = true
        for op in names { AppLink.current.post(RecordMessages.Cancel.name, ["op": .string(op)]) }
    }
}
