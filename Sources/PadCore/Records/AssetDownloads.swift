import FleetModel

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
            guard let bytes = body.fileBytes, first.size ?? Int64(bytes.count) == bytes.count else {
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
        for record in WebPage(lenient: answer).records ?? [] {
            _ = RecordAssets.mapped(record) { asset in
                if let checksum = asset.fileChecksum?.string, let url = asset.fileAddress?.string,
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
        let records = (WebPage(lenient: answer).records ?? []).filter { record in
            var isWhole = true
            _ = RecordAssets.mapped(record) { asset in
                if refused.contains(asset.fileChecksum?.string ?? "") { isWhole = false }
                return asset
            }
            if !isWhole, let name = record.recordName {
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
            (WebPage(lenient: result.answer).records ?? []).map { record in
                RecordAssets.mapped(record) { asset in
                    var asset = asset
                    if let bytes = files[asset.fileChecksum?.string ?? ""] { asset.fileBytes = bytes }
                    return asset
                }
            })
        return .finish(result)
    }
}
