import ArgumentParser
import FleetModel
import Run

/// `homeroom schema check|diff|write`: production's schema, which takes only what was deployed.
struct SchemaCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema",
        abstract: "What apps need of CloudKit's production schema, and what is missing there (Docs/schema.md).",
        subcommands: [Check.self, Diff.self, Write.self])

    struct Check: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "check",
            abstract: "Run scenarios in sim and name each line that production lacks.",
            discussion:
                "Exit status: 0 production has all that was used, 1 lines are missing, 2 nothing was used, 3 bad input."
        )

        @Argument(help: "The schema of production, in CloudKit's schema language.") var schema: String
        @Argument(help: "Scenario files, or folders of them.") var paths: [String]
        @Option(parsing: .unconditional, help: "Seed of all draws; default: the scenario's own.") var seed: UInt64?
        @OptionGroup var json: JSONOption

        func run() throws {
            let production = try ScenarioFiles.schema(Folders.read(schema), file: schema)
            let used = try SchemaUse.of(paths, seed: seed)
            var lines: [String] = []
            for (container, needed) in used.sorted(by: { $0.key < $1.key }) {
                lines += production.lines(for: needed.needs).map { "\(container): \($0)" }
            }
            for line in lines { say("missing  \(line)") }
            let needs = used.values.reduce(0) { $0 + $1.needs.count }
            let status: ExitStatus = used.isEmpty ? .unknown : lines.isEmpty ? .asExpected : .unexpected
            switch status {
            case .unknown: say("nothing of CloudKit was used: this shows nothing")
            case .asExpected: say("ok  \(schema) has all \(needs) things that were used")
            default: say("\(lines.count) \(lines.count == 1 ? "line is" : "lines are") to be deployed")
            }
            JSONOutput.print("schema-check", status, ["missing": .strings(lines), "needs": .int(needs)])
            throw ExitCode(status)
        }
    }

    struct Diff: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "diff",
            abstract: "What changes from one schema to another, and whether production can take it.",
            discussion:
                "Exit status: 0 nothing changes or all is added, 1 something goes or becomes something else, 3 bad input."
        )

        @Argument(help: "The schema that production has.") var old: String
        @Argument(help: "The schema that is to be deployed.") var new: String
        @OptionGroup var json: JSONOption

        func run() throws {
            let before = try ScenarioFiles.schema(Folders.read(old), file: old)
            let found = before.differences(to: try ScenarioFiles.schema(Folders.read(new), file: new))
            for difference in found { say("\(difference.isAdditive ? "added    " : "REFUSED  ")\(difference.text)") }
            if found.isEmpty { say("no difference") }
            let status: ExitStatus = found.allSatisfy(\.isAdditive) ? .asExpected : .unexpected
            JSONOutput.print(
                "schema-diff", status,
                ["differences": .array(found.map { ["text": .string($0.text), "additive": .bool($0.isAdditive)] })])
            throw ExitCode(status)
        }
    }

    struct Write: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "write",
            abstract: "Run scenarios in sim and print the schema of what their apps use, in CloudKit's schema language."
        )

        @Argument(help: "Scenario files, or folders of them.") var paths: [String]
        @Option(parsing: .unconditional, help: "Seed of all draws; default: the scenario's own.") var seed: UInt64?
        @Option(help: "Only of this container; needed where apps use several.") var container: String?

        func run() throws {
            let used = try SchemaUse.of(paths, seed: seed)
            let known = used.keys.sorted()
            let chosen = container ?? (known.count == 1 ? known.first : nil)
            guard let chosen, let schema = used[chosen] else {
                throw RunEnd.input(
                    known.isEmpty
                        ? "nothing of CloudKit was used in these scenarios"
                        : "a file is of one container, and these were used: \(known.joined(separator: ", ")); choose one with --container"
                )
            }
            for line in schema.text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
                say(String(line))
            }
        }
    }
}

/// What apps use of production's schema in a run that takes everything.
enum SchemaUse {
    /// By container, over all scenarios.
    static func of(_ paths: [String], seed: UInt64?) throws -> [String: CloudSchema] {
        var used: [String: [SchemaNeed]] = [:]
        for var loaded in try ScenarioFiles.load(paths) {
            (loaded.schemas, loaded.scenario.watchesSchema) = ([:], true)
            let report = try Runner(loaded: loaded, seed: seed ?? loaded.scenario.seed, mode: .sim).run()
            guard !Interruption.isAsked else { throw RunEnd.interruptedLate }
            for (container, text) in report.schema {
                used[container, default: []] += try ScenarioFiles.schema(text, file: "the run's report").needs
            }
        }
        for (container, needs) in used.sorted(by: { $0.key < $1.key }) { try requireOneType(needs, container) }
        return used.mapValues { CloudSchema(needs: $0) }
    }
    /// A field has one type for ever: who saves two of them is refused by every production.
    private static func requireOneType(_ needs: [SchemaNeed], _ container: String) throws {
        var types: [String: CloudSchema.FieldType] = [:]
        for need in needs {
            guard let field = need.field, let type = need.fieldType else { continue }
            let place = "\(need.type).\(field)"
            if let other = types[place], other != type {
                throw RunEnd.input(
                    "\(container): \(place) is saved as \(other.text) and as \(type.text), and a field has one type: no production takes both"
                )
            }
            types[place] = type
        }
    }
}
