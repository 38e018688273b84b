/// All types, members and global names that a folder's files can use: its own, Homeroom's, and what is known of Foundation.
final class Symbols {
    struct TypeEntry {
        var keyword = ""
        var supers: [TypeName] = []
        var generics: [String] = []
        var members: [String: [Declaration]] = [:]
        /// All of its members are known: it is the author's or Homeroom's.
        var isWhole = false
        var isAuthors = false
        var unavailable: String?
        var stops: String?
    }
    private(set) var types: [String: TypeEntry] = [:]
    private(set) var globals: [String: [Declaration]] = [:]
    /// What compiles and does less than on an iPad, by place: `CKShare.url`.
    private(set) var differences: [String: String] = [:]

    private init() {}

    /// Homeroom's modules and what is known of Foundation.
    static func known() -> Symbols {
        let symbols = Symbols()
        symbols.add(PackageResources.Foundation_txt.text, isWhole: false)
        symbols.add(PackageResources.Complete_txt.text, isWhole: true)
        for module in [
            PackageResources.PadApp_txt, PackageResources.Ubiquity_txt, PackageResources.UIKit_txt,
            PackageResources.CloudKit_txt,
        ] {
            symbols.add(module.text, isWhole: true)
        }
        for cells in PackageResources.differs_tsv.text.tableRows where cells.count == 2 {
            symbols.differences[cells[0]] = cells[1]
        }
        return symbols
    }
    private func add(_ interface: String, isWhole: Bool) {
        var reader = DeclarationReader(Tokenizer.tokens(interface))
        for declaration in reader.file() { add(declaration, under: "", isWhole: isWhole, isAuthors: false) }
    }
    /// Declarations of the author's own files; their types win over known ones of the same name.
    func add(authors declarations: [Declaration]) {
        for one in declarations where one.kind == .type { forget(one.name) }
        for one in declarations { add(one, under: "", isWhole: true, isAuthors: true) }
    }
    private func forget(_ path: String) {
        guard types[path]?.isAuthors == false else { return }
        for known in types.keys where known == path || known.hasPrefix(path + ".") { types[known] = nil }
    }

    private func add(_ one: Declaration, under path: String, isWhole: Bool, isAuthors: Bool) {
        switch one.kind {
        case .statements: return
        case .type, .extension:
            let full = path.isEmpty ? one.name : "\(path).\(one.name)"
            var entry = types[full] ?? TypeEntry()
            if one.kind == .type {
                (entry.keyword, entry.generics, entry.unavailable, entry.stops) = (
                    one.keyword, one.generics, one.unavailable, one.stops
                )
                (entry.isWhole, entry.isAuthors) = (isWhole, isAuthors)
                if !isWhole { entry.keyword = "" }
            }
            entry.supers += one.supers
            types[full] = entry
            for member in one.members { add(member, under: full, isWhole: isWhole, isAuthors: isAuthors) }
            if one.kind == .type, !path.isEmpty {
                types[path]?.members[one.name.components.last ?? "", default: []].append(one)
            }
        default:
            if path.isEmpty {
                globals[one.name, default: []].append(one)
            } else {
                types[path, default: TypeEntry()].members[one.name, default: []].append(one)
            }
        }
    }

    /// The whole path of a type that a file names, as seen from inside the types around.
    func resolve(_ path: String, in context: [String]) -> String? {
        for outer in context.reversed() {
            var place = outer
            while true {
                if let found = follow("\(place).\(path)") { return found }
                guard let dot = place.lastIndex(of: ".") else { break }
                place = String(place[..<dot])
            }
            for base in supers(of: outer) { if let found = follow("\(base).\(path)") { return found } }
        }
        if let found = follow(path) { return found }
        // `Foundation.URL`
        let parts = path.components
        guard parts.count > 1, Modules.known.all[parts[0]] != nil else { return nil }
        return follow(parts.dropFirst().joined(separator: "."))
    }
    /// Through typealiases.
    private func follow(_ path: String, depth: Int = 0) -> String? {
        if types[path] != nil { return path }
        guard depth < 6 else { return nil }
        let parts = path.components
        for count in stride(from: parts.count, through: 1, by: -1) {
            let (owner, name) = (parts[..<(count - 1)].joined(separator: "."), parts[count - 1])
            let aliases = owner.isEmpty ? globals[name] : types[owner]?.members[name]
            guard let alias = aliases?.first(where: { $0.kind == .typealias }), let target = alias.type?.path,
                target != path
            else { continue }
            let rest = parts[count...].map { "." + $0 }.joined()
            if let found = follow(target + rest, depth: depth + 1) { return found }
            if !owner.isEmpty, let found = follow("\(owner).\(target)\(rest)", depth: depth + 1) { return found }
        }
        return nil
    }

    /// Paths of what a type inherits, nearest first; names of what is not known stand as they are.
    func supers(of path: String) -> [String] {
        var (found, open) = ([String](), types[path]?.supers ?? [])
        while !open.isEmpty {
            guard let name = open.removeFirst().path else { continue }
            let place = resolveSuper(name, of: path)
            guard !found.contains(place), found.count < 60 else { continue }
            found.append(place)
            open += types[place]?.supers ?? []
        }
        return found
    }
    private func resolveSuper(_ name: String, of path: String) -> String {
        var place = path
        while let dot = place.lastIndex(of: ".") {
            place = String(place[..<dot])
            if let found = follow("\(place).\(name)") { return found }
        }
        return follow(name) ?? name
    }

    /// Members of a name in a type and all that it inherits.
    func members(_ name: String, of path: String) -> [Declaration] {
        ([path] + supers(of: path)).flatMap { types[$0]?.members[name] ?? [] }
    }
    /// The type that declares a member which another one inherits.
    func declarer(of member: Declaration, from path: String) -> String {
        ([path] + supers(of: path)).first { types[$0]?.members[member.name]?.contains { $0 === member } ?? false }
            ?? path
    }
    /// Whether nothing of the type is unknown: a name that is not in it does not compile.
    func isWhole(_ path: String) -> Bool {
        guard types[path]?.isWhole ?? false else { return false }
        return supers(of: path).allSatisfy { types[$0]?.isWhole ?? false }
    }
}

extension String {
    /// Of a path of types.
    var components: [String] { split(separator: ".").map(String.init) }
}
