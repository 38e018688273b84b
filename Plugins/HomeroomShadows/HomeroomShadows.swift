import Foundation
import PackagePlugin

/// Puts one file into an app's target that names Homeroom's classes in place of Foundation's, so that the app's own files stay as they are.
///
/// A public name in the app's own module wins over every import, also in files that import Foundation alone. One line in a manifest:
/// `plugins: [.plugin(name: "HomeroomShadows", package: "homeroom")]`.
@main struct HomeroomShadows: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        let source = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Shadows.txt")
        let output = context.pluginWorkDirectoryURL.appending(path: "HomeroomShadows.swift")
        // What the app declares itself means the app's own, as it does on an iPad.
        let own = Self.declared(by: target).map { "^    public typealias \($0) =" } + ["^$"]
        return [
            .buildCommand(
                displayName: "Name Homeroom's classes in \(target.name)", executable: URL(filePath: "/bin/sed"),
                arguments: ["-E", "-n", "-e", "/\(own.joined(separator: "|"))/!w \(output.path)", source.path],
                inputFiles: [source], outputFiles: [output])
        ]
    }

    /// Types that stand at the left edge of the target's files, in alphabetical order.
    private static func declared(by target: any Target) -> [String] {
        guard let target = target.sourceModule else { return [] }
        var names: Set<String> = []
        for file in target.sourceFiles(withSuffix: "swift") {
            guard let text = try? String(contentsOf: file.url, encoding: .utf8) else { continue }
            for line in text.split(separator: "\n") where line.first.map({ $0.isLetter || $0 == "@" }) == true {
                let words = line.split(whereSeparator: { !$0.isLetter && !$0.isNumber && $0 != "_" })
                let kinds: Set<Substring> = ["class", "struct", "enum", "protocol", "typealias", "actor"]
                guard let kind = words.prefix(6).firstIndex(where: kinds.contains), kind + 1 < words.count else {
                    continue
                }
                names.insert(String(words[kind + 1]))
            }
        }
        return names.sorted()
    }
}
