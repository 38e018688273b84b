// swift-tools-version: 6.2
import PackageDescription

// An app as people write it today: GRDB keeps what a person sees, CKSyncEngine carries it. Nothing of either is changed.
let package = Package(
    name: "flashcards",
    dependencies: [
        .package(name: "homeroom", path: "../.."),
        .package(url: "https://github.com/groue/GRDB.swift", .upToNextMinor(from: "7.10.0")),
    ],
    targets: [
        .executableTarget(
            name: "flashcards",
            dependencies: [
                .product(name: "HomeroomKit", package: "homeroom"), .product(name: "CloudKit", package: "homeroom"),
                .product(name: "Ubiquity", package: "homeroom"),
                .product(name: "GRDB", package: "GRDB.swift"),
            ],
            resources: [.copy("InfoPlists")], swiftSettings: [.swiftLanguageMode(.v6)],
            plugins: [.plugin(name: "HomeroomShadows", package: "homeroom")])
    ])
