import FleetModel
import Run
import Workload

/// What a part of `zoo` is asked for.
struct ZooPart {
    static let kind = "zoo"
    let bugs: [PlantedBug]
    let file: String
    let text: String
    let seeds: Int
    let shrinks: Bool

    func header(_ part: Shard) -> Value {
        var header = PartFile.header(
            Self.kind, part,
            asked: [
                "bugs": .strings(bugs.map(\.id)), "scenario": .string(text), "seeds": .int(seeds),
                "shrinks": .bool(shrinks),
            ])
        header["file"] = .string(file)
        return header
    }

    init(bugs: [PlantedBug], file: String, text: String, seeds: Int, shrinks: Bool) {
        (self.bugs, self.file, self.text, self.seeds, self.shrinks) = (bugs, file, text, seeds, shrinks)
    }
    /// - Throws: `RunEnd.input` for bugs that this executable does not have.
    init(header: Value, path: String) throws {
        let asked = header["asked"]
        bugs = try (asked?["bugs"]?.strings ?? []).map { id in
            guard let bug = Homeroom.zoo.first(where: { $0.id == id }) else {
                throw RunEnd.input(
                    "\(path): names the bug \(id), which this executable does not have: join with the one that played")
            }
            return bug
        }
        file = header["file"]?.string ?? ""
        text = asked?["scenario"]?.string ?? ""
        seeds = Int(clamping: asked?["seeds"]?.int ?? 0)
        shrinks = asked?["shrinks"]?.bool ?? true
    }

    /// The bugs of one part: neighbours go to different parts, because bugs of one app cost alike.
    func bugs(of part: Shard) -> [PlantedBug] {
        bugs.enumerated().filter { part.holds($0.offset + 1) }.map(\.element)
    }

    func command(_ part: Shard) -> String {
        var words = ["\(Homeroom.commandName) zoo --scenario \(Shell.quoted(file)) --seeds \(seeds)"]
        if bugs.count < Homeroom.zoo.count { words.append("--only \(bugs.map(\.id).joined(separator: ","))") }
        if !shrinks { words.append("--find-only") }
        return (words + ["--shard \(part)"]).joined(separator: " ")
    }
}

/// A look for planted bugs that was made in parts.
struct JoinedZoo {
    let parts: JoinedParts
    let zoo: Zoo
    let missing: [JoinedParts.Missing]

    init(_ parts: JoinedParts, folder: String) throws {
        self.parts = parts
        let own = try ZooPart(header: parts.header, path: folder)
        missing = parts.missing("bugs", command: own.command, folder: folder)
        var visits: [String: Zoo.Visit] = [:]
        for (_, line) in parts.lines {
            guard let visit = Zoo.Visit(line, of: own.bugs), visits[visit.bug.id] == nil else { continue }
            visits[visit.bug.id] = visit
        }
        zoo = Zoo(seeds: own.seeds, jobs: 1, shrinks: own.shrinks, visits: own.bugs.compactMap { visits[$0.id] })
    }

    func tell() {
        for visit in zoo.visits { say(visit.line) }
        for line in zoo.summary { say(line) }
    }
    var body: Value { zoo.body }
    var status: ExitStatus { zoo.status }
}
