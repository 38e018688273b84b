import Foundation
import PadApp

/// The way of one database's requests to the Pad's CloudKit daemon.
struct CloudLink: Sendable {
    let container: String
    /// `private` or `public`.
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

    /// Sends a request and calls `answered` with its answer or the error of the whole request.
    func ask(
        _ name: String, _ members: Value = .empty, op: String? = nil,
        answered: @escaping (Result<Value, CKError>) -> Void
    ) {
        guard requests?.isCancelled != true else { return answered(.failure(CKOperation.cancelled)) }
        let body = body(members, op: op)
        AppLink.current.ask(name, body, answered: track(body["op"]?.string ?? "", answered))
    }
    /// Hands a long-lived operation to the system, unless it was cancelled before.
    /// - Returns: whether the system has it, and goes on without the app from now on.
    func handOver(
        _ name: String, _ members: Value, op: String, answered: @escaping (Result<Value, CKError>) -> Void
    ) -> Bool {
        guard requests?.isCancelled != true else {
            answered(.failure(CKOperation.cancelled))
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
        AppLink.current.call("ck.longLived", op.map { ["op": .string($0)] } ?? .empty)["ops"]?.array ?? []
    }
}

/// What an operation has asked and not been answered, in an earlier launch too, by the names that the iPad knows it by.
final class CloudRequests: @unchecked Sendable {
    var names: [String] = []
    private(set) var isCancelled = false

    /// The iPad sends no more of it, and ends what waits; what is on its way may still happen.
    func cancel() {
        isCancelled = true
        for op in names { AppLink.current.post("ck.cancel", ["op": .string(op)]) }
    }
}

/// What a modify request came to, item by item.
struct ModifyAnswer {
    var saveResults: [CKRecord.ID: Result<CKRecord, any Error>] = [:]
    var deleteResults: [CKRecord.ID: Result<Void, any Error>] = [:]
    /// Items in the order of the answer, for callbacks that must come in one order.
    private(set) var savedIDs: [CKRecord.ID] = []
    private(set) var deletedIDs: [CKRecord.ID] = []

    /// - Parameters:
    ///   - saving: what was to be saved; empty when only the stored answer of an earlier launch is known.
    init(_ answer: Value, saving: [CKRecord], deleting: [CKRecord.ID], zoneID: CKRecordZone.ID) {
        let clients = Dictionary(saving.map { ($0.recordID.recordName, $0) }, uniquingKeysWith: { a, _ in a })
        let deletes = Set(deleting.map(\.recordName))
        for wire in answer["saved"]?.array ?? [] {
            let client = clients[wire["recordName"]?.string ?? ""]
            guard let record = CKRecord(wire: Self.keepingFiles(wire, of: client), zoneID: zoneID) else { continue }
            add(record.recordID, .success(record))
        }
        for name in answer["deleted"]?.strings ?? [] {
            addDelete(CKRecord.ID(recordName: name, zoneID: zoneID), .success(()))
        }
        for pair in answer["errors"]?.object?.pairs ?? [] {
            let id = CKRecord.ID(recordName: pair.key, zoneID: zoneID)
            let error = CKError(link: pair.value, client: clients[pair.key], zoneID: zoneID)
            if deletes.contains(pair.key) { addDelete(id, .failure(error)) } else { add(id, .failure(error)) }
        }
    }

    /// The service says nothing of files: those of the record that was saved lie where they lay. ASSUMED: until the app removes them.
    private static func keepingFiles(_ wire: Value, of client: CKRecord?) -> Value {
        guard let client else { return wire }
        var wire = wire
        for pair in wire["fields"]?.object?.pairs ?? [] where ["ASSETID", "ASSETID_LIST"].contains(pair.value["type"]) {
            let files = (client[pair.key] as? CKAsset).map { [$0] } ?? client[pair.key] as? [CKAsset] ?? []
            let list = pair.value["value"]?.array
            var values = list ?? [pair.value["value"] ?? .null]
            guard values.count == files.count else { continue }
            for (index, file) in files.enumerated() where values[index].object != nil && values[index]["path"] == nil {
                if let path = file.fileURL?.path { values[index]["path"] = .string(path) }
            }
            wire["fields"]?[pair.key]?["value"] = list == nil ? values[0] : .array(values)
        }
        return wire
    }

    init(_ error: CKError, saving: [CKRecord], deleting: [CKRecord.ID]) {
        for record in saving { add(record.recordID, .failure(error)) }
        for id in deleting { addDelete(id, .failure(error)) }
    }

    private mutating func add(_ id: CKRecord.ID, _ result: Result<CKRecord, any Error>) {
        saveResults[id] = result
        savedIDs.append(id)
    }
    private mutating func addDelete(_ id: CKRecord.ID, _ result: Result<Void, any Error>) {
        deleteResults[id] = result
        deletedIDs.append(id)
    }

    /// Errors by item; nil when all went well.
    var partialError: CKError? {
        var errors: [AnyHashable: any Error] = [:]
        for (id, result) in saveResults { if case .failure(let error) = result { errors[id] = error } }
        for (id, result) in deleteResults { if case .failure(let error) = result { errors[id] = error } }
        return errors.isEmpty ? nil : .partial(errors)
    }
}
