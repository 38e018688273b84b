import FleetModel
import Storage

/// Files that records hold, between an app's sandbox and the operations that carry them (cloudkit-framework.md 5; S225).
///
/// Edits are not looked for in files. Not modelled: files of long-lived fetches, clearing of the staging area.
enum RecordAssets {
    private static let types = ["ASSETID", "ASSETID_LIST"]
    static func isAsset(_ field: Value) -> Bool { types.contains(field.fieldType ?? "") }

    /// Puts the bytes of a modify's files into it, instead of their paths: from now on the app may change and remove them. What came from
    /// the service and was not changed goes back as it came.
    ///
    /// What is no file of the app is `assetFileNotFound` 16, of its record alone: `refused` holds it by name (cloudkit-framework.md 13).
    static func enclose(
        _ message: Message, of app: AppIdentity, _ pad: any PadServices
    ) throws(RecordFault) -> Message {
        guard message.name == RecordMessages.Modify.name, let records = message["save"]?.array,
            records.contains(where: hasAsset)
        else {
            return message
        }
        var enclosed: [Value] = []
        var refused = Value.Object()
        for record in records {
            do throws(RecordFault) {
                enclosed.append(
                    try mapped(record) { (asset) throws(RecordFault) in try self.enclosed(asset, app, pad) })
            } catch {
                guard case .refused(let failure) = error, let name = record.recordName else { throw error }
                refused[name] = failure.value
                enclosed.append(record)
            }
        }
        var body = message.body
        body["save"] = .array(enclosed)
        body["refused"] = refused.isEmpty ? nil : .object(refused)
        return Message(message.name, body)
    }
    private static func enclosed(
        _ asset: Value, _ app: AppIdentity, _ pad: any PadServices
    ) throws(RecordFault) -> Value {
        guard asset.fileChecksum == nil else {
            var known = asset
            (known.filePath, known.fileAddress) = (nil, nil)
            return known
        }
        let path = asset.filePath?.string ?? ""
        guard pad.reaches(path, app), let volume = pad.volume(of: app.account), let bytes = try? volume.disk.read(path),
            (try? FileGate(protection: volume.protection, isAvailable: pad.isProtectedDataAvailable)
                .check(path, .read, exists: true)) != nil
        else {
            throw .refused(
                CloudKitFailure(
                    code: 16, "there is no file '\(path)' for the asset, or it is sealed; write it before the save"))
        }
        return ["data": .data(bytes)]
    }

    /// Lays the bytes that came with an answer into the app's caches, and gives their paths instead.
    static func place(_ answer: Value, for app: AppIdentity, _ pad: any PadServices) -> Value {
        guard let records = WebPage(lenient: answer).records, records.contains(where: hasAsset),
            let disk = pad.volume(of: app.account)?.disk
        else { return answer }
        var answer = answer
        answer["records"] = .array(
            records.map { record in
                mapped(record) { asset in
                    guard let bytes = asset.fileBytes, let checksum = asset.fileChecksum?.string else {
                        return asset
                    }
                    var placed = asset
                    placed.fileBytes = nil
                    let folder = Pad.home(of: app.bundle) + "/Library/Caches/CloudKit/Assets"
                    let path = "\(folder)/\(Hex.text(StableHash.of(0, checksum)))"
                    // On a full disk the app gets the record without its file.
                    let isPlaced = pad.attempt("an asset of \(app.app)") {
                        try disk.makeFolder(folder)
                        try disk.write(path, bytes, sync: false)
                    }
                    if isPlaced { placed.filePath = .string(path) }
                    return placed
                }
            })
        return answer
    }

    static func hasAsset(_ record: Value) -> Bool {
        record.recordFields?.pairs.contains { isAsset($0.value) } ?? false
    }
    /// A record with each of its assets changed, those of lists too.
    static func mapped<E: Error>(_ record: Value, _ change: (Value) throws(E) -> Value) throws(E) -> Value {
        guard var fields = record.recordFields else { return record }
        for pair in fields.pairs where isAsset(pair.value) {
            guard let value = pair.value.fieldContent, !value.isNull else { continue }
            var field = pair.value
            if let list = value.array {
                var changed: [Value] = []
                for asset in list { changed.append(try change(asset)) }
                field.fieldContent = .array(changed)
            } else {
                field.fieldContent = try change(value)
            }
            fields[pair.key] = field
        }
        var record = record
        record.recordFields = fields
        return record
    }
}
