import FleetModel
import Yams

/// Reads scenario files. Everything is checked before anything runs, and all errors are told at once.
public enum ScenarioReader {
    /// Longest file that is read, in bytes.
    public static let bytesMax = 1 << 20

    /// What a fault refuses of its specification: the parameter (or `from`, `until`, `ipads`) and what would be right; nil: nothing.
    public typealias FaultRefusal = (FaultSpec) -> (parameter: String, message: String)?
    /// Finds the app that a file declares, named as the scenario names it.
    public typealias ProgramFinder = (_ path: String) -> Result<AppManifest, DeclarationRefusal>

    /// - Parameters:
    ///   - file: the name that errors carry.
    ///   - knownApps: apps of this executable; their actions are what people may do. Nil: whatever the file names, for who reads the
    ///     scenario of a run that somebody else's executable has played.
    ///   - knownFaults: names of registered faults.
    ///   - knownSettings: what of the Cloud can be set.
    ///   - program: declarations of programs are read by who knows where the file lies.
    ///   - refusal: parameters are left to the faults, which this room does not know.
    /// - Returns: the scenario, or every error with its line and column. Never traps, whatever the text is.
    public static func read(
        text: String, file: String, knownApps: [AppManifest]?, knownFaults: [String],
        knownSettings: [Switches.Switch] = [],
        program: @escaping ProgramFinder = { _ in .failure(DeclarationRefusal("programs cannot be used here")) },
        refusal: @escaping FaultRefusal = { _ in nil }
    ) -> Result<Scenario, ScenarioErrors> {
        let problems = Problems(file: file)
        guard let root = parse(text, problems) else { return .failure(problems.sorted) }
        let reading = Reading(
            problems: problems, knownApps: knownApps, knownFaults: knownFaults, knownSettings: knownSettings,
            program: program, refusal: refusal)
        let scenario = reading.scenario(Field(root, name: Field.top, problems: problems))
        guard problems.errors.isEmpty, let scenario else {
            if problems.errors.isEmpty { problems.add(FilePlace(line: 1, column: 1), "the scenario is incomplete") }
            return .failure(problems.sorted)
        }
        return .success(scenario)
    }

    static func parse(_ text: String, _ problems: Problems) -> Node? {
        let start = FilePlace(line: 1, column: 1)
        guard text.utf8.count <= bytesMax else {
            problems.add(start, "the file has \(text.utf8.count) bytes; a scenario has at most \(bytesMax)")
            return nil
        }
        if let place = anchor(in: text) {
            problems.add(
                place, "anchors and aliases (&name, *name) are not part of scenario files; write the value out")
            return nil
        }
        do {
            // Without a resolver: types are read by this room, and the environment has no say in the encoding.
            let parser = try Parser(yaml: text, resolver: .basic, encoding: .utf8)
            if let root = try parser.singleRoot() { return root }
            problems.add(start, "the file is empty; begin a scenario with 'name:', faults alone with 'faults:'")
        } catch {
            let (place, message) = explain(error, in: text)
            problems.add(place, message)
        }
        return nil
    }

    private static func explain(_ error: any Error, in text: String) -> (FilePlace, String) {
        let start = FilePlace(line: 1, column: 1)
        switch error as? YamlError {
        case .scanner(let context, let problem, let mark, _), .parser(let context, let problem, let mark, _),
            .composer(let context, let problem, let mark, _):
            return (place(mark), "not YAML: \(context.map { "\($0.text), " } ?? "")\(problem)")
        case .reader(let problem, let offset, _, let yaml):
            let before = yaml.prefix(offset ?? 0).split(separator: "\n", omittingEmptySubsequences: false)
            let place = FilePlace(line: max(1, before.count), column: (before.last?.count ?? 0) + 1)
            return (place, "not YAML: \(problem)")
        case .duplicatedKeysInMapping(let keys, let context):
            let first = place(context.mark)
            let message = "the key '\(keys.joined(separator: "', '"))' occurs twice in one mapping"
            guard let second = repetition(of: keys[0], at: context.mark, in: text) else { return (first, message) }
            return (second, "\(message), first at \(first)")
        default: return (start, "not YAML: \(error)")
        }
    }
    private static func place(_ mark: Yams.Mark) -> FilePlace {
        FilePlace(line: max(1, mark.line), column: max(1, mark.column))
    }

    /// The first thing that looks like an anchor or alias: they allow a small file to mean a huge one.
    private static func anchor(in text: String) -> FilePlace? {
        var (line, column) = (1, 0)
        var previous = UInt8(ascii: " ")
        var opened = false
        for byte in text.utf8 {
            if opened, isName(byte) { return FilePlace(line: line, column: column) }
            // Continuation bytes of UTF-8 do not count: columns are characters, as in YAML's own marks.
            if byte & 0xc0 != 0x80 { column += 1 }
            opened = (byte == UInt8(ascii: "*") || byte == UInt8(ascii: "&")) && startsToken(previous)
            if byte == UInt8(ascii: "\n") { (line, column) = (line + 1, 0) }
            previous = byte
        }
        return nil
    }
    private static func startsToken(_ previous: UInt8) -> Bool { " \t\r\n[{,:-?".utf8.contains(previous) }
    private static func isName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}
