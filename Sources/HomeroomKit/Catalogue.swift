import FleetModel
import Foundation
import PadApp
import ProgramApps
import Run

/// The apps that an executable knows, with their Info.plists read.
///
/// A broken app is in it like the others, so that its scenarios and traces can be read; what wants to run it asks `require` first.
struct Catalogue {
    /// Why an app cannot run.
    struct Defect: Hashable {
        var app: AppName
        /// The file and what to do about it.
        var message: String
    }

    /// What makes each app's delegate, at each launch.
    private(set) var makers: [AppName: AppMaker] = [:]
    /// Classes whose methods the iPad calls; none for engines and programs.
    private(set) var delegates: [AppName: Any.Type] = [:]
    /// Apps that are no part of this executable: the scenarios that were read declare them.
    private(set) var programs: [AppName: AppProgram] = [:]
    /// In the order in which they were given.
    var manifests: [AppManifest] = []
    private(set) var defects: [Defect] = []

    static let empty = Catalogue()
    private init() {}

    init(apps: [any PadApp.Type], engines: [EngineApp] = []) {
        var owners: [String: AppName] = [:]
        for type in apps {
            let declaration = type.declaration
            guard take(declaration.name, { type.init() }) else { continue }
            delegates[declaration.name] = type.delegateType
            var manifest = AppManifest(
                name: declaration.name, bundleID: "", infoPlist: .empty, actions: declaration.actions,
                promises: declaration.promises, forEveryone: declaration.forEveryone, shared: declaration.shared,
                channel: declaration.channel)
            do throws(RunEnd) {
                try Self.check(declaration)
                (manifest.bundleID, manifest.infoPlist) = try Self.bundle(declaration)
                try Self.own(manifest, &owners)
                manifest.entitlements = try Self.entitlements(declaration)
            } catch {
                defects.append(Defect(app: declaration.name, message: error.message))
            }
            manifests.append(manifest)
        }
        for engine in engines where take(engine.name, engine.make) {
            do throws(RunEnd) { try Self.own(engine.manifest, &owners) } catch {
                defects.append(Defect(app: engine.name, message: error.message))
            }
            manifests.append(engine.manifest)
        }
    }
    /// - Returns: false for an app whose name is taken; the defect says so.
    private mutating func take(_ name: AppName, _ maker: @escaping AppMaker) -> Bool {
        guard makers.updateValue(maker, forKey: name) != nil else { return true }
        defects.append(Defect(app: name, message: "two apps are called '\(name)': give each its own name"))
        return false
    }
    private static func own(_ manifest: AppManifest, _ owners: inout [String: AppName]) throws(RunEnd) {
        guard let owner = owners.updateValue(manifest.name, forKey: manifest.bundleID) else { return }
        throw .input(
            "the apps '\(owner)' and '\(manifest.name)' have the same CFBundleIdentifier '\(manifest.bundleID)' and would overwrite each other's data: give each an Info.plist with one of its own, or a 'bundleIdentifier' in its declaration"
        )
    }

    /// Takes in a program that a scenario declares; several scenarios may declare the same one.
    /// - Throws: `ProgramProblem` for a name or bundle identifier that another app has.
    mutating func add(_ program: AppProgram) throws(ProgramProblem) {
        let manifest = program.manifest
        if let present = programs[manifest.name] {
            guard present.isSame(as: program) else {
                throw ProgramProblem(
                    "\(program.file): '\(manifest.name)' is declared otherwise in \(present.file); give each app its own name"
                )
            }
            return
        }
        if makers[manifest.name] != nil {
            throw ProgramProblem(
                "\(program.file): '\(manifest.name)' is the name of an app of this executable; choose another one")
        }
        if let owner = manifests.first(where: { $0.bundleID == manifest.bundleID }) {
            throw ProgramProblem(
                "\(program.file): the app '\(owner.name)' has the bundle identifier '\(manifest.bundleID)' too and would overwrite its data; choose another one"
            )
        }
        if let message = Self.fault(inEntitlements: manifest.entitlements ?? .empty, app: manifest.name) {
            throw ProgramProblem("\(program.file): \(message)")
        }
        programs[manifest.name] = program
        manifests.append(manifest)
    }

    func manifest(_ name: AppName) -> AppManifest? { manifests.first { $0.name == name } }

    func defect(of name: AppName) -> String? { defects.first { $0.app == name }?.message }

    /// - Throws: `RunEnd.input` when one of the apps cannot run.
    func require(_ names: [AppName]) throws(RunEnd) {
        let found = names.compactMap(defect)
        guard found.isEmpty else { throw .input(found.joined(separator: "\n")) }
    }

