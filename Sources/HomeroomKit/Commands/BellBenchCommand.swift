import ArgumentParser
import FleetModel
import Load

/// `homeroom bench bell`
struct BellBenchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bell",
        abstract: "A class makes room for another at every iPad at once, in live: how long until everybody has one.",
        discussion: """
            Three periods: the second brings people whom no iPad has seen, the third those that it keeps. Everybody signs out at the bell and \
            is at the next iPad one to two seconds later. Time goes as a clock's. Nothing is judged: that is for 'homeroom run'.

            Exit status: 0 everybody had their iPad in time after both bells, 1 somebody had not, 3 bad input, 4 the run failed.
            """)

    @Option(parsing: .unconditional, help: "How many iPads.") var ipads = 16
    @Option(help: "What is asked: everybody has an iPad within this time from the bell.") var within = "10s"
    @Option(help: "App that people use.") var app = "notebook"
    @Option(parsing: .unconditional, help: "Seed of who writes what and when.") var seed: UInt64 = 1
    @Option(help: "The homeroom-cloud to start; default: beside this command or in Cloud/.build.") var cloudProgram:
        String?
    @Option(
        help: "Folder in which figures.json and figures.html of the run stay, in IPADS, then IPADS-2; default: nowhere."
    )
    var out: String?
    @Flag(help: "One JSON object.") var json = false

    func validate() throws {
        guard (1...10_000).contains(ipads) else { throw ValidationError("--ipads takes 1 to 10000") }
        guard let most = Span(parsing: within), (Span.seconds(2) ... .minutes(10)).contains(most) else {
            throw ValidationError(
                "--within takes a time from 2s, which people need for the way, to 10m, not '\(within)'")
        }
    }

    func run() throws {
        let program = try CloudProgram.required(cloudProgram)
        try FleetBenchCommand.requireWriting(app)
        try Machine.requireFiles(forLive: ipads)
        Interruption.install()
        let scratch = try Folders.temporary()
        defer {
            Progress.clear()
            Folders.remove(scratch)
        }
        let kept = try out.map { try FigureFolder($0) }
        defer { kept?.close() }
        let level = BellLevel(ipads: ipads, app: app, most: Span(parsing: within) ?? .zero)
        let storm = MeasuredStorm(
            text: level.scenario, title: "bell of \(ipads) iPads", seed: seed,
            live: LiveSettings(speed: 1, program: program))
        let figures = try storm.figures(scratch: scratch)
        try kept?.keep(figures, of: ipads)
        let bells = BellLevel.bells(figures)
        let isKept = level.holds(bells)
        Progress.clear()
        if json {
            let body: Value = [
                "ipads": .int(ipads), "within": .int(level.most.nanoseconds), "kept": .bool(isKept),
                "settled": .array(bells.map { $0.settled.map { .int($0.nanoseconds) } ?? .null }),
                "figures": figures.body,
            ]
            print(body.json)
        } else {
            for line in FigureTable.lines(figures) { say(line) }
            let settled = bells.map { $0.settled?.short ?? "never" }.joined(separator: " and ")
            say("\(ipads) iPads settled in \(settled), asked: \(level.most): \(isKept ? "kept" : "BROKEN")")
        }
        throw ExitCode(isKept ? .asExpected : .unexpected)
    }
}
