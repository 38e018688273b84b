import FleetModel
import Storage

/// Files that records hold, between an app's sandbox and the operations that carry them (cloudkit-framework.md 5; S225).
///
/// Edits are not looked for in files. Not modelled: files of long-lived fetches, clearing of the staging area.
enum RecordAssets {
    private static let types = ["ASSETID", "ASSETID_LIST"]
    static func isAsset(_ field: Value) -> Bool { types.contains(field["type"]?.string ?? "") }

    /// Puts the bytes of a modify's files into it, instead of their paths: from now on the app may change and remove them. What came from
    /// the service and was not changed goes back as it came.
    ///
    /// What is no file of the app is `assetFileNotFound` 16, of its record alone: `refused` holds it by name (cloudkit-framework.md 13).
    static func enclose(
        _ message: Message, of app: AppIdentity, _ pad: any PadServices
    ) throws(RecordFault) -> Message {
        guard message.name == "ck.modify", let records = message["save"]?.array, records.contains(where: hasAsset)
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
                guard case .refused(let failure) = error, let name = record["recordName"]?.string else { throw error }
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
        guard asset["fileChecksum"] == nil else {
            var known = asset
            (known["path"], known["downloadURL"]) = (nil, nil)
            return known
        }
        let path = asset["path"]?.string ?? ""
        guard pad.reaches(path, app), let volume = pad.volume(of: app.person), let bytes = try? volume.disk.read(path),
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
        guard let records = answer["records"]?.array, records.contains(where: hasAsset),
            let disk = pad.volume(of: app.person)?.disk
        else { return answer }
        var answer = answer
        answer["records"] = .array(
            records.map { record in
                mapped(record) { asset in
                    guard let bytes = asset["data"]?.data, let checksum = asset["fileChecksum"]?.string else {
                        return asset
                    }
                    var placed = asset
                    placed["data"] = nil
                    let folder = Pad.home(of: app.bundle) + "/Library/Caches/CloudKit/Assets"
                    let path = "\(folder)/\(Hex.text(StableHash.of(0, checksum)))"
                    // On a full disk the app gets the record without its file.
                    if (try? disk.makeFolder(folder)) != nil, (try? disk.write(path, bytes, sync: false)) != nil {
                        placed["path"] = .string(path)
                    }
                    return placed
                }
            })
        return answer
    }

    static func hasAsset(_ record: Value) -> Bool {
        record["fields"]?.object?.pairs.contains { isAsset($0.value) } ?? false
    }
    /// A record with each of its assets changed, those of lists too.
    static func mapped<E: Error>(_ record: Value, _ change: (Value) throws(E) -> Value) throws(E) -> Value {
        guard var fields = record["fields"]?.object else { return record }
        for pair in fields.pairs where isAsset(pair.value) {
            guard let value = pair.value["value"], !value.isNull else { continue }
            var field = pair.value
            if let list = value.array {
                var changed: [Value] = []
                for asset in list { changed.append(try change(asset)) }
                field["value"] = .array(changed)
            } else {
                field["value"] = try change(value)
            }
            fields[pair.key] = field
        }
        var record = record
        record["fields"] = .object(fields)
        return record
    }
}

/// A modify whose files go up first: an address for each, the bytes, then the records with what the service said of them
/// (cloudkit-web-services.md 7.3).
struct AssetUploads: RecordOperation {
    private struct File {
        var record: String
        var type: String
        var field: String
        var bytes: [UInt8]
    }
    private enum Phase: Equatable { case asking, uploading, modifying }

    private let body: Value
    private let make: (Value) -> any RecordOperation
    /// The modify: without files until all of them are up.
    private var inner: any RecordOperation
    private var files: [File] = []
    private var addresses: [String] = []
    private var answers: [Value] = []
    private var phase = Phase.asking
    private var mayBeginAgain = true
    /// Of an earlier life.
    private var kept: Value?

