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
        return [
            .buildCommand(
                displayName: "Name Homeroom's classes in \(target.name)", executable: URL(filePath: "/bin/cp"),
                arguments: [source.path, output.path], inputFiles: [source], outputFiles: [output])
        ]
    }
}
