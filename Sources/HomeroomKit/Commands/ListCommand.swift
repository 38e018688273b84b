import ArgumentParser
import Checkers
import FleetModel
import Nemesis

/// `homeroom list apps|faults|checkers|scenarios`
struct ListCommand: ParsableCommand {
    enum Subject: String, ExpressibleByArgument, CaseIterable { case apps, faults, checkers, scenarios }

    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "What this executable knows: apps, faults, checkers, scenarios.")

    @Argument(help: "apps, faults, checkers or scenarios; none: all of them.") var subject: Subject?
    @Argument(help: "Where to look for scenarios.") var paths: [String] = ["Fleet"]
    @OptionGroup var json: JSONOption

    func run() throws {
        if JSONOutput.isAsked { return try printJSON() }
        if let subject { return show(try rows(of: subject), indent: "") }
        for subject in Subject.allCases {
            // Nobody has named the folder: another one may be the right one.
            let isMissing = subject == .scenarios && !Folders.exists(paths[0])
            say("\(subject.rawValue):")
            let nowhere = "none in \(paths[0]); name another folder: \(Homeroom.commandName) list scenarios FOLDER"
            if isMissing { say("  \(nowhere)") } else { show(try rows(of: subject), indent: "  ") }
        }
    }

    private func printJSON() throws {
        var body = Value.empty
        for subject in Subject.allCases where self.subject ?? subject == subject {
            let isMissing = self.subject == nil && subject == .scenarios && !Folders.exists(paths[0])
            let rows = isMissing ? [] : try rows(of: subject)
            body[subject.rawValue] = .array(rows.map { ["name": .string($0.0), "summary": .string($0.1)] })
        }
        JSONOutput.print("list", .asExpected, body)
    }

    private func show(_ rows: [(String, String)], indent: String) {
        let width = rows.map(\.0.count).max() ?? 0
        for (name, text) in rows { say(indent + name + String(repeating: " ", count: width - name.count + 2) + text) }
    }

    private func rows(of subject: Subject) throws -> [(String, String)] {
        switch subject {
        case .apps:
            let planted = Set(Homeroom.zoo.map(\.id))
            return Homeroom.catalogue.manifests.filter { !planted.contains($0.name) }.map { app in
                let kind = "\(app.channel.rawValue)\(app.isPurgeable ? ", purgeable" : "")"
                let defect = Homeroom.catalogue.defect(of: app.name).map { " - cannot run: \($0)" } ?? ""
                return (app.name, "\(kind): \(app.actions.map(\.name).joined(separator: ", "))\(defect)")
            }
        case .faults:
            return FaultRegistry.all.map { ($0.name, "\($0.family.rawValue): \($0.summary) [\($0.source)]") }
        case .checkers: return CheckerRegistry.all.map { ($0.name, $0.summary) }
        case .scenarios: return try ScenarioFiles.load(paths).map { ($0.scenario.name, $0.scenario.purpose) }
        }
    }
}

/// `homeroom validate PATH...`
struct ValidateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "validate", abstract: "Check scenario files; errors with file:line:column, exit status 3.")

    @Argument(help: "Scenario files, or folders of them.") var paths: [String]
    @OptionGroup var json: JSONOption

    func run() throws {
        let all = try ScenarioFiles.load(paths)
        JSONOutput.print(
            "validate", .asExpected,
            [
                "scenarios": .array(
                    all.map { ["file": .string($0.file), "scenario": .string($0.scenario.name)] })
            ])
        for loaded in all { say("ok  \(loaded.file)  \(loaded.scenario.name)") }
    }
}
