import FleetModel

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
            for pair in record.recordFields?.pairs ?? [] where RecordAssets.isAsset(pair.value) {
                let value = pair.value.fieldContent ?? .null
                for asset in value.array ?? [value] {
                    guard let bytes = asset.fileBytes else { continue }
                    files.append(
                        File(
                            record: record.recordName ?? "", type: record.recordType?.string ?? "",
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
                RecordAssets.mapped(record) { asset in asset.fileBytes == nil ? asset : rest.popFirst() ?? .null }
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
