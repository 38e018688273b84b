import FleetModel
import Foundation
import PadApp
import Run
import Testing

@testable import HomeroomKit

@Suite("Catalogue", .serialized, .timeLimit(.minutes(20))) struct CatalogueTests {
    /// An app that is only declared; never run.
    @MainActor private final class Declared: PadApp {
        nonisolated(unsafe) static var folder = ""
        nonisolated(unsafe) static var forEveryone: Set<String> = []
        nonisolated static var declaration: AppDeclaration {
            AppDeclaration(
                name: "declared", infoPlistPath: folder + "/Info.plist", entitlementsPath: folder + "/app.entitlements",
                channel: .document, actions: [], promises: ["page": .keepsAll], forEveryone: forEveryone)
        }
        init() {}
        func perform(_ edit: Edit) async throws {}
        func visibleState() async -> VisibleState { VisibleState([]) }
    }
    /// Another of the same Info.plist.
    @MainActor private final class Twin: PadApp {
        nonisolated(unsafe) static var identifier: String?
        nonisolated static var declaration: AppDeclaration {
            AppDeclaration(
                name: "twin", infoPlistPath: Declared.folder + "/Info.plist", bundleIdentifier: identifier,
                channel: .document, actions: [], promises: [:])
        }
        init() {}
        func perform(_ edit: Edit) async throws {}
        func visibleState() async -> VisibleState { VisibleState([]) }
    }
    /// One that says all of itself, and one that says too little.
    @MainActor private final class Bare: PadApp {
        nonisolated(unsafe) static var entitlements: Value?
        nonisolated(unsafe) static var identifier: String?
        nonisolated static var declaration: AppDeclaration {
            AppDeclaration(
                name: "bare", bundleIdentifier: identifier, infoPlist: ["UIBackgroundModes": .strings(["fetch"])],
                entitlements: entitlements, channel: .document, actions: [], promises: [:])
        }
        init() {}
        func perform(_ edit: Edit) async throws {}
        func visibleState() async -> VisibleState { VisibleState([]) }
    }
    private func plist(_ inside: String) -> String { "<plist version=\"1.0\"><dict>\(inside)</dict></plist>" }

    @Test(
        "Entitlements: a wildcard is no name of a container: the app cannot run, and is told why (S45)",
        arguments: ["icloud-container-identifiers", "ubiquity-container-identifiers"])
    func wildcard(key: String) throws {
        func defect(_ name: String) throws -> String? {
            try withFolder { folder in
                Declared.folder = folder.path
                _ = try folder.appending(path: "Info.plist").write(
                    plist("<key>CFBundleIdentifier</key><string>com.example.declared</string>"))
                _ = try folder.appending(path: "app.entitlements").write(
                    plist("<key>com.apple.developer.\(key)</key><array><string>\(name)</string></array>"))
                return Catalogue(apps: [Declared.self]).defect(of: "declared")
            }
        }
        #expect(try defect("iCloud.com.example.declared") == nil)
        let told = try defect("iCloud.com.example.*") ?? ""
        #expect(told.contains("app.entitlements") && told.contains("'iCloud.com.example.*'") && told.contains(key))
    }

    @Test("Bundles: two apps of one identifier would share their data: the second cannot run, and is told why")
    func twins() throws {
        try withFolder { folder in
            Declared.folder = folder.path
            _ = try folder.appending(path: "Info.plist").write(
                plist("<key>CFBundleIdentifier</key><string>com.example.declared</string>"))
            _ = try folder.appending(path: "app.entitlements").write(plist(""))
            let catalogue = Catalogue(apps: [Declared.self, Twin.self])
            #expect(catalogue.defect(of: "declared") == nil)
            let told = catalogue.defect(of: "twin") ?? ""
            #expect(told.contains("'declared'") && told.contains("'twin'") && told.contains("'com.example.declared'"))
            #expect(throws: RunEnd.self) { try catalogue.require(["twin"]) }
        }
    }

    @Test("Apps of closures: each has its manifest and its maker; a name or an identifier that is taken is a defect")
    func engines() {
        func engine(_ name: String, _ bundle: String? = nil) -> EngineApp {
            EngineApp(
                name, bundleIdentifier: bundle, containers: ["iCloud.shared"], isPurgeable: true, build: {},
                shows: { _ in [:] }, writes: { _, _, _ in })
        }
        let catalogue = Catalogue(
            apps: [], engines: [engine("one"), engine("one"), engine("two", "com.example.one"), engine("three")])
        #expect(catalogue.makers.keys.sorted() == ["one", "three", "two"])
        #expect(catalogue.defects.map(\.app) == ["one", "two"])
        #expect(catalogue.defects.last?.message.contains("have the same CFBundleIdentifier") == true)
        let three = catalogue.manifest("three")
        #expect(three?.bundleID == "com.example.three" && three?.isPurgeable == true)
        #expect(three?.actions.map(\.name) == ["write"])
        #expect(three?.recordContainers.contains("iCloud.shared") == true)
    }

    @Test("Bundle identifier in the declaration: takes the place of the Info.plist's, so that two apps share the file")
    func identifier() throws {
        try withFolder { folder in
            (Declared.folder, Twin.identifier) = (folder.path, "com.example.twin")
            defer { Twin.identifier = nil }
            _ = try folder.appending(path: "Info.plist").write(
                plist("<key>CFBundleIdentifier</key><string>com.example.declared</string>"))
            _ = try folder.appending(path: "app.entitlements").write(plist(""))
            let catalogue = Catalogue(apps: [Declared.self, Twin.self])
            #expect(catalogue.defects.isEmpty)
            let manifest = try #require(catalogue.manifest("twin"))
            #expect(manifest.bundleID == "com.example.twin")
            #expect(manifest.infoPlist["CFBundleIdentifier"] == "com.example.twin")
        }
    }

    @Test("For everyone: a kind without a promise is misspelt, and its app cannot run; the others reach the manifest")
    func forEveryone() throws {
        func catalogue(_ kinds: Set<String>) throws -> Catalogue {
            try withFolder { folder in
                (Declared.folder, Declared.forEveryone) = (folder.path, kinds)
                defer { Declared.forEveryone = [] }
                _ = try folder.appending(path: "Info.plist").write(
                    plist("<key>CFBundleIdentifier</key><string>com.example.declared</string>"))
                _ = try folder.appending(path: "app.entitlements").write(plist(""))
                return Catalogue(apps: [Declared.self])
            }
        }
        let declared = try catalogue(["page"])
        #expect(declared.defect(of: "declared") == nil)
        let manifest = try #require(declared.manifest("declared"))
        #expect(manifest.forEveryone == ["page"] && AppManifest(manifest.body) == manifest)
        let told = try catalogue(["paeg"]).defect(of: "declared") ?? ""
        #expect(told.contains("'declared'") && told.contains("'paeg'"))
    }

    @Test("Entitlements: CloudKit's environment is production or development, any other word is refused (S290)")
    func environment() throws {
        let key = "com.apple.developer.icloud-container-environment"
        func defect(_ name: String) throws -> String? {
            try withFolder { folder in
                Declared.folder = folder.path
                _ = try folder.appending(path: "Info.plist").write(
                    plist("<key>CFBundleIdentifier</key><string>com.example.declared</string>"))
                _ = try folder.appending(path: "app.entitlements").write(
                    plist("<key>\(key)</key><string>\(name)</string>"))
                return Catalogue(apps: [Declared.self]).defect(of: "declared")
            }
        }
        #expect(try defect("Production") == nil && defect("Development") == nil)
        let told = try defect("production") ?? ""
        #expect(told.contains("app.entitlements") && told.contains("'production'") && told.contains(key))
    }

    @Test("No files: bundle identifier, keys and entitlements of a declaration count; what is missing or wrong is told")
    func bare() throws {
        let key = "com.apple.developer.icloud-container-identifiers"
        (Bare.identifier, Bare.entitlements) = (
            "com.example.bare", .object(.init([(key, .strings(["iCloud.shared"]))]))
        )
        let catalogue = Catalogue(apps: [Bare.self])
        #expect(catalogue.defect(of: "bare") == nil)
        let manifest = try #require(catalogue.manifest("bare"))
        #expect(manifest.bundleID == "com.example.bare")
        #expect(manifest.infoPlist["UIBackgroundModes"]?.strings == ["fetch"])
        #expect(manifest.infoPlist["CFBundleIdentifier"] == "com.example.bare")
        #expect(manifest.entitlements?[key]?.strings == ["iCloud.shared"])
        Bare.entitlements = .object(.init([(key, .strings(["iCloud.*"]))]))
        #expect(Catalogue(apps: [Bare.self]).defect(of: "bare")?.contains("wildcards are rejected") == true)
        (Bare.identifier, Bare.entitlements) = (nil, nil)
        #expect(
            Catalogue(apps: [Bare.self]).defect(of: "bare")?.contains("give its declaration a bundleIdentifier") == true
        )
        Bare.entitlements = "iCloud.shared"
        Bare.identifier = "com.example.bare"
        #expect(Catalogue(apps: [Bare.self]).defect(of: "bare")?.contains("no keys with values") == true)
    }
}
