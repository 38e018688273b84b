import Adopt
import FleetModel
import Foundation
import Run

/// The package that `adopt --write` makes: nothing that exists is touched.
struct WrittenPackage {
    let folder: String
    let name: String
    let homeroom: String
    /// Whether `homeroom` is a package of prebuilt libraries that was found, not asked for.
    let isPrebuilt: Bool

    /// - Parameter source: whether the checkout's sources are taken where prebuilt libraries are at hand.
    /// - Throws: `RunEnd.input` before anything is written.
    init(folder: String, name: String?, homeroom: String?, source: Bool) throws {
        self.folder = folder
        self.name = name ?? URL(filePath: folder).lastPathComponent
        guard !FileManager.default.fileExists(atPath: folder) else {
            throw RunEnd.input(
                "\(folder): there is something of this name already, and nothing is overwritten; name a folder that does not exist"
            )
        }
        if let problem = NewPackage.problem(name: self.name) {
            throw RunEnd.input(
                "\(self.name) cannot be the name of a Swift package: \(problem); give another one with --name")
        }
        let prebuilt = source ? nil : Self.prebuilt
        isPrebuilt = homeroom == nil && prebuilt != nil
        self.homeroom = try homeroom.map(Self.absolute) ?? prebuilt ?? Self.checkout
    }
    private static func absolute(_ homeroom: String) -> String {
        homeroom.contains("://") ? homeroom : URL(filePath: homeroom).standardizedFileURL.path
    }

    /// The package of prebuilt libraries (Scripts/release) that this executable belongs to, or that its checkout has; nil if neither is there.
    private static var prebuilt: String? {
        let executable = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        let own = executable.deletingLastPathComponent().deletingLastPathComponent()
        return [own, source.appending(path: ".homeroom/prebuilt/homeroom")].map(\.path).first {
            FileManager.default.fileExists(atPath: $0 + "/prebuilt.json")
        }
    }
    private static var source: URL {
        var folder = URL(filePath: #filePath)
        for _ in 0..<4 { folder.deleteLastPathComponent() }
        return folder
    }

    /// The checkout that this executable was built from.
    private static var checkout: String {
        get throws {
            let folder = source
            guard FileManager.default.fileExists(atPath: folder.appending(path: "Package.swift").path) else {
                throw RunEnd.input(
                    "the checkout that this command was built from is gone; say with --homeroom where Homeroom is")
            }
            return folder.path
        }
    }

    /// - Returns: paths of what was written.
    func write(_ adoption: Adoption, sources: String) throws -> [String] {
        let package = NewPackage(name: name, homeroom: homeroom, channel: adoption.channel)
        var written: [String] = []
        for file in package.files {
            let place = "\(folder)/\(file.path)"
            try put(place) {
                try FileManager.default.createDirectory(
                    atPath: URL(filePath: place).deletingLastPathComponent().path, withIntermediateDirectories: true)
                try Data(file.text.utf8).write(to: URL(filePath: place), options: .withoutOverwriting)
            }
            written.append(place)
        }
        // A link: the author's files stay where they are, and stay one.
        let link = "\(folder)/Sources/\(name)/Adopted"
        try put(link) {
            try FileManager.default.createSymbolicLink(
                atPath: link,
                withDestinationPath: URL(filePath: sources).standardizedFileURL.resolvingSymlinksInPath().path)
        }
        return written + [link]
    }
    private func put(_ place: String, _ body: () throws -> Void) throws {
        do { try body() } catch {
            throw RunEnd.input("cannot write \(place): \(error.localizedDescription); choose another --write")
        }
    }

    /// What to do now.
    var next: String {
        (isPrebuilt ? "uses   the prebuilt libraries in \(homeroom); --source takes the sources\n" : "")
            + "next  change the lines above, fill in \(folder)/Sources/\(name)/\(name)App.swift, then: cd \(folder) && swift run \(name) run Fleet/first.yaml"
    }
}
