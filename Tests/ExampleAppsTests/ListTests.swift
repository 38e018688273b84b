import Foundation
import Testing

@testable import ExampleApps

@Suite("Example apps") struct ListTests {
    @Test(
        "Each has a name of its own and a real Info.plist with its own bundle identifier",
        arguments: 0..<exampleApps.count)
    func plists(index: Int) throws {
        let declaration = exampleApps[index].declaration
        #expect(exampleApps.filter { $0.declaration.name == declaration.name }.count == 1)
        let folder = try #require(CommandLine.arguments.first.map { URL(filePath: $0).deletingLastPathComponent() })
        let data = try Data(contentsOf: folder.appending(path: declaration.infoPlistPath))
        let plist = try #require(PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any])
        #expect(plist["CFBundleIdentifier"] as? String == "com.example.\(declaration.name)")
        #expect(plist["NSSupportsPurgeableLocalStorage"] as? Bool == true)
        #expect(Set(declaration.actions.map(\.kind)) == Set(declaration.promises.keys))
    }
}
