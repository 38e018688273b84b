import FleetModel
import HomeroomKit
import Report

/// What one seed came to, as its process tells it.
struct SeedOutcome: Sendable {
    /// Something that the test itself found: a failed expectation, an error that it threw.
    struct Caught: Hashable, Sendable {
        var text: String
        /// Where, as compilers name it; nil where that is not known.
        var place: Place?
    }
    /// A line of a source.
    struct Place: Hashable, Sendable {
        var fileID: String
        var filePath: String
        var line: Int
        var column: Int
    }

    var seed: UInt64
    var caught: [Caught] = []
    /// Why the run ended before the test did, or that its process died.
    var end: String?
    /// Of a run that began.
    var report: RunReport?
    /// Whether the checkers had something to judge.
    var isJudged = false
    /// The scenario that does the same.
    var scenario: String?
    /// Why that is another run; nil: it is the same one.
    var difference: String?
    /// The digest of that scenario, where it was played to compare.
    var repeated: String?
    /// Where the run left its files.
    var folder: String?

    var isFailure: Bool {
        !caught.isEmpty || end != nil || isJudged && report?.verdict != .valid
    }
    /// Equal for seeds that fail in the same way.
    var signature: String {
        var parts = caught.map { $0.place.map { "\($0.fileID):\($0.line)" } ?? $0.text }
        if isJudged, let report, report.verdict != .valid {
            parts += report.findings.map(\.lossClass.rawValue) + report.reasons
        }
        if end != nil { parts.append("end") }
        return Set(parts).sorted().joined(separator: " ")
    }

    var body: Value {
        var body: Value = [
            "seed": .string(String(seed)), "isJudged": .bool(isJudged), "caught": .array(caught.map(\.body)),
        ]
        body["end"] = end.map { .string($0) }
        body["report"] = report?.body
        body["scenario"] = scenario.map { .string($0) }
        body["difference"] = difference.map { .string($0) }
        body["repeated"] = repeated.map { .string($0) }
        body["folder"] = folder.map { .string($0) }
        return body
    }
    init(seed: UInt64, end: String? = nil) { (self.seed, self.end) = (seed, end) }
    init?(_ body: Value) {
        guard let seed = body["seed"]?.string.flatMap({ UInt64($0) }) else { return nil }
        self.init(seed: seed, end: body["end"]?.string)
        isJudged = body["isJudged"]?.bool ?? false
        caught = (body["caught"]?.array ?? []).compactMap(Caught.init)
        report = body["report"].flatMap(RunReport.init)
        scenario = body["scenario"]?.string
        difference = body["difference"]?.string
        repeated = body["repeated"]?.string
        folder = body["folder"]?.string
    }
}

extension SeedOutcome.Caught {
    var body: Value {
        var body: Value = ["text": .string(text)]
        if let place {
            body["fileID"] = .string(place.fileID)
            body["filePath"] = .string(place.filePath)
            body["line"] = .int(place.line)
            body["column"] = .int(place.column)
        }
        return body
    }
    init?(_ body: Value) {
        guard let text = body["text"]?.string else { return nil }
        self.text = text
        guard let fileID = body["fileID"]?.string, let filePath = body["filePath"]?.string,
            let line = body["line"]?.int,
            let column = body["column"]?.int
        else { return }
        place = .init(fileID: fileID, filePath: filePath, line: Int(clamping: line), column: Int(clamping: column))
    }
}
