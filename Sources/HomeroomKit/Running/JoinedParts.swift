import FleetModel
import Report
import Run

/// The parts of one search, as they lie in a folder (Docs/many-machines.md).
struct JoinedParts {
    /// Of one part; all are equal but for the part, the build and the path of the scenario.
    let header: Value
    let count: Int
    /// By the part's number: a part that was played in several places left several files.
    private(set) var files: [Int: [PartFile.Content]] = [:]

    /// Each search that has a part among these, in the order of their files.
    static func groups(_ contents: [PartFile.Content]) -> [JoinedParts] {
        var order: [Value] = []
        var groups: [Value: JoinedParts] = [:]
        for content in contents {
            guard let shard = content.shard else { continue }
            let key: Value = [
                "homeroom": content.header["homeroom"] ?? .null, "count": .int(shard.count),
                "asked": content.header["asked"] ?? .null,
            ]
            var group = groups[key] ?? JoinedParts(header: content.header, count: shard.count)
            if group.files.isEmpty { order.append(key) }
            group.files[shard.index, default: []].append(content)
            groups[key] = group
        }
        return order.compactMap { groups[$0] }
    }

    private init(header: Value, count: Int) { (self.header, self.count) = (header, count) }

    var isZoo: Bool { header["homeroom"]?.string == ZooPart.kind }
    /// Every line, those of the first part first.
    var lines: [(path: String, line: Value)] {
        files.sorted { $0.key < $1.key }.flatMap { $0.value }.flatMap { content in
            content.lines.map { (content.path, $0) }
        }
    }

    /// A part that did not do all that it was asked for.
    struct Missing {
        var shard: Shard
        var why: String
        /// Does the rest of it.
        var command: String

        var body: Value {
            ["part": .string("\(shard)"), "why": .string(why), "command": .string(command)]
        }
    }

    /// - Parameters:
    ///   - what: what a line is of: `seeds`.
    ///   - command: of a part, without its results' folder.
    ///   - folder: where the results belong.
    func missing(_ what: String, command: (Shard) -> String, folder: String) -> [Missing] {
        (1...count).compactMap { index in
            guard let shard = Shard("\(index)/\(count)") else { return nil }
            let contents = files[index] ?? []
            guard !contents.contains(where: \.isEnded) else { return nil }
            let finished = Set(contents.flatMap(\.lines).filter { $0["failure"] == nil }.map { $0["seed"] ?? $0 }).count
            let why =
                contents.isEmpty ? "left nothing" : "did not come to its end, \(finished) \(what) are finished"
            let place = contents.first.map { PictureFiles.folder(of: $0.path) } ?? folder
            return Missing(shard: shard, why: why, command: "\(command(shard)) --out \(Shell.quoted(place))")
        }
    }

    /// What to know of parts that were not played by one build: nothing makes sure that one process finds what they find.
    var remark: String? {
        var builds: [String: [Int]] = [:]
        for (index, contents) in files {
            for build in Set(contents.compactMap { $0.header["build"]?.string }) {
                builds[build, default: []].append(index)
            }
        }
        guard builds.count > 1 else { return nil }
        let told = builds.sorted { $0.key < $1.key }.map {
            "\($0.key) played \($0.value.sorted().map { "\($0)/\(count)" }.joined(separator: ", "))"
        }
        return "the parts are of several builds, which may find different things: \(told.joined(separator: "; "))"
    }
}

/// What a part of `explore` is asked for.
struct SearchPart {
    static let kind = "explore"
    let loaded: LoadedScenario
    let asked: Asked

    init(_ loaded: LoadedScenario, _ asked: Asked) { (self.loaded, self.asked) = (loaded, asked) }

    func header(_ part: Shard) -> Value {
        var body = asked.body
        body["scenario"] = .string(loaded.text)
        body["schemas"] = .object(Value.Object(loaded.schemas.map { ($0.key, .string($0.value)) }))
        var header = PartFile.header(Self.kind, part, asked: body)
        header["file"] = .string(loaded.file)
        return header
    }

    /// - Throws: `RunEnd.input` for a scenario that this version does not read.
    init(header: Value, path: String) throws {
        guard let body = header["asked"], let asked = Asked(body), let text = body["scenario"]?.string,
            let file = header["file"]?.string
        else { throw RunEnd.input("\(path):1:1: does not say what was asked for; remove it and run its part again") }
        // Judging is done: the apps are not needed.
        let scenario = try ScenarioFiles.parse(text, file: file, takesAnyApp: true).get()
        loaded = LoadedScenario(scenario: scenario, text: text, file: file)
        self.asked = asked
    }

    func command(_ part: Shard) -> String {
        "\(Homeroom.commandName) explore \(Shell.quoted(loaded.file)) \(asked.options) --shard \(part)"
    }
}

/// A search over seeds that was played in parts.
struct JoinedSearch {
    let parts: JoinedParts
    private(set) var tally: SearchTally
    /// For JUnit.
    private(set) var reports: [RunReport] = []
    let missing: [JoinedParts.Missing]

    /// - Throws: `RunEnd.input` for a seed that two files tell differently.
    init(_ parts: JoinedParts, folder: String) throws {
        self.parts = parts
        let own = try SearchPart(header: parts.header, path: folder)
        tally = SearchTally(own.loaded)
        missing = parts.missing("seeds", command: own.command, folder: folder)
        var digests: [UInt64: (digest: String, path: String)] = [:]
        for (path, line) in parts.lines {
            guard let result = SeedResult(line) else { continue }
            let (seed, digest) = (result.report.seed, result.report.digest)
            if let known = digests[seed] {
                guard known.digest == digest else {
                    throw RunEnd.input(
                        "seed \(seed) went differently in \(known.path) and \(path), so they are of different builds: remove one of them"
                    )
                }
                continue
            }
            digests[seed] = (digest, path)
            reports.append(result.report)
            tally.take(result)
        }
        for (_, line) in parts.lines {
            guard let seed = line["seed"]?.string.flatMap({ UInt64($0) }), digests[seed] == nil,
                let message = line["failure"]?.string
            else { continue }
            tally.fail(seed, message)
        }
    }

    /// Prints what was found, and what is missing.
    func tell() {
        tally.tell("joined", "parts=\(parts.count - missing.count) of \(parts.count)")
    }
    var body: Value { tally.body }
    var status: ExitStatus { tally.status }
}
