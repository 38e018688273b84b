import ArgumentParser
import Checkers
import FleetModel
import Nemesis

/// `homeroom list apps|faults|checkers|scenarios`
struct ListCommand: ParsableCommand {
    enum Subject: String, ExpressibleByArgument, CaseIterable { case apps, faults, checkers, scenarios }

    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "What this executable knows: apps, faults, checkers, scenarios.")

    @Argument(help: "apps, faults, checkers or scenarios.") var subject: Subject
    @Argument(help: "Where to look for scenarios.") var paths: [String] = ["Fleet"]

    func run() throws {
        let rows: [(String, String)]
        switch subject {
        case .apps:
            rows = Homeroom.catalogue.manifests.map { app in
                let kind = "\(app.channel.rawValue)\(app.isPurgeable ? ", purgeable" : "")"
                let defect = Homeroom.catalogue.defect(of: app.name).map { " - cannot run: \($0)" } ?? ""
                return (app.name, "\(kind): \(app.actions.map(\.name).joined(separator: ", "))\(defect)")
            }
        case .faults: rows = FaultRegistry.all.map { ($0.name, "\($0.family.rawValue): \($0.summary) [\($0.source)]") }
        case .checkers: rows = CheckerRegistry.all.map { ($0.name, $0.summary) }
        case .scenarios: rows = try ScenarioFiles.load(paths).map { ($0.scenario.name, $0.scenario.purpose) }
        }
        let width = rows.map(\.0.count).max() ?? 0
        for (name, text) in rows { print(name + String(repeating: " ", count: width - name.count + 2) + text) }
    }
}

/// `homeroom validate PATH...`
struct ValidateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "validate", abstract: "Check scenario files; errors with file:line:column, exit status 3.")

    @Argument(help: "Scenario files, or folders of them.") var paths: [String]

    func run() throws {
        for loaded in try ScenarioFiles.load(paths) { print("ok  \(loaded.file)  \(loaded.scenario.name)") }
    }
}
