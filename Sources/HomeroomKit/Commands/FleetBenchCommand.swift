import ArgumentParser
import FleetModel
import Load
import Run

/// `homeroom bench fleet`
struct FleetBenchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fleet",
        abstract:
            "A fleet of pairs of iPads in live: how long until an edit is visible on the other iPad, and how many iPads this machine can run within your latency goal.",
        discussion: """
            Each pair of iPads shares a person and has one app in front; each iPad makes an edit every so often, whatever became of the one \
            before. Time goes as a clock's. Nothing is judged: that is for 'homeroom run'.

            --find-limit doubles the number of iPads until the service level is broken and halves the space between, each number measured \
            until two measurements agree; a run that breaks then is a level that is not kept. Where the machine lacks disk or files, the search \
            ends with 3: that is no limit.

            Exit status: 0 the level was kept (by the lowest number of iPads, when a limit is searched), 1 it was not, 3 bad input or a \
            machine that lacks something, 4 a run failed.
            """)

    @Option(parsing: .unconditional, help: "How many iPads, an even number; without --find-limit. (default: 16)")
    var ipads: Int?
    @Flag(help: "Search the largest number of iPads that keeps the service level.") var findLimit = false
    @Option(parsing: .unconditional, help: "The search begins with so many iPads.") var from = 16
    @Option(parsing: .unconditional, help: "The search ends at so many.") var to = 1024
    @Option(parsing: .unconditional, help: "The limit is searched to so many iPads.") var resolution = 16
    @Option(help: "The service level: 99 of 100 edits are seen on the other iPad within this time.") var p99 = "2s"
    @Option(help: "Time between two edits of one iPad.") var every = "10s"
    @Option(help: "How long edits are made.") var length = "60s"
    @Option(help: "App in front.") var app = "notebook"
    @Option(parsing: .unconditional, help: "Seed of who writes what and when.") var seed: UInt64 = 1
    @Option(help: "The homeroom-cloud to start; default: beside this command or in Cloud/.build.") var cloudProgram:
        String?
    @Option(
        help:
            "Folder in which figures.json and figures.html of each run stay, in IPADS, then IPADS-2; default: nowhere.")
    var out: String?
    @Flag(help: "One JSON object a line.") var json = false

    /// The one number that is measured, when no limit is searched.
    private var count: Int { ipads ?? 16 }

    func validate() throws {
        for (name, number) in [("ipads", count), ("from", from), ("to", to)] {
            guard (2...10_000).contains(number), number % 2 == 0 else {
                throw ValidationError("--\(name) takes an even number from 2 to 10000: iPads come in pairs")
            }
        }
        guard ipads == nil || !findLimit else {
            throw ValidationError(
                "--ipads measures one number of iPads: to search from there, give --find-limit --from \(count)")
        }
        guard from <= to else { throw ValidationError("--from \(from) is above --to \(to)") }
        guard (1...10_000).contains(resolution) else { throw ValidationError("--resolution takes 1 to 10000") }
        _ = try span(p99, "p99", .milliseconds(1) ... .minutes(10))
        let every = try span(every, "every", .milliseconds(10) ... .hours(1))
        let length = try span(length, "length", .seconds(1) ... .hours(12))
        guard every <= length else { throw ValidationError("--every is longer than --length: there would be no edit") }
    }

    private func span(_ text: String, _ name: String, _ range: ClosedRange<Span>) throws -> Span {
        guard let span = Span(parsing: text), range.contains(span) else {
            throw ValidationError(
                "--\(name) takes a time from \(range.lowerBound) to \(range.upperBound), as 2s or 500ms, not '\(text)'")
        }
        return span
    }

    func run() throws {
        let settings = LiveSettings(speed: 1, program: try CloudProgram.required(cloudProgram))
        try Self.requireWriting(app)
        try Machine.requireFiles(forLive: findLimit ? to : count)
        Interruption.install()
        let scratch = try Folders.temporary()
        defer {
            Progress.clear()
            Folders.remove(scratch)
        }
        let kept = try out.map { try FigureFolder($0) }
        defer { kept?.close() }
        let levels = FleetLevels(
            app: app, every: try span(every, "every", .zero ... .hours(1)),
            length: try span(length, "length", .zero ... .hours(12)),
            level: ServiceLevel(most: try span(p99, "p99", .zero ... .hours(1))), seed: seed, live: settings,
            scratch: scratch, kept: kept)
        let isKept = findLimit ? try search(levels) : try one(levels)
        throw ExitCode(isKept ? .asExpected : .unexpected)
    }

    /// - Throws: `RunEnd.input` when nothing is written in the app.
    static func requireWriting(_ app: AppName) throws {
        guard let manifest = Homeroom.catalogue.manifest(app), manifest.actions.contains(where: { $0.verb == .put })
        else {
            let apps = Homeroom.catalogue.manifests.filter { $0.actions.contains { $0.verb == .put } }.map(\.name)
            throw RunEnd.input(
                "no app called '\(app)' in which something is written; there are: \(apps.joined(separator: ", "))")
        }
    }

    private func one(_ levels: FleetLevels) throws -> Bool {
        let measurement = try levels.measure(count)
        if json {
            var body = measurement.body
            body["figures"] = measurement.figures?.body
            print(body.json)
        } else {
            for line in measurement.figures.map(FigureTable.lines) ?? [] { say(line) }
            say(LevelTable.heads)
            say(LevelTable.line(measurement))
        }
        return measurement.holds
    }

    private func search(_ levels: FleetLevels) throws -> Bool {
        if !json {
            say("asked: 99 of 100 edits are seen within \(levels.level.most)")
            say("each iPad makes an edit every \(levels.every), for \(levels.length)")
            say(LevelTable.heads)
        }
        let found = try FleetLevels.search(from...to, resolution: resolution, measure: levels.measure) { measurement in
            Progress.clear()
            printNow(json ? measurement.body.json : LevelTable.line(measurement))
        }
        if json {
            let limit: Value = [
                "holds": found.holds.map { .int($0) } ?? .null, "fails": found.fails.map { .int($0) } ?? .null,
                "p99": .int(levels.level.most.nanoseconds), "every": .int(levels.every.nanoseconds),
                "length": .int(levels.length.nanoseconds),
            ]
            print(Value.object(Value.Object([("limit", limit)])).json)
        } else {
            say(LevelTable.words(found, levels.level))
        }
        return found.holds != nil
    }
}
