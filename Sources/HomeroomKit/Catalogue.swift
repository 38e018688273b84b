import FleetModel
import Foundation
import PadApp

/// The apps that an executable knows, with their Info.plists read.
struct Catalogue {
    var types: [AppName: any PadApp.Type] = [:]
    /// In the order in which they were given.
    var manifests: [AppManifest] = []

    static let empty = Catalogue()
    private init() {}

    /// - Throws: `CommandProblem` (3) naming the app and the file for a missing or wrong Info.plist.
    init(apps: [any PadApp.Type]) throws {
        for type in apps {
            let declaration = type.declaration
            guard types.updateValue(type, forKey: declaration.name) == nil else {
                throw CommandProblem.badInput("two apps are called '\(declaration.name)': give each its own name")
            }
            manifests.append(try Self.manifest(declaration))
        }
    }

    func manifest(_ name: AppName) -> AppManifest? { manifests.first { $0.name == name } }

    private static func manifest(_ declaration: AppDeclaration) throws -> AppManifest {
        let path = resolved(declaration.infoPlistPath)
        let plist = try infoPlist(path, app: declaration.name)
        guard let bundle = plist["CFBundleIdentifier"]?.string, !bundle.isEmpty else {
            throw CommandProblem.badInput("\(path): the app '\(declaration.name)' has no CFBundleIdentifier; add one")
        }
        return AppManifest(
            name: declaration.name, bundleID: bundle, infoPlist: plist, actions: declaration.actions,
            promises: declaration.promises, channel: declaration.channel)
    }

    private static func resolved(_ path: String) -> String {
        guard !path.hasPrefix("/") else { return path }
        var buffer = [UInt8](repeating: 0, count: 4096)
        let length = readlink("/proc/self/exe", &buffer, buffer.count)
        let executable = String(decoding: buffer[..<max(0, length)], as: UTF8.self)
        return executable.split(separator: "/").dropLast().reduce(into: "") { $0 += "/" + $1 } + "/" + path
    }

    private static func infoPlist(_ path: String, app: AppName) throws -> Value {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw CommandProblem.badInput("\(path): the Info.plist of the app '\(app)' is missing; every app needs one")
        }
        do {
            return value(try PropertyListSerialization.propertyList(from: data, format: nil))
        } catch {
            throw CommandProblem.badInput(
                "\(path): the Info.plist of the app '\(app)' is no property list: \(error.localizedDescription)")
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