    /// A kind that is misspelt would make what everybody may read a leak.
    private static func check(_ declaration: AppDeclaration) throws(RunEnd) {
        for kind in declaration.forEveryone.sorted() where declaration.promises[kind] == nil {
            throw .input(
                "the app '\(declaration.name)' declares the kind '\(kind)' as for everyone and promises nothing for it; add its promise"
            )
        }
        for kind in declaration.shared.sorted() {
            guard declaration.promises[kind] != nil else {
                throw .input(
                    "the app '\(declaration.name)' declares the kind '\(kind)' as shared and promises nothing for it; add its promise"
                )
            }
            guard !declaration.forEveryone.contains(kind) else {
                throw .input(
                    "the app '\(declaration.name)' declares the kind '\(kind)' as shared and as for everyone; take it out of one of them"
                )
            }
        }
    }

    private static func bundle(_ declaration: AppDeclaration) throws(RunEnd) -> (id: String, infoPlist: Value) {
        let path = declaration.infoPlistPath.map(resolved)
        var plist = try merged(
            try path.map { path throws(RunEnd) in try propertyList(path, "Info.plist", app: declaration.name) },
            declaration.infoPlist, "infoPlist", of: declaration.name)
        if let own = declaration.bundleIdentifier { plist["CFBundleIdentifier"] = .string(own) }
        guard let bundle = plist["CFBundleIdentifier"]?.string, !bundle.isEmpty else {
            if let path {
                throw .input("\(path): the app '\(declaration.name)' has no CFBundleIdentifier; add one")
            }
            throw .input(
                "the app '\(declaration.name)' has no bundle identifier: give its declaration a bundleIdentifier, or the infoPlistPath of an Info.plist"
            )
        }
        return (bundle, plist)
    }

    /// Containers are named one by one: a wildcard would open nothing, and nobody would know why (icloud-documents.md 1; S45). CloudKit
    /// has two environments (cloudkit-framework.md 1; S290).
    private static func entitlements(_ declaration: AppDeclaration) throws(RunEnd) -> Value? {
        let path = declaration.entitlementsPath.map(resolved)
        guard path != nil || declaration.entitlements != nil else { return nil }
        let entitlements = try merged(
            try path.map { path throws(RunEnd) in
                try propertyList(path, "entitlements file", app: declaration.name)
            }, declaration.entitlements ?? .empty, "entitlements", of: declaration.name)
        if let message = fault(inEntitlements: entitlements, app: declaration.name) {
            throw .input((path.map { "\($0): " } ?? "") + message)
        }
        return entitlements
    }
    /// What a file says, with what the declaration says in its place.
    private static func merged(
        _ file: Value?, _ declared: Value, _ member: String, of app: AppName
    ) throws(RunEnd) -> Value {
        guard let pairs = declared.object?.pairs else {
            throw .input("the app '\(app)' declares \(member) that are no keys with values; write [\"key\": value]")
        }
        return pairs.reduce(into: file ?? .empty) { $0[$1.key] = $1.value }
    }
    private static func fault(inEntitlements entitlements: Value, app: AppName) -> String? {
        for key in ["icloud-container-identifiers", "ubiquity-container-identifiers"] {
            for name in entitlements["com.apple.developer." + key]?.strings ?? [] where name.contains("*") {
                return
                    "the app '\(app)' is entitled to '\(name)' (\(key)); wildcards are rejected, name each container"
            }
        }
        let key = "com.apple.developer.icloud-container-environment"
        if let environment = entitlements[key], !["Development", "Production"].contains(environment.string) {
            return
                "'\(environment.string ?? environment.json)' (\(key)) of the app '\(app)' is no environment; use 'Production' or 'Development'"
        }
        return nil
    }

    private static func resolved(_ path: String) -> String {
        guard !path.hasPrefix("/") else { return path }
        var buffer = [UInt8](repeating: 0, count: 4096)
        let length = readlink("/proc/self/exe", &buffer, buffer.count)
        let executable = String(decoding: buffer[..<max(0, length)], as: UTF8.self)
        return executable.split(separator: "/").dropLast().reduce(into: "") { $0 += "/" + $1 } + "/" + path
    }

    private static func propertyList(_ path: String, _ what: String, app: AppName) throws(RunEnd) -> Value {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw RunEnd.input("\(path): the \(what) of the app '\(app)' is missing; every app needs one")
        }
        do {
            return value(try PropertyListSerialization.propertyList(from: data, format: nil))
        } catch {
            throw RunEnd.input(
                "\(path): the \(what) of the app '\(app)' is no property list: \(error.localizedDescription)")
        }
    }

    private static func value(_ any: Any) -> Value {
        switch any {
        case let text as String: .string(text)
        case let flag as Bool: .bool(flag)
        case let number as Int: .int(number)
        case let number as Double: .double(number)
        case let data as Data: .data(Array(data))
        case let list as [Any]: .array(list.map(value))
        case let dictionary as [String: Any]: .object(Value.Object(dictionary.map { ($0.key, value($0.value)) }))
        default: .null
        }
    }
}
