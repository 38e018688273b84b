import ArgumentParser
import FleetModel
import Run

/// `homeroom zoo`
struct ZooCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "zoo",
        abstract:
            "Look for the planted bugs: found or not, after how many seeds and seconds, how small the failing run becomes.",
        discussion: """
            Each bug plays the scenario alone, seed after seed, until a run is invalid; that run is shrunk, played in fleet, and played with the correct \
            app, with which it has to be valid. The last line is 'zoo: FOUND of ALL'. Exit status: 0 all were found, with a right class, and the correct \
            apps are valid; 1 not; 3 bad input; 130 interrupted.
            """)

    @Option(help: "The scenario; its apps are replaced by one bug at a time.") var scenario =
        "Fleet/everything-at-once.yaml"
    @Option(help: "Only these, as ck-08,up-04.") var only: String?
    @Option(parsing: .unconditional, help: "Seeds for each bug, at most.") var seeds = 100
    @Option(parsing: .unconditional, help: "Worker processes at a time; default: the machine's cores.") var jobs: Int?
    @Option(help: "Only part I of N of the bugs, as 2/5; auto: as the environment of a job array says (see explore).")
    var shard: String?
    @Option(
        help:
            "Folder for the shrunk scenarios, as ID.yaml. A part also leaves what 'merge' joins, and goes on from it when it is run again."
    )
    var out: String?
    @Flag(help: "Only look for the bugs.") var findOnly = false
    @OptionGroup var json: JSONOption

    func validate() throws {
        guard (1...1_000_000).contains(seeds) else { throw ValidationError("--seeds takes 1 to 1000000") }
        guard (1...1024).contains(jobs ?? 1) else { throw ValidationError("--jobs takes 1 to 1024") }
    }

    func run() throws {
        let part = try shard.map { try JobArray.shard($0) } ?? .whole
        let asked = ZooPart(
            bugs: try chosen(), file: scenario, text: try Folders.read(scenario), seeds: seeds, shrinks: !findOnly)
        let folder = try out.map { try OutputFolder($0) }
        defer { folder?.close() }
        let file =
            shard == nil
            ? nil : try folder.map { try PartFile(PartFile.path(in: $0.path, "zoo", part), header: asked.header(part)) }
        defer { file?.close() }
        Interruption.install()
        let earlier = (file?.content.lines ?? []).compactMap { Zoo.Visit($0, of: asked.bugs) }
        for visit in earlier { printNow(visit.line) }
        var zoo = Zoo(seeds: seeds, jobs: jobs ?? Machine.cores, shrinks: !findOnly, visits: earlier)
        for bug in asked.bugs(of: part) where !earlier.contains(where: { $0.bug.id == bug.id }) {
            let own = try bug.scenario.map { try Folders.read($0) } ?? asked.text
            let visit = try zoo.visit(bug, scenario: own, file: bug.scenario ?? scenario)
            if let folder, let shrunk = visit.shrunk {
                try OutputFile("\(folder.path)/\(bug.id).yaml", orElse: .out).write(shrunk.text)
            }
            try file?.append(visit.body)
            printNow(visit.line)
        }
        try file?.end()
        JSONOutput.print("zoo", zoo.status, zoo.body)
        for line in zoo.summary { say(line) }
        throw ExitCode(zoo.status)
    }

    private func chosen() throws -> [PlantedBug] {
        guard !Homeroom.zoo.isEmpty else {
            throw RunEnd.input("this executable has no planted bugs: give Homeroom.main a zoo, or use homeroom's own")
        }
        guard let only else { return Homeroom.zoo }
        return try only.split(separator: ",").map { name in
            guard let bug = Homeroom.zoo.first(where: { $0.id == name }) else {
                throw RunEnd.input(
                    "--only \(name): there is no such bug; there are \(Homeroom.zoo.map(\.id).joined(separator: ", "))")
            }
            return bug
        }
    }
}
