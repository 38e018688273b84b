import ArgumentParser
import CInterpose
import FleetModel
import Report
import Run
import Shrink
import Workload

/// `homeroom import LOG...`
struct ImportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Make a scenario of logs from the field, and find what they do not know until the symptom shows.",
        discussion: """
            Takes field logs (Docs/field-log.md), HAR files of CloudKit Web Services, or the log of homeroom-cloud serve --log; one file a device, or \
            all in one. Without --class the scenario is written as the logs have it. With it the run that shows the symptom is shrunk. Exit status: \
            0 written, 1 the symptom never showed (what the logs know is written), 3 bad input, 130 interrupted.
            """)

    @Argument(help: "Logs of one mishap.") var logs: [String]
    @Option(help: "The app that plays: its name here, or its bundle identifier; default: the one that the log names.")
    var app: String?
    @Option(name: .customLong("class"), help: "What happened to the edit: the class that has to show.") var wanted:
        LossClass?
    @Option(help: "The item that it happened to, as the log or the scenario calls it.") var item: String?
    @Option(name: .shortAndLong, help: "File to write; default: .homeroom/imported.yaml.") var output =
        ".homeroom/imported.yaml"
    @Option(parsing: .unconditional, help: "Runs to try at most.") var tries = 300
    @Option(parsing: .unconditional, help: "Seeds for each assumption.") var seeds = 3
    @Option(
        parsing: .unconditional, help: "Runs at a time; default: the machine's cores. The result does not depend on it."
    ) var jobs: Int?
    @Option(parsing: .unconditional, help: "Stop shrinking after so many minutes.") var minutes: Double = 5
    @OptionGroup var json: JSONOption

    func validate() throws {
        guard (1...100_000).contains(tries) else { throw ValidationError("--tries takes 1 to 100000") }
        guard (1...1000).contains(seeds) else { throw ValidationError("--seeds takes 1 to 1000") }
        guard (1...1024).contains(jobs ?? 1) else { throw ValidationError("--jobs takes 1 to 1024") }
        guard minutes > 0, minutes <= 1440 else {
            throw ValidationError("--minutes takes more than 0 and at most 1440")
        }
        guard item == nil || wanted != nil else { throw ValidationError("--item needs --class: what happened to it") }
    }

    func run() throws {
        let began = hr_real_ns()
        for log in logs where Folders.isSame(log, output) {
            throw RunEnd.input("\(output) is one of the logs, which would be replaced: choose another -o")
        }
        let record = try FieldReader.read(logs)
        let manifest = try manifest(record)
        let story = try FieldStory(record, app: manifest)
        let file = OutputFile(output, orElse: .out)
        try file.probe()
        tell(story, record)
        let search = FieldSearch(
            story: story, name: "imported", symptom: .init(lossClass: wanted ?? .lost, item: try itemName(story)),
            jobs: jobs ?? Machine.cores, triesMax: tries, seeds: seeds)
        guard let wanted else {
            try file.write(ScenarioWriter.yaml(try search.scenario([], seed: 1)))
            return conclude(story, .asExpected, ["file": .string(output)], "imported  \(output)")
        }
        Interruption.install()
        guard let found = try search.run() else {
            try file.write(ScenarioWriter.yaml(try search.scenario([], seed: 1)))
            let tries = search.triesPlanned
            conclude(
                story, .unexpected, ["file": .string(output), "reproduced": false, "tries": .int(tries)],
                "not reproduced: no run of \(tries) is '\(wanted.rawValue)'\(item.map { " of \($0)" } ?? ""); \(output) has what the logs know"
            )
            throw ExitCode(.unexpected)
        }
        let assumed = found.assumed.isEmpty ? "nothing more" : found.assumed.joined(separator: "; ")
        say("shows    after \(found.tries) tries, assumed: \(assumed)")
        let shrunk = try shrink(found, wanted)
        try file.write(shrunk.text)
        for line in shrunk.lines(file: output).dropLast() { say(line) }
        let wall = (hr_real_ns() - began) / 1_000_000
        conclude(
            story, .asExpected,
            [
                "file": .string(output), "reproduced": true, "tries": .int(found.tries),
                "assumed": .strings(found.assumed),
                "class": .string(wanted.rawValue), "wallMilliseconds": .int(wall), "scenario": .string(shrunk.text),
            ],
            "imported  \(wanted.rawValue)  steps=\(shrunk.after.steps) faults=\(shrunk.after.faults) tries=\(found.tries + shrunk.tries) wall=\(wall / 1000).\(wall % 1000 / 100)s  \(output)"
        )
        if Interruption.isAsked { throw RunEnd(.interrupted, "interrupted: \(output) is the smallest scenario so far") }
    }

    private func shrink(_ found: FieldSearch.Found, _ wanted: LossClass) throws -> Shrunk {
        let text = found.candidate.yaml
        let loaded = LoadedScenario(
            scenario: try ScenarioFiles.parse(text, file: "imported.yaml").get(), text: text, file: "imported.yaml")
        var shrinking = Shrinking(
            try FailingRun(loaded, seed: found.candidate.scenario.seed), jobs: jobs ?? Machine.cores, minutes: minutes)
        try shrinking.begin(wanted: wanted)
        try shrinking.run()
        return try shrinking.conclude()
    }

    /// The app of this executable that plays the log's.
    private func manifest(_ record: FieldRecord) throws -> AppManifest {
        guard let name = app ?? record.app else {
            throw RunEnd.input(
                "\(logs[0]): does not say which app it is of: name one with --app; see '\(Homeroom.commandName) list apps'"
            )
        }
        let manifests = Homeroom.catalogue.manifests
        guard let found = manifests.first(where: { $0.name == name }) ?? manifests.first(where: { $0.bundleID == name })
        else {
            throw RunEnd.input(
                "there is no app '\(name)' here: name one with --app; see '\(Homeroom.commandName) list apps'")
        }
        return found
    }
    /// - Throws: `RunEnd.input` for an item that no log has.
    private func itemName(_ story: FieldStory) throws -> String? {
        guard let item else { return nil }
        let names = Set(story.itemNames.values)
        if let name = story.itemNames.first(where: {
            $0.key.split(separator: " ", maxSplits: 1).last.map(String.init) == item
        })?.value {
            return name
        }
        guard names.contains(item) else {
            throw RunEnd.input(
                "no log has an edit of '\(item)'; there are \(names.sorted().prefix(20).joined(separator: ", "))")
        }
        return item
    }

    private func tell(_ story: FieldStory, _ record: FieldRecord) {
        say(
            "read     \(record.events.count) events: \(story.pads.count) iPads, \(story.people.count) people, \(story.edits) edits, "
                + "\(story.windows.count) times in which something was broken, \(story.kills.count) kills, \(story.unanswered.count) calls without an answer"
        )
        let names = story.items.prefix(5).joined(separator: ", ") + (story.items.count > 5 ? ", ..." : "")
        if !names.isEmpty {
            say(
                "names    \(zip(story.persons, story.people).prefix(5).map { "\($0) is \($1)" }.joined(separator: ", ")); \(names)"
            )
        }
        for remark in record.remarks { say("note     \(remark)") }
    }
    private func conclude(_ story: FieldStory, _ status: ExitStatus, _ body: Value, _ line: String) {
        var body = body
        body["ipads"] = .int(story.pads.count)
        body["people"] = .int(story.people.count)
        body["edits"] = .int(story.edits)
        JSONOutput.print("import", status, body)
        say(line)
    }
}
