import CloudCore
import FleetModel
import Nemesis
import ProgramApps
import Run
import Workload

/// A scenario with the text it was read from.
struct LoadedScenario {
    var scenario: Scenario
    var text: String
    var file: String
    /// Text of production's schema, by app; none where the scenario names no file.
    var schemas: [AppName: String] = [:]

    /// The command that runs it again, for people to paste.
    func command(seed: UInt64, mode: String) -> String {
        "\(Homeroom.commandName) run \(Shell.quoted(file)) --seed \(seed) --mode \(mode)"
    }
}

/// Finds and reads scenario files.
enum ScenarioFiles {
    /// Files named by a path: a folder means all `.yaml` files in it, in name order, subfolders too.
    /// - Throws: for a path that is not there or holds nothing.
    private static func find(_ path: String) throws(RunEnd) -> [String] {
        guard Folders.exists(path) else { throw .input("\(path): no such file or folder") }
        let files = Folders.isFolder(path) ? yaml(in: path) : [path]
        guard !files.isEmpty else { throw .input("\(path): holds no scenario (*.yaml)") }
        return files
    }
    private static func yaml(in folder: String) -> [String] {
        let base = folder.hasSuffix("/") ? String(folder.dropLast()) : folder
        return Folders.list(base).flatMap { name -> [String] in
            let path = "\(base)/\(name)"
            if Folders.isFolder(path) { return yaml(in: path) }
            return name.hasSuffix(".yaml") || name.hasSuffix(".yml") ? [path] : []
        }
    }

    /// Reads all of them or none.
    /// - Throws: `RunEnd.input` with every error of every file; those of one that is given twice, once.
    static func load(_ paths: [String]) throws(RunEnd) -> [LoadedScenario] {
        var loaded: [LoadedScenario] = []
        var errors: [String] = []
        for path in paths {
            do throws(RunEnd) {
                for file in try find(path) {
                    do throws(RunEnd) { loaded.append(try load(file: file)) } catch {
                        errors.append(error.message)
                    }
                }
            } catch { errors.append(error.message) }
        }
        guard errors.isEmpty else {
            var told: Set<String> = []
            throw .input(errors.filter { told.insert($0).inserted }.joined(separator: "\n"))
        }
        return loaded
    }
    private static func load(file: String) throws(RunEnd) -> LoadedScenario {
        let text = try Folders.read(file)
        let scenario = try parse(text, file: file).get()
        return LoadedScenario(scenario: scenario, text: text, file: file, schemas: try schemas(of: scenario, file))
    }
    /// The files that a scenario names, which lie where it says from its own folder on.
    private static func schemas(of scenario: Scenario, _ file: String) throws(RunEnd) -> [AppName: String] {
        let folder = file.lastIndex(of: "/").map { String(file[...$0]) } ?? ""
        var texts: [AppName: String] = [:]
        for (app, name) in scenario.schemaFiles.sorted(by: { $0.key < $1.key }) {
            let path = name.hasPrefix("/") ? name : folder + name
            let text = try Folders.read(path)
            _ = try schema(text, file: path)
            texts[app] = text
        }
        return texts
    }
    /// - Throws: `RunEnd.input` with file, line and column.
    static func schema(_ text: String, file: String) throws(RunEnd) -> CloudSchema {
        do { return try CloudSchema(text: text) } catch { throw .input("\(file):\(error)") }
    }

    /// - Parameter takesAnyApp: also apps that this executable does not know.
    static func parse(_ text: String, file: String, takesAnyApp: Bool = false) -> Result<Scenario, RunEnd> {
        parse(text, file: file, apps: takesAnyApp ? nil : Homeroom.catalogue.manifests)
    }
    /// - Parameter apps: what the scenario may name; nil: any.
    static func parse(_ text: String, file: String, apps: [AppManifest]?) -> Result<Scenario, RunEnd> {
        ScenarioReader.read(
            text: text, file: file, knownApps: apps,
            knownFaults: FaultRegistry.names, knownSettings: CloudSettings.all,
            program: { program($0, of: file) }, refusal: refusal
        )
        .mapError { .input($0.description) }
    }
    /// The app that a declaration declares, which belongs to the catalogue from then on. It lies where the scenario says from its own folder on.
    private static func program(_ name: String, of file: String) -> Result<AppManifest, DeclarationRefusal> {
        let folder = file.lastIndex(of: "/").map { String(file[...$0]) } ?? ""
        let path = name.hasPrefix("/") ? name : folder + name
        do {
            let program = try AppProgram(json: try Folders.read(path, bytesMax: 1 << 20), file: path)
            try Homeroom.catalogue.add(program)
            return .success(program.manifest)
        } catch { return .failure(DeclarationRefusal((error as? RunEnd)?.message ?? "\(error)")) }
    }

    /// The faults of a file for a real network.
    /// - Throws: `RunEnd.input` with every error.
    static func faults(_ text: String, file: String) throws -> FaultFile {
        try ScenarioReader.readFaults(text: text, file: file, knownFaults: FaultRegistry.names, refusal: refusal)
            .mapError { RunEnd.input($0.description) }.get()
    }

    /// Parameters are checked by the faults themselves.
    private static func refusal(of spec: FaultSpec) -> (parameter: String, message: String)? {
        do throws(FaultProblem) {
            _ = try FaultRegistry.make(spec)
        } catch { return (error.parameter, error.message) }
        return isLasting(spec) ? ("until", "it happens at one moment and has no end; give 'at' and no 'until'") : nil
    }

    /// Whether an end is written for an event: for a fault that can be of no length.
    private static func isLasting(_ spec: FaultSpec) -> Bool {
        guard spec.until > spec.from else { return false }
        var moment = spec
        moment.until = spec.from
        return (try? FaultRegistry.make(moment)) != nil
    }
}
