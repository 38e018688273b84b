import FleetModel

/// Saves and deletes of one request, in the order of the wire: saves first.
struct RecordBatch {
    var save: [Value]
    var delete: [String]

    var count: Int { save.count + delete.count }
    var names: [String] { save.map { $0.recordName ?? "" } + delete }

    func prefix(_ count: Int) -> RecordBatch {
        RecordBatch(save: Array(save.prefix(count)), delete: Array(delete.prefix(max(0, count - save.count))))
    }
    /// What follows a prefix of this batch.
    func dropFirst(_ batch: RecordBatch) -> RecordBatch {
        RecordBatch(save: Array(save.dropFirst(batch.save.count)), delete: Array(delete.dropFirst(batch.delete.count)))
    }
    func without(_ names: Set<String>) -> RecordBatch {
        RecordBatch(
            save: save.filter { !names.contains($0.recordName ?? "") },
            delete: delete.filter { !names.contains($0) })
    }
}

/// What the service decided about each item of a batch, and whether a refusal is only the echo of our own first attempt.
///
/// A retry after a lost answer meets its own first attempt on the server (cloudkit-web-services.md 11): a create finds the record there, an
/// update finds another tag, an atomic batch fails because of both. So before a retry believes a refusal it looks at the
/// server's copies: where they hold exactly what was sent, written by this iPad, the first attempt had succeeded.
struct BatchVerdict {
    let batch: RecordBatch
    let isAtomic: Bool
    let retried: Bool
    /// One for each save.
    private(set) var saves: [WebAnswer] = []
    /// One for each delete; nil: deleted.
    private(set) var deletes: [CloudKitFailure?] = []

    init(_ batch: RecordBatch, isAtomic: Bool, retried: Bool) {
        self.batch = batch
        self.isAtomic = isAtomic
        self.retried = retried
    }

    mutating func read(_ answers: RecordAnswers) {
        saves = batch.save.map { answers.of($0.recordName ?? "") }
        deletes = batch.delete.map { name in
            guard case .failure(let failure) = answers.of(name) else { return nil }
            // A record that is gone is what a delete wants.
            return failure.serverCode == "NOT_FOUND" ? nil : failure
        }
    }
    mutating func readAll(_ failure: CloudKitFailure) {
        saves = batch.save.map { _ in .failure(failure) }
        deletes = batch.delete.map { _ in failure }
    }

    /// Records whose copy on the server decides: every conflict, since its error carries the server's record, and after a
    /// retry all that an atomic failure took with it.
    var namesToCompare: [String] {
        zip(batch.save, saves).compactMap { record, answer in
            guard case .failure(let failure) = answer, failure.code == 14 || retried && failure.isAtomicEcho else {
                return nil
            }
            return record.recordName
        }
    }

    mutating func compare(_ servers: RecordAnswers, names: [String], device: String) {
        let asked = Set(names)
        var isOwn = false
        for (index, sent) in batch.save.enumerated() {
            guard let name = sent.recordName, asked.contains(name), case .failure(var failure) = saves[index]
            else { continue }
            switch servers.of(name) {
            case .success(let server) where retried && OwnWrite.is(server, ofSent: sent, device: device):
                saves[index] = .success(server)
                isOwn = true
                continue
            case .success(let server): failure.serverRecord = server
            case .failure(let missing) where missing.serverCode == "NOT_FOUND" && failure.code == 14:
                failure = CloudKitFailure(
                    code: 11, "the record was deleted after it changed; make it anew", serverCode: "NOT_FOUND")
            case .failure: break
            }
            saves[index] = .failure(failure)
        }
        if isAtomic { spread(isOwn) }
    }

    /// An atomic batch of which one record is ours was committed whole; what differs now was changed by others since.
    private mutating func spread(_ committed: Bool) {
        for (index, answer) in saves.enumerated() {
            guard case .failure(let failure) = answer, failure.isAtomicEcho else { continue }
            guard committed else {
                saves[index] = .failure(CloudKitFailure(code: 22, failure.message, serverCode: failure.serverCode))
                continue
            }
            var changed = CloudKitFailure(
                code: 14, "the record was changed after it was saved; merge into the server's record")
            changed.serverRecord = failure.serverRecord
            saves[index] = .failure(
                changed.serverRecord == nil ? CloudKitFailure(code: 11, "the record was deleted since") : changed)
        }
        if committed { deletes = deletes.map { $0?.isAtomicEcho == true ? nil : $0 } }
    }

    // MARK: Patience

    /// The refusal for the moment that a long-lived operation waits out; nil when every answer is final.
    var patience: CloudKitFailure? {
        let failures = saves.compactMap(\.failure) + deletes.compactMap { $0 }
        return failures.first { $0.isTransient }
    }
    /// Whether an item is to be sent again: refused for the moment, or pulled down by such an item.
    func isWaiting(_ answer: WebAnswer) -> Bool {
        guard let failure = answer.failure else { return false }
        let isPulledDown = failure.isAtomicEcho && !hasDefiniteCulprit
        return failure.isTransient || isPulledDown
    }
    private var hasDefiniteCulprit: Bool {
        let failures = saves.compactMap(\.failure) + deletes.compactMap { $0 }
        return failures.contains { !$0.isTransient && !$0.isAtomicEcho }
    }
}

extension CloudKitFailure {
    /// Refused only because another item of an atomic batch was.
    var isAtomicEcho: Bool { serverCode == "ATOMIC_ERROR" }

    /// Reads back `value` from the journal: enough to tell a refusal from a success.
    init(stored value: Value) {
        let kept = LinkFields(lenient: value)
        self.init(code: kept.code, kept.message, retryAfter: kept.retryAfter)
        serverRecord = kept.serverRecord
    }
}

extension WebAnswer {
    var failure: CloudKitFailure? { if case .failure(let failure) = self { failure } else { nil } }
}

/// Recognises on the server what this iPad wrote.
enum OwnWrite {
    /// Whether the server's record is the result of saving `sent` from this device: another tag than the one that was sent
    /// along, this device as last writer, the same fields and parent; a record that was to be new holds no others.
    ///
    /// In the public database two people of one iPad who write equal content are not told apart: the record holds it either way.
    static func `is`(_ server: Value, ofSent sent: Value, device: String) -> Bool {
        guard server.recordType == sent.recordType, server.recordChangeTag != sent.recordChangeTag else {
            return false
        }
        if let writer = server["modified"]?["deviceID"]?.string, writer != device { return false }
        if let wish = sent["parent"], wish["recordName"] ?? .null != server["parent"]?["recordName"] ?? .null {
            return false
        }
        let ours = values(sent)
        let theirs = values(server)
        for (key, value) in ours where (theirs[key] ?? .null) != value { return false }
        let isNew = sent.recordChangeTag?.string == nil
        return !isNew || count(theirs) == count(ours)
    }
    private static func count(_ values: [String: Value]) -> Int { values.values.filter { !$0.isNull }.count }
    /// Field values by name; whether a type tag is written is the sender's choice (cloudkit-web-services.md 8.6).
    private static func values(_ record: Value) -> [String: Value] {
        var values: [String: Value] = [:]
        for pair in record.recordFields?.pairs ?? [] { values[pair.key] = pair.value.fieldContent ?? .null }
        return values
    }
}
