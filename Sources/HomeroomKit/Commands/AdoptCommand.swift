import Adopt
import ArgumentParser
import FleetModel
import Foundation
import Run

/// `homeroom adopt PATH`: what a folder of Swift sources needs, before anything is compiled.
struct AdoptCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "adopt",
        abstract:
            "Read Swift sources without compiling them: what is here, what is missing, on which line, what to do.",
        discussion: """
            Exit status: 0 nothing is to be changed, 1 something is, 3 bad input. Docs/adopt.md tells how to go on.
            """)

    @Argument(help: "A folder of Swift sources, or a file.") var path: String
    @Option(help: "Make a package around the sources: this folder must not exist yet.") var write: String?
    @Option(help: "Name of that package; default: that of its folder.") var name: String?
    @Option(
        help:
            "Where that package finds Homeroom: a folder or a URL; default: prebuilt libraries (Scripts/release) where they are, else the checkout that this command was built from."
    )
    var homeroom: String?
    @Flag(help: "Let that package compile Homeroom's sources where prebuilt libraries are at hand.") var source = false
    @Flag(help: .hidden) var interface = false
    @OptionGroup var json: JSONOption

    func run() throws {
        let sources = try AdoptedFolder(path)
        if interface { return print(Interface.text(of: sources.files.map(\.text)), terminator: "") }
        let package = try write.map { try WrittenPackage(folder: $0, name: name, homeroom: homeroom, source: source) }
        let adoption = Adoption(sources.files, modules: sources.modules)
        let status: ExitStatus = adoption.findings.contains { $0.kind != .differs } ? .unexpected : .asExpected
        let listing = AdoptListing(adoption, folder: path)
        for line in listing.lines { say(line) }
        let written = try package?.write(adoption, sources: path) ?? []
        for file in written { say("wrote  \(file)") }
        say(listing.summary, status == .asExpected ? .good : .open)
        if let package { say(package.next) }
        JSONOutput.print("adopt", status, listing.value(written: written))
        throw ExitCode(status)
    }
}

/// The Swift files of a folder, without what tools put there.
struct AdoptedFolder {
    private(set) var files: [SourceFile] = []
    /// Names of folders: targets that the sources may import.
    private(set) var modules: Set<String> = []
    private static let passedOver: Set = ["Pods", "Carthage", "DerivedData", "Package.swift"]

    init(_ path: String) throws {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            throw RunEnd.input(
                "\(path): there is no such file or folder; name the folder that holds the app's Swift files")
        }
        guard isFolder.boolValue else {
            files = [SourceFile(path: path, text: try Folders.read(path))]
            return
        }
        try read(path, under: "")
        guard !files.isEmpty else {
            throw RunEnd.input("\(path): there is no Swift file in it; name the folder that holds the app's sources")
        }
    }
    private mutating func read(_ root: String, under folder: String) throws {
        let place = folder.isEmpty ? root : "\(root)/\(folder)"
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: place) else {
            throw RunEnd.input("\(place): the folder cannot be read; check its permissions")
        }
        for name in names.sorted() where !name.hasPrefix(".") && !Self.passedOver.contains(name) {
            let inside = folder.isEmpty ? name : "\(folder)/\(name)"
            var isFolder: ObjCBool = false
            if FileManager.default.fileExists(atPath: "\(root)/\(inside)", isDirectory: &isFolder), isFolder.boolValue {
                modules.insert(name)
                try read(root, under: inside)
            } else if name.hasSuffix(".swift") {
                files.append(SourceFile(path: inside, text: try Folders.read("\(root)/\(inside)")))
            }
        }
    }
}
