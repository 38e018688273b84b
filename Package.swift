// swift-tools-version: 6.2
import PackageDescription

// Warnings are errors everywhere; packages with unsafe flags cannot be depended on, so none is used.
let strict: [SwiftSetting] = [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)]

/// One room of the architecture (Docs/architecture.md); `uses` are the only arrows that may leave it.
func room(_ name: String, uses: [Target.Dependency]) -> Target {
    .target(name: name, dependencies: uses, swiftSettings: strict)
}
func tests(_ name: String, uses: [Target.Dependency], exclude: [String] = []) -> Target {
    .testTarget(
        name: name + "Tests", dependencies: [.byName(name: name)] + uses, exclude: exclude, swiftSettings: strict)
}

let package = Package(
    name: "homeroom",
    products: [
        .executable(name: "homeroom", targets: ["homeroom"]),
        .library(name: "HomeroomKit", targets: ["HomeroomKit"]),
        // Fleets and a fake iCloud for the tests of a package; for test targets only.
        .library(name: "HomeroomTesting", targets: ["HomeroomTesting"]),
        .library(name: "PadApp", targets: ["PadApp"]),
        .library(name: "CloudKit", targets: ["CloudKit", "UIKit", "_Testing_UIKit"]),
        // Names the classes of Ubiquity and CloudKit in an app's own module, so that its files need no other imports.
        .plugin(name: "HomeroomShadows", targets: ["HomeroomShadows"]),
        .library(name: "Ubiquity", targets: ["Ubiquity", "UIKit", "_Testing_UIKit"]),
        // The reference iCloud for the server in Cloud/, which is a package of its own (Docs/decisions).
        .library(name: "CloudCore", targets: ["CloudCore", "Storage", "FleetModel"]),
        // What every way to the reference iCloud has to answer; for the tests here and in Cloud/.
        .library(name: "CloudConformance", targets: ["CloudConformance"]),
    ],
    // Minor versions too are chosen here: a new deprecation in one of them is a warning, and so an error to everybody who links this package.
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", .upToNextMinor(from: "1.8.0")),
        .package(url: "https://github.com/apple/swift-collections", .upToNextMinor(from: "1.6.0")),
        .package(url: "https://github.com/apple/swift-crypto", .upToNextMinor(from: "4.5.0")),
        .package(url: "https://github.com/jpsim/Yams", .upToNextMinor(from: "6.2.0")),
        .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift", .upToNextMinor(from: "0.2.0")),
    ],
    targets: [
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .target(name: "CInterpose"),
        .target(name: "CDispatchLoop", dependencies: ["CInterpose"]),
        .target(name: "CDisk", dependencies: ["CSQLite"]),
        room("FleetModel", uses: []),
        room("DeterministicRuntime", uses: ["CDispatchLoop", "CInterpose"]),
        room("Storage", uses: ["FleetModel", "CDisk", "CSQLite"]),
        room("CloudCore", uses: ["FleetModel", "Storage", .product(name: "Crypto", package: "swift-crypto")]),
        room("PadCore", uses: ["FleetModel", "Storage"]),
        room("PadApp", uses: ["FleetModel", "DeterministicRuntime"]),
        room("SandboxSQLite", uses: ["FleetModel", "PadApp", "DeterministicRuntime", "CDisk", "CSQLite"]),
        .plugin(name: "HomeroomShadows", capability: .buildTool(), exclude: ["Shadows.txt"]),
        // `import os`, `import Network` and their like, for those who depend on Ubiquity.
        .target(name: "CAppleNames", dependencies: ["CDispatchLoop", "CInterpose"]),
        room("Ubiquity", uses: ["PadApp", "CAppleNames"]),
        room("UIKit", uses: ["CloudKit", "Ubiquity"]),
        room("_Testing_UIKit", uses: []),
        room("CloudKit", uses: ["PadApp", "Ubiquity"]),
        room("Nemesis", uses: ["FleetModel"]),
        room(
            "Proxy",
            uses: [
                "FleetModel", "CInterpose", "Nemesis", .product(name: "HeapModule", package: "swift-collections"),
                .product(name: "DequeModule", package: "swift-collections"),
            ]),
        room("Workload", uses: ["FleetModel", .product(name: "Yams", package: "Yams")]),
        room("Shrink", uses: ["FleetModel", "Nemesis", "Workload"]),
        room("Trace", uses: ["FleetModel", .product(name: "Crypto", package: "swift-crypto")]),
        room("Checkers", uses: ["FleetModel"]),
        // The parts of its pages are compiled in: an executable that is copied somewhere has no folder of resources next to it.
        .target(
            name: "Report", dependencies: ["FleetModel", "Trace", "Checkers"], resources: [.embedInCode("Page/Parts")],
            swiftSettings: strict),
        room("Load", uses: ["FleetModel", .product(name: "Histogram", package: "hdrhistogram-swift")]),
        room(
            "Run",
            uses: [
                "FleetModel", "CInterpose", "Nemesis", "Trace",
                .product(name: "HeapModule", package: "swift-collections"),
            ]),
        room(
            "World",
            uses: [
                "FleetModel", "CInterpose", "Nemesis", "Trace", "Run",
                .product(name: "DequeModule", package: "swift-collections"),
            ]),
        room("Live", uses: ["FleetModel", "CInterpose", "CCurl", "Nemesis", "Trace", "Run"]),
        room("ProgramApps", uses: ["FleetModel", "CInterpose", "Run"]),
        .target(
            name: "ExampleApps", dependencies: ["PadApp", "Ubiquity", "CloudKit"], resources: [.copy("InfoPlists")],
            swiftSettings: strict),
        // Its tables and templates are compiled in, like the report's pages.
        .target(
            name: "Adopt", resources: [.embedInCode("Known"), .embedInCode("Templates")], swiftSettings: strict),
        room(
            "HomeroomKit",
            uses: [
                "FleetModel", "CInterpose", "DeterministicRuntime", "Storage", "CloudCore", "PadCore", "PadApp",
                "SandboxSQLite", "ProgramApps", "Nemesis", "Proxy", "Workload", "Run", "World", "Live", "Trace",
                "Checkers", "Report", "Load", "Shrink", "Adopt",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]),
        room(
            "HomeroomTesting",
            uses: [
                "FleetModel", "CInterpose", "DeterministicRuntime", "PadApp", "Run", "World", "Report", "HomeroomKit",
            ]),
        // The example apps are compiled into it once more: its variants are subclasses of what is internal to them.
        .target(
            name: "BugZoo", dependencies: ["HomeroomKit", "PadApp", "Ubiquity", "CloudKit"],
            resources: [.copy("ExampleApps/InfoPlists"), .embedInCode("zoo.tsv")], swiftSettings: strict),
        .executableTarget(
            name: "homeroom", dependencies: ["HomeroomKit", "ExampleApps", "BugZoo"], swiftSettings: strict),
        .executableTarget(
            name: "misbehaving", dependencies: ["HomeroomKit", "PadApp", "Ubiquity"],
            path: "Tests/Fixtures/misbehaving",
            resources: [.copy("InfoPlists")], swiftSettings: strict),
        .executableTarget(
            name: "databases", dependencies: ["HomeroomKit", "PadApp", "Ubiquity", "CSQLite"],
            path: "Tests/Fixtures/databases",
            resources: [.copy("InfoPlists")], swiftSettings: strict),
        .executableTarget(
            name: "dispatching", dependencies: ["HomeroomKit", "CloudKit", "Ubiquity"],
            path: "Tests/Fixtures/dispatching", exclude: ["words.yaml"],
            resources: [.copy("InfoPlists")], swiftSettings: strict),
        .executableTarget(
            name: "zoo", dependencies: ["HomeroomKit", "BugZoo", "FleetModel", "Checkers", "Trace"],
            path: "Tests/Fixtures/zoo", swiftSettings: strict),
        // Files as they are written for an iPad: that they compile is the test.
        .target(
            name: "AppleNamesProbe", dependencies: ["CloudKit", "UIKit"],
            path: "Tests/Fixtures/names",
            swiftSettings: strict, plugins: [.plugin(name: "HomeroomShadows")]),
        tests("FleetModel", uses: []),
        tests("DeterministicRuntime", uses: ["CDispatchLoop", "CInterpose"]),
        tests("Storage", uses: ["FleetModel"]),
        .target(
            name: "CloudConformance",
            dependencies: ["CloudCore", "FleetModel", "Storage", .product(name: "Crypto", package: "swift-crypto")],
            path: "Tests/CloudConformance", swiftSettings: strict),
        tests(
            "CloudCore", uses: ["FleetModel", "Storage", "CloudConformance", .product(name: "Yams", package: "Yams")]),
        tests("PadCore", uses: ["FleetModel", "Storage"]),
        tests("Nemesis", uses: ["FleetModel"]),
        tests("Proxy", uses: ["FleetModel", "Nemesis", "CInterpose"]),
        tests("Workload", uses: ["FleetModel", "Mutator"]),
        tests("Shrink", uses: ["FleetModel", "Nemesis", "Workload"]),
        tests("Trace", uses: ["FleetModel", "Mutator"]),
        tests("Checkers", uses: ["FleetModel"]),
        tests("Report", uses: ["FleetModel", "Checkers", "Trace"]),
        tests("Load", uses: ["FleetModel"]),
        tests("Adopt", uses: []),
        .target(name: "RawServer", path: "Tests/RawServer", swiftSettings: strict),
        .target(name: "StubProgram", path: "Tests/StubProgram", exclude: ["stub"], swiftSettings: strict),
        tests("Run", uses: ["FleetModel", "Nemesis", "Trace"]),
        tests("ProgramApps", uses: ["FleetModel"]),
        tests("World", uses: ["FleetModel", "Nemesis", "Workload", "Trace", "Run"]),
        tests("Live", uses: ["FleetModel", "Nemesis", "Workload", "Trace", "Run", "RawServer", "StubProgram"]),
        tests(
            "CloudKit", uses: ["PadApp", "FleetModel", "DeterministicRuntime", "PadCore", "CloudCore", "Storage"],
            exclude: ["symbols.tsv"]),
        // The engine of an example, as the example itself has it.
        .target(
            name: "NoteSync", dependencies: ["CloudKit"], path: "Examples/TwoIPads/Sources/NoteSync",
            swiftSettings: strict,
            plugins: ["HomeroomShadows"]),
        tests("HomeroomTesting", uses: ["NoteSync", "CloudKit", "FleetModel", "HomeroomKit", "Nemesis", "Workload"]),
        // What an app takes along to record on real iPads (Docs/field-log.md): that it compiles without anything else is a test.
        .target(name: "FieldLog", path: "Recorder", swiftSettings: strict),
        .target(name: "Mutator", dependencies: ["FleetModel"], path: "Tests/Mutator", swiftSettings: strict),
        .target(name: "PadDouble", dependencies: ["PadApp"], path: "Tests/PadDouble", swiftSettings: strict),
        tests(
            "SandboxSQLite", uses: ["FleetModel", "DeterministicRuntime", "PadApp", "PadCore", "Storage", "CSQLite"]),
        tests(
            "Ubiquity",
            uses: ["PadDouble", "UIKit", "_Testing_UIKit", "CAppleNames"]),
        tests("ExampleApps", uses: ["Ubiquity", "PadDouble"]),
        tests(
            "HomeroomKit",
            uses: [
                "FleetModel", "Trace", "Report", "Load", "Nemesis", "Workload", "Run", "Checkers", "Shrink", "Mutator",
                "ExampleApps", "homeroom", "FieldLog",
                "misbehaving", "databases", "dispatching", "zoo", "RawServer", "StubProgram",
                .product(name: "Yams", package: "Yams"),
            ]),
    ]
)

// An image of the programs is built without what only tests need (Dockerfile).
if Context.environment["HOMEROOM_WITHOUT_TESTS"] != nil {
    package.targets.removeAll {
        $0.isTest || $0.path?.hasPrefix("Tests/") == true || ["NoteSync", "FieldLog"].contains($0.name)
    }
    package.products.removeAll { $0.name == "CloudConformance" }
}
