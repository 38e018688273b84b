import FleetModel
import Foundation
import Testing

@Suite("adopt", .timeLimit(.minutes(20))) struct AdoptTests {
    private static let source = """
        import CloudKit
        import Combine

        final class Store {
            var loading: AnyCancellable?
            func go(_ database: CKDatabase) {
                UIApplication.shared.applicationIconBadgeNumber = 1
                UIApplication.shared.applicationIconBadgeNumber = 2
            }
        }
        """

    private func made(_ name: String, in folder: URL) throws -> URL {
        let place = folder.appending(path: name)
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        return place
    }

    @Test("adopt: each line with place, reason and advice, once a file; a line that sums it up; exit status 1")
    func listing() throws {
        try withFolder { folder in
            _ = try folder.appending(path: "Store.swift").write(Self.source)
            let run = try CommandLineRun.of(["adopt", "."], in: folder)
            #expect(run.status == 1)
            #expect(
                run.output == """
                    imports
                      CloudKit  here: the product CloudKit
                      Combine   missing in 1 file: use AsyncStream, closures or @Observable

                    Store.swift: 4 lines to change
                       2:8  import Combine                            no module of this name on Linux
                              -> use AsyncStream, closures or @Observable
                      5:18  AnyCancellable                            Combine is not on Linux
                      7:30  UIApplication.applicationIconBadgeNumber  UIApplication has no applicationIconBadgeNumber here
                              -> remove it: nobody sees these iPads
                      8:30  UIApplication.applicationIconBadgeNumber  UIApplication has no applicationIconBadgeNumber here

                    adopt: 10 lines, 2 imports, 4 lines to change: UIApplication.applicationIconBadgeNumber (2), AnyCancellable, import Combine

                    """)
        }
    }

    @Test("adopt --json: an object that its schema knows; sources that need nothing give exit status 0")
    func json() throws {
        try withFolder { folder in
            _ = try folder.appending(path: "Store.swift").write(Self.source)
            let run = try CommandLineRun.of(["adopt", ".", "--json"], in: folder)
            let value = try Value(json: Array(run.output.utf8))
            #expect(try SchemaCheck.problems(of: value, "adopt") == [])
            #expect(run.status == 1 && value["findings"]?.array?.count == 4 && value["lines"]?.int == 10)
            _ = try folder.appending(path: "Store.swift").write("import CloudKit\n")
            let clean = try CommandLineRun.of(["adopt", "Store.swift"], in: folder)
            #expect(clean.status == 0 && clean.output.hasSuffix("adopt: 1 line, 1 import, nothing to change\n"))
        }
    }

    @Test(
        "adopt: no folder, no Swift file, a name that cannot be: exit status 3 with what to do, and nothing is written")
    func badInput() throws {
        try withFolder { folder in
            _ = try made("App", in: folder).appending(path: "Store.swift").write(Self.source)
            _ = try made("empty", in: folder).appending(path: "notes.txt").write("")
            for (arguments, words) in [
                (["adopt", "nowhere"], "there is no such file or folder"),
                (["adopt", "empty"], "there is no Swift file in it"),
                (["adopt", "App", "--write", "class"], "cannot be the name of a Swift package"),
                (["adopt", "App", "--write", "1st"], "it has to begin with a letter"),
                (["adopt", "App", "--write", "empty"], "nothing is overwritten"),
            ] {
                let run = try CommandLineRun.of(arguments, in: folder)
                #expect(run.status == 3 && run.errors.contains(words), "\(arguments): \(run.errors)")
            }
            let left = try FileManager.default.subpathsOfDirectory(atPath: folder.path).sorted()
            #expect(left == ["App", "App/Store.swift", "empty", "empty/notes.txt"])
        }
    }

    @Test("adopt --write: a package with a link to the sources, whose places are filled in; a second time it refuses")
    func write() throws {
        try withFolder { folder in
            _ = try made("App", in: folder).appending(path: "Store.swift").write("import CloudKit\n")
            let arguments = ["adopt", "App", "--write", "Notes", "--homeroom", "https://example.com/homeroom.git"]
            let run = try CommandLineRun.of(arguments, in: folder)
            #expect(run.status == 0, "\(run.errors)")
            func text(_ path: String) throws -> String {
                try String(contentsOf: folder.appending(path: "Notes/\(path)"), encoding: .utf8)
            }
            for path in [
                "Package.swift", "Sources/Notes/main.swift", "Sources/Notes/NotesApp.swift",
                "Sources/Notes/InfoPlists/notes/Info.plist", "Fleet/first.yaml",
            ] { #expect(try !text(path).contains("__"), "\(path)") }
            #expect(
                try text("Package.swift").contains(
                    #".package(url: "https://example.com/homeroom.git", branch: "main")"#))
            #expect(try text("Sources/Notes/Adopted/Store.swift") == "import CloudKit\n")
            #expect(try CommandLineRun.of(arguments, in: folder).status == 3)
        }
    }

    @Test("new-app: refuses bad names and folders that exist; what it makes has no place left open")
    func newApp() throws {
        try withFolder { folder in
            let script = CommandLineRun.package.appending(path: "Scripts/new-app").path
            for (arguments, words) in [
                ([], "say how the app is called"), (["1st"], "begins with a letter"), (["a/b"], "begins with a letter"),
                (["class"], "uses this word"),
                (["Try", "nowhere"], "is not a folder"), (["Try", ".", "--homeroom", "here"], "is not a URL"),
                (["Try", "--fast"], "is not an option"),
            ] {
                let run = try CommandLineRun.of(arguments, by: script, in: folder)
                #expect(run.status == 3 && run.errors.contains(words), "\(arguments): \(run.errors)")
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
            let made = try CommandLineRun.of(["Try"], by: script, in: folder)
            #expect(made.status == 0 && made.output.contains("swift run Try run Fleet/first.yaml"), "\(made.errors)")
            let files = try FileManager.default.subpathsOfDirectory(atPath: folder.appending(path: "Try").path).sorted()
            for path in [
                ".github/workflows/homeroom.yml", "Package.swift", "Sources/Try/TryApp.swift", "README.md",
                "Fleet/first.yaml",
            ] {
                #expect(files.contains(path))
                #expect(
                    try !String(contentsOf: folder.appending(path: "Try/\(path)"), encoding: .utf8).contains("__NAME"),
                    "\(path)")
            }
            #expect(try CommandLineRun.of(["Try"], by: script, in: folder).errors.contains("nothing is overwritten"))
            #expect(
                try CommandLineRun.of(["validate", "Try/Fleet/first.yaml"], in: folder).errors.contains("unknown app"))
        }
    }

    @Test(
        "new-app in a folder of prebuilt libraries: the package names that folder; another compiler, and --source, are refused"
    )
    func prebuilt() throws {
        try withFolder { folder in
            let package = folder.appending(path: "homeroom")
            for path in ["Scripts/new-app", "Sources/Adopt/Templates", "Sources/Adopt/NewPackage.swift"] {
                let place = package.appending(path: path)
                try FileManager.default.createDirectory(
                    at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
                try FileManager.default.copyItem(at: CommandLineRun.package.appending(path: path), to: place)
            }
            let script = package.appending(path: "Scripts/new-app").path
            func built(by swift: String, on machine: String) throws {
                let text = #"{"commit":"0123456789","swift":"\#(swift)","architecture":"\#(machine)"}"#
                _ = try package.appending(path: "prebuilt.json").write(text)
            }
            try built(by: "5.1.2", on: "pdp11")
            let wrong = try CommandLineRun.of(["Try"], by: script, in: folder)
            #expect(wrong.status == 3 && wrong.errors.contains("for Swift 5.1.2 on pdp11, and here is Swift"))
            let version = try CommandLineRun.of(
                ["-c", "swift --version 2>/dev/null | grep -o 'Swift version [0-9.]*'; uname -m"], by: "/bin/bash",
                in: folder
            ).output.split(whereSeparator: \.isWhitespace)
            try built(by: String(try #require(version.dropFirst(2).first)), on: String(try #require(version.last)))
            let source = try CommandLineRun.of(["Try", "--source"], by: script, in: folder)
            #expect(source.status == 3 && source.errors.contains("there are no sources here"))
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["homeroom"])
            let made = try CommandLineRun.of(["Try"], by: script, in: folder)
            #expect(made.output.contains("prebuilt libraries of commit 0123456 in "), "\(made.output)\(made.errors)")
            let manifest = try String(contentsOf: folder.appending(path: "Try/Package.swift"), encoding: .utf8)
            #expect(manifest.contains(#"path: "\#(package.path)""#), "\(manifest)")
        }
    }
}
