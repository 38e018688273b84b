/// What a folder of Swift sources needs, read without compiling them.
public struct Adoption: Sendable {
    /// By file in the order of paths.
    public var findings: [Finding]
    /// Each module once, by name, with what it is here.
    public var imports: [Import]
    /// Lines of all files.
    public var lines: Int
    /// Lines that only another platform compiles (`#if os(iOS)`).
    public var leftOut: Int
    /// Paths of all sources, sorted.
    public var files: [String]

    /// - Parameters:
    ///   - sources: all of the folder, so that its own types are known.
    ///   - modules: names of the folder's own targets, and of packages that it brings along.
    public init(_ sources: [SourceFile], modules: Set<String> = []) {
        let symbols = Symbols.known()
        let sources = sources.sorted { $0.path < $1.path }
        let readers = sources.map { FileReader($0, symbols: symbols, modules: modules) }
        for reader in readers { symbols.add(authors: reader.declarations) }
        for reader in readers { reader.inferProperties() }
        findings = readers.flatMap { $0.read() }
        lines = sources.reduce(0) {
            $0 + $1.text.split(separator: "\n", omittingEmptySubsequences: false).count
                - ($1.text.hasSuffix("\n") ? 1 : 0)
        }
        leftOut = readers.reduce(0) { $0 + $1.leftOut }
        files = sources.map(\.path)
        var found: [String: [String]] = [:]
        for reader in readers {
            for token in reader.imports where found[token.text]?.last != reader.path {
                found[token.text, default: []].append(reader.path)
            }
        }
        imports = found.sorted { $0.key < $1.key }.map { name, files in
            guard let module = Modules.known.all[name] else {
                let advice =
                    modules.contains(name)
                    ? "yours" : "not known here: add its package to the manifest, if it builds on Linux"
                return Import(module: name, state: .package, files: files, advice: advice)
            }
            return Import(
                module: name, state: Import.State(rawValue: module.state) ?? .missing, files: files,
                advice: module.advice)
        }
    }

    /// Lines of a kind, each once.
    public func lineCount(_ kind: Finding.Kind) -> Int {
        Set(findings.filter { $0.kind == kind }.map { "\($0.file):\($0.line)" }).count
    }
}