    /// - Parameter make: the modify of a message whose assets are as the service wants them.
    /// - Returns: nil when the message holds no bytes.
    init?(_ body: Value, make: @escaping (Value) throws(RecordFault) -> ModifyOperation) throws(RecordFault) {
        var files: [File] = []
        for record in body["save"]?.array ?? [] {
            for pair in record["fields"]?.object?.pairs ?? [] where RecordAssets.isAsset(pair.value) {
                let value = pair.value["value"] ?? .null
                for asset in value.array ?? [value] {
                    guard let bytes = asset["data"]?.data else { continue }
                    files.append(
                        File(
                            record: record["recordName"]?.string ?? "", type: record["recordType"]?.string ?? "",
                            field: pair.key, bytes: bytes))
                }
            }
        }
        guard !files.isEmpty else { return nil }
        self.body = body
        self.files = files
        let bare = try make(Self.filled(body, with: []))
        inner = bare
        self.make = { (try? make($0)) ?? bare }
    }
    /// The message with the dictionaries of its files in their places; without one the place is empty.
    private static func filled(_ body: Value, with answers: [Value]) -> Value {
        var rest = answers[...]
        var body = body
        body["save"] = .array(
            (body["save"]?.array ?? []).map { record in
                RecordAssets.mapped(record) { asset in asset["data"] == nil ? asset : rest.popFirst() ?? .null }
            })
        return body
    }

    var orderedZones: [String] { inner.orderedZones }
    var progress: Value? { phase == .modifying ? inner.progress : nil }
    mutating func resume(from progress: Value) { kept = progress }

    /// Addresses asked for at once. Source: cloudkit-web-services.md 7.3.
    private static let tokensMax = 200

    mutating func start() -> OperationStep {
        (phase, addresses, answers) = (.asking, [], [])
        return ask()
    }
    private var asked: ArraySlice<File> { files[addresses.count...].prefix(Self.tokensMax) }
    private func ask() -> OperationStep {
        let tokens = asked.map { file -> Value in
            ["recordName": .string(file.record), "recordType": .string(file.type), "fieldName": .string(file.field)]
        }
        var question: Value = ["tokens": .array(tokens)]
        question["zoneID"] = body["zone"]?.string.map(RecordZone.id)
        return .send(WebCall("assets/upload", question))
    }
    mutating func receive(_ answer: WebAnswer, retried: Bool) -> OperationStep {
        if phase == .modifying { return inner.receive(answer, retried: retried) }
        switch answer {
        case .failure(let failure):
            // Addresses are good for minutes: after a long pause they are asked for anew, once.
            if phase == .uploading, mayBeginAgain, !failure.isTransient {
                mayBeginAgain = false
                return start()
            }
            return refuse(failure)
        case .success(let body):
            if phase == .asking {
                let given = (body["tokens"]?.array ?? []).compactMap { $0["url"]?.string.flatMap(Self.target) }
                guard given.count == asked.count else { return refuse(.unexpected("an asset got no upload URL")) }
                addresses += given
                guard asked.isEmpty else { return ask() }
                phase = .uploading
            } else {
                guard let file = body["singleFile"], file.object != nil else {
                    return refuse(.unexpected("an uploaded asset got no receipt"))
                }
                answers.append(file)
            }
            return next()
        }
    }
    private mutating func next() -> OperationStep {
        guard answers.count == files.count else {
            return .send(WebCall(upload: files[answers.count].bytes, to: addresses[answers.count]))
        }
        phase = .modifying
        inner = make(Self.filled(body, with: answers))
        if let kept { inner.resume(from: kept) }
        return inner.start()
    }
    private mutating func refuse(_ failure: CloudKitFailure) -> OperationStep {
        // What an earlier life has saved stays saved.
        if let kept { inner.resume(from: kept) }
        _ = inner.start()
        return inner.receive(.failure(failure), retried: false)
    }
    /// What stands behind scheme and host.
    static func target(_ url: String) -> String? {
        let parts = url.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        return parts.count == 4 ? "/" + parts[3] : nil
    }
}

