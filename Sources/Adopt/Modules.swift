/// What `import` finds on Linux, and what stands in for what it does not (`Known/modules.tsv`).
struct Modules {
    struct Module {
        var name: String
        /// `linux`, `homeroom` or `missing`.
        var state: String
        /// Modules whose names it brings along on an iPad.
        var brings: [String]
        var advice: String
    }
    let all: [String: Module]

    static let known = Modules(table: PackageResources.modules_tsv.text)
    static let onLinux: Set<String> = Set(known.all.values.filter { $0.state != "missing" }.map(\.name))

    init(table: String) {
        var all: [String: Module] = [:]
        for cells in table.tableRows where cells.count == 4 {
            for name in cells[0].split(separator: " ").map(String.init) {
                all[name] = Module(
                    name: name, state: cells[1], brings: cells[2].split(separator: " ").map(String.init),
                    advice: cells[3])
            }
        }
        self.all = all
    }

    /// A module and all that it brings along.
    func reach(of module: String) -> Set<String> {
        var (found, open): (Set<String>, [String]) = ([], [module])
        while let next = open.popLast() {
            if found.insert(next).inserted { open += all[next]?.brings ?? [] }
        }
        return found
    }
}

/// Names of Apple's frameworks that Linux does not have (`Known/names.tsv`).
struct MissingNames {
    struct Name {
        var module: String
        var advice: String
        var why: String { module == "Foundation" ? "Linux's Foundation does not have it" : "\(module) is not on Linux" }
    }
    private var all: [String: [Name]] = [:]
    static let known = MissingNames(table: PackageResources.names_tsv.text)

    init(table: String) {
        for cells in table.tableRows where cells.count == 3 {
            for name in cells[1].split(separator: " ") {
                all[String(name), default: []].append(Name(module: cells[0], advice: cells[2]))
            }
        }
    }
    /// - Parameter modules: what the file imports, with what that brings along.
    func name(_ name: String, in modules: Set<String>) -> Name? { all[name]?.first { modules.contains($0.module) } }
}

extension [UInt8] {
    var text: String { String(decoding: self, as: UTF8.self) }
}
extension String {
    /// The cells of its lines, without those that begin with `#`.
    var tableRows: [[String]] {
        split(separator: "\n").filter { !$0.hasPrefix("#") }.map { line in
            line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        }
    }
}
