// swift-tools-version: 6.2
import PackageDescription

// A sync engine as teams write them, and its test on two iPads. Nothing of the engine is changed for the test.
let package = Package(
    name: "twoipads",
    // HOMEROOM_PACKAGE names the package of prebuilt libraries (Scripts/release); without it this one is compiled.
    dependencies: [.package(name: "homeroom", path: Context.environment["HOMEROOM_PACKAGE"] ?? "../..")],
    targets: [
        .target(
            name: "NoteSync", dependencies: [.product(name: "CloudKit", package: "homeroom")],
            swiftSettings: [.swiftLanguageMode(.v6)],
            plugins: [.plugin(name: "HomeroomShadows", package: "homeroom")]),
        // The engine as an app: for the tests, and for a command that plays what they have written down.
        .target(
            name: "NoteApp", dependencies: ["NoteSync", .product(name: "PadApp", package: "homeroom")],
            swiftSettings: [.swiftLanguageMode(.v6)]),
        .executableTarget(
            name: "twoipads", dependencies: ["NoteApp", .product(name: "HomeroomKit", package: "homeroom")],
            swiftSettings: [.swiftLanguageMode(.v6)]),
        .testTarget(
            name: "TwoIPadsTests",
            dependencies: ["NoteApp", .product(name: "HomeroomTesting", package: "homeroom")],
            swiftSettings: [.swiftLanguageMode(.v6)]),
    ])
