import PadApp

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
            guard let record = CKRecord.of(wire: Self.keepingFiles(wire, of: client), zoneID: zoneID) else { continue }
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
