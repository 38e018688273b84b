import FleetModel

/// `ck.zones`: makes and deletes custom zones. A zone that is there already counts as saved, as the framework has it.
struct ZonesOperation: RecordOperation {
    private let save: [String]
    private let delete: [String]

    init(_ message: RecordMessage, scope: RecordScope) throws(RecordFault) {
        save = try message.texts("save")
        delete = try message.texts("delete")
        // Source: cloudkit-framework.md 1.
        guard scope.database != "shared" || save.isEmpty else {
            throw .refused(
                CloudKitFailure(
                    code: 24, "no zone is made in the shared database; make it in the private one, and share it"))
        }
        guard !save.isEmpty || !delete.isEmpty else {
            throw .malformed("ck.zones: 'save' or 'delete' must name a zone")
        }
        guard save.count + delete.count <= ModifyOperation.wireOperationsMax else {
            throw .refused(CloudKitFailure(code: 27, "too many zones in one operation; split the list"))
        }
        guard Set(save + delete).count == save.count + delete.count else {
            throw .refused(CloudKitFailure(code: 12, "a zone is named twice; one operation a zone"))
        }
    }

    /// Zones come before what is written into them.
    var orderedZones: [String] { save + delete }

    mutating func start() -> OperationStep {
        func operation(_ type: String, _ name: String) -> Value {
            ["operationType": .string(type), "zone": ["zoneID": RecordZone.id(name)]]
        }
        let operations = save.map { operation("create", $0) } + delete.map { operation("delete", $0) }
        return .send(WebCall("zones/modify", ["operations": .array(operations)], about: .zone))
    }

    mutating func receive(_ answer: WebAnswer, retried: Bool) -> OperationStep {
        let body: Value
        switch answer {
        case .failure(let failure): return .finish(OperationResult(failure.answer))
        case .success(let value): body = value
        }
        var failures: [String: CloudKitFailure] = [:]
        var answered: Set<String> = []
        for zone in WebPage(lenient: body).zones ?? [] {
            guard let name = WebEntry(lenient: zone).zoneName else { continue }
            answered.insert(name)
            failures[name] = CloudKitFailure(service: zone, about: .zone)
        }
        var (saved, deleted, errors) = ([String](), [String](), Value.Object())
        for name in save + delete {
            let failure =
                answered.contains(name) ? failures[name] : .unexpected("there is no answer for zone '\(name)'")
            let isSave = save.contains(name)
            // A retry meets its own first attempt: the zone is there, or gone, as it should be.
            let isDone =
                failure == nil || isSave && failure?.serverCode == "EXISTS" || !isSave && retried && failure?.code == 26
            if !isDone {
                errors[name] = failure?.value
            } else if isSave {
                saved.append(name)
            } else {
                deleted.append(name)
            }
        }
        return .finish(
            OperationResult(["saved": .strings(saved), "deleted": .strings(deleted), "errors": .object(errors)]))
    }
}