/// A read whose records hold files: they come down before the app is answered. One that the service does not have is missing from its
/// record, and a fetch by name gives `assetNotAvailable` 35 for that record (ASSUMED); when the network fails, the read fails, so that no
/// token tells the app that it has seen what it has not.
struct AssetDownloads: RecordOperation {
    private var inner: any RecordOperation
    private var result: OperationResult?
    /// Checksums, sizes and addresses, the first one is on its way.
    private var rest: [(checksum: String, size: Int64?, address: String)] = []
    private var files: [String: [UInt8]] = [:]
    /// Checksums of what the service does not give.
    private var refused: Set<String> = []

    init(_ inner: any RecordOperation) { self.inner = inner }

    mutating func start() -> OperationStep { inner.start() }
    mutating func receive(_ answer: WebAnswer, retried: Bool) -> OperationStep {
        guard result != nil, let first = rest.first else { return receive(list: answer, retried: retried) }
        switch answer {
        case .success(let body):
            guard let bytes = body["data"]?.data, first.size ?? Int64(bytes.count) == bytes.count else {
                return fail(.networkFailure("what came instead of an asset is not as long as the asset"))
            }
            files[first.checksum] = bytes
        case .failure(let failure):
            if failure.isTransient { return fail(failure) }
            refused.insert(first.checksum)
        }
        rest.removeFirst()
        return next()
    }
    private func fail(_ failure: CloudKitFailure) -> OperationStep { .finish(OperationResult(failure.answer)) }
    private mutating func receive(list answer: WebAnswer, retried: Bool) -> OperationStep {
        let step = inner.receive(answer, retried: retried)
        guard case .finish(let result) = step else { return step }
        collect(result.answer)
        guard !rest.isEmpty else { return step }
        self.result = result
        return next()
    }
    private mutating func collect(_ answer: Value) {
        for record in answer["records"]?.array ?? [] {
            _ = RecordAssets.mapped(record) { asset in
                if let checksum = asset["fileChecksum"]?.string, let url = asset["downloadURL"]?.string,
                    let address = AssetUploads.target(url), !rest.contains(where: { $0.checksum == checksum })
                {
                    rest.append((checksum, asset["size"]?.int, Self.named(address)))
                }
                return asset
            }
        }
    }
    /// Only a fetch by name has a place for errors of single records.
    private func takeOutUnavailable(_ answer: inout Value) {
        guard !refused.isEmpty, var errors = answer["errors"]?.object else { return }
        let records = (answer["records"]?.array ?? []).filter { record in
            var isWhole = true
            _ = RecordAssets.mapped(record) { asset in
                if refused.contains(asset["fileChecksum"]?.string ?? "") { isWhole = false }
                return asset
            }
            if !isWhole, let name = record["recordName"]?.string {
                errors[name] = CloudKitFailure.assetNotAvailable.value
            }
            return isWhole
        }
        answer["records"] = .array(records)
        answer["errors"] = .object(errors)
    }
    /// `${f}` stands for a file name of the caller's choice (cloudkit-web-services.md 7.3).
    private static func named(_ address: String) -> String {
        address.hasSuffix("${f}") ? address.dropLast(4) + "asset" : address
    }
    private func next() -> OperationStep {
        if let first = rest.first { return .send(WebCall(download: first.address)) }
        guard var result else { return .finish(OperationResult(.empty)) }
        takeOutUnavailable(&result.answer)
        result.answer["records"] = .array(
            (result.answer["records"]?.array ?? []).map { record in
                RecordAssets.mapped(record) { asset in
                    var asset = asset
                    if let bytes = files[asset["fileChecksum"]?.string ?? ""] { asset["data"] = .data(bytes) }
                    return asset
                }
            })
        return .finish(result)
    }
}
