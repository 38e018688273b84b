import FleetModel

/// The faults of a file, without a run around them: for whoever bends a real network. A whole scenario file will do too; what else it says
/// is passed over.
public struct FaultFile: Hashable, Sendable {
    /// The name of the scenario, when it is one: a live run of it bends its messages by itself.
    public var scenario: String?
    /// In the order of the file; they are checked as those of a scenario are.
    public var faults: [FaultSpec]
    /// The healthy link; nil where the file has no `network`.
    public var network: LinkModel?
    /// iPads by the address they connect from.
    public var sources: [String: Int]
}

extension ScenarioReader {
    /// - Returns: the faults, or every error with its line and column. Never traps, whatever the text is.
    public static func readFaults(
        text: String, file: String, knownFaults: [String], refusal: @escaping FaultRefusal = { _ in nil }
    ) -> Result<FaultFile, ScenarioErrors> {
        let problems = Problems(file: file)
        guard let root = parse(text, problems) else { return .failure(problems.sorted) }
        let reading = Reading(problems: problems, knownApps: [], knownFaults: knownFaults, refusal: refusal)
        let found = reading.faultFile(Field(root, name: Field.top, problems: problems))
        guard problems.errors.isEmpty, let found else { return .failure(problems.sorted) }
        return .success(found)
    }
}

extension Reading {
    /// Without a storm every window may last as long as the longest one.
    func faultFile(_ root: Field) -> FaultFile? {
        guard let top = root.fields(Self.keys + ["sources"]) else { return nil }
        ipads = top["ipads"].flatMap { $0.whole(1...10_000) } ?? 10_000
        storm = Self.longest
        return FaultFile(
            scenario: top["name"].flatMap { $0.text("a name") }, faults: top["faults"].map(readFaults) ?? [],
            network: top["network"].flatMap(readNetwork),
            sources: top["sources"].map(readSources) ?? [:])
    }

    /// `{10.0.0.7: 1, 10.0.0.8: 2}`.
    private func readSources(_ field: Field) -> [String: Int] {
        var sources: [String: Int] = [:]
        for (address, pad) in field.pairs() ?? [] {
            guard let number = pad.whole(1...10_000), let text = address.text("an address") else { continue }
            guard Self.isAddress(text) else {
                address.report("'\(text)' is no IP address: write it like 10.0.0.7 or \"fd00::8\"")
                continue
            }
            sources[text] = number
        }
        return sources
    }
    /// What looks like one; a name or a part too many or too large does not.
    private static func isAddress(_ text: String) -> Bool {
        if text.contains(":") { return text.allSatisfy { $0.isHexDigit || $0 == ":" || $0 == "." } }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts.allSatisfy { UInt8($0) != nil }
    }
}
