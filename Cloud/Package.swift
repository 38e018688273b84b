// swift-tools-version: 6.2
import PackageDescription

// The server around the reference iCloud, apart from the main package: a build of `homeroom` or a run of its tests never
// compiles a web server (Docs/decisions/0007-the-cloud-server-is-a-package-of-its-own.md).
let strict: [SwiftSetting] = [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)]

let package = Package(
    name: "homeroom-cloud",
    platforms: [.macOS(.v15)],
    products: [.executable(name: "homeroom-cloud", targets: ["homeroom-cloud"])],
    dependencies: [
        .package(name: "homeroom", path: ".."),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.0"),
        .package(url: "https://github.com/apple/swift-certificates", from: "1.0.0"),
        .package(url: "https://github.com/apple/swift-asn1", from: "1.0.0"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.20.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
    ],
    targets: [
        .target(
            name: "CloudServer",
            dependencies: [
                .product(name: "CloudCore", package: "homeroom"), .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "HummingbirdTLS", package: "hummingbird"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "X509", package: "swift-certificates"),
                .product(name: "SwiftASN1", package: "swift-asn1"),
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
            ], swiftSettings: strict),
        // What loads a server over HTTP and judges it: its own client, writers that are killed, malformed requests, figures.
        .target(
            name: "CloudLoad", dependencies: [.product(name: "CloudCore", package: "homeroom")], swiftSettings: strict),
        .executableTarget(
            name: "homeroom-cloud",
            dependencies: [
                "CloudServer", "CloudLoad", .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "CloudServerTests",
            dependencies: [
                "CloudServer", "CloudLoad", .product(name: "CloudConformance", package: "homeroom"),
                .product(name: "HummingbirdTesting", package: "hummingbird"),
                .product(name: "Crypto", package: "swift-crypto"),
            ],
            swiftSettings: strict),
    ]
)

// As in the main package's manifest.
if Context.environment["HOMEROOM_WITHOUT_TESTS"] != nil { package.targets.removeAll { $0.isTest } }
