/// The files of a package around an author's sources: manifest, adapter, entry, a first scenario. Plain values; somebody else writes them.
public struct NewPackage: Sendable {
    /// One file to be written.
    public struct File: Equatable, Sendable {
        /// In the package's folder.
        public var path: String
        /// Its whole text, marks filled in.
        public var text: String
    }
    /// In the order in which a reader meets them: manifest, entry, adapter, Info.plist, first scenario.
    public var files: [File]

    /// - Parameters:
    ///   - name: of package, target and executable; `isGood(name:)`.
    ///   - homeroom: where the package of Homeroom is: a path or a URL.
    ///   - channel: what carries the edits, as far as the sources say it.
    public init(name: String, homeroom: String, channel: String) {
        let lower = name.lowercased()
        let dependency =
            homeroom.contains("://")
            ? #".package(url: "\#(homeroom)", branch: "main")"# : #".package(name: "homeroom", path: "\#(homeroom)")"#
        func file(_ path: String, _ template: [UInt8]) -> File {
            var text = template.text
            for (mark, value) in [
                ("__NAME__", name), ("__name__", lower), ("__HOMEROOM__", dependency), ("__MODE__", "v5"),
                ("__CHANNEL__", channel),
            ] { text = text.replacing(mark, with: value) }
            return File(path: path, text: text)
        }
        files = [
            file("Package.swift", PackageResources.Package_swift_txt),
            file("Sources/\(name)/main.swift", PackageResources.main_swift_txt),
            file("Sources/\(name)/\(name)App.swift", PackageResources.Adapter_swift_txt),
            file("Sources/\(name)/InfoPlists/\(lower)/Info.plist", PackageResources.Info_plist_txt),
            file("Fleet/first.yaml", PackageResources.first_yaml_txt),
        ]
    }

    /// Why a name cannot be that of a Swift module; nil if it can.
    public static func problem(name: String) -> String? {
        let keywords: Set = [
            "class", "struct", "enum", "func", "import", "let", "var", "self", "Self", "Any", "Type", "protocol",
            "extension", "if", "else",
            "for", "in", "while", "do", "case", "switch", "default", "return", "throw", "try", "true", "false", "nil",
            "as", "is", "super",
            "init", "deinit", "where", "public", "private", "internal", "static", "operator", "repeat", "guard",
            "defer", "break", "continue",
            "actor", "await", "async", "inout", "associatedtype", "typealias", "subscript", "Swift", "Foundation",
            "CloudKit", "Ubiquity",
            "PadApp", "HomeroomKit", "Dispatch", "Testing",
        ]
        guard let first = name.utf8.first else { return "it is empty" }
        let isLetter = { (byte: UInt8) in (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7A }
        guard isLetter(first) else { return "it has to begin with a letter" }
        guard name.utf8.allSatisfy({ isLetter($0) || $0 == 0x5F || $0 >= 0x30 && $0 <= 0x39 }) else {
            return "it may have letters, digits and _ only"
        }
        return keywords.contains(name) ? "Swift or a module of this package uses this word" : nil
    }
}

extension Adoption {
    /// What carries the edits, by what the sources name most.
    public var channel: String {
        let has = { (module: String) in imports.contains { $0.module == module } }
        return has("CloudKit") ? "record" : "keyValue"
    }
}
