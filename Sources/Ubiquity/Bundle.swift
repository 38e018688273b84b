import Foundation
import PadApp

/// The running app's bundle: signed, so that its files can be read and never changed (S170). Copy them to change them.
///
/// Holds the Info.plist. Not modelled: other resources, localisations, other bundles.
public final class Bundle: @unchecked Sendable {
    /// The bundle of the running app: apps that share a process have one each.
    public static var main: Bundle { AppLink.current.singleton { Bundle(AppLink.current) } }

    private let link: AppLink
    private init(_ link: AppLink) { self.link = link }
    /// The app's own bundle; nil for every other path. Where a package has resources, SwiftPM writes code that asks for theirs.
    public convenience init?(path: String) {
        guard let link = AppLink.ifRunning, path == AppManifest.bundlePath(of: link.bundleIdentifier) else {
            return nil
        }
        self.init(link)
    }

    /// `CFBundleIdentifier`, as the system installed the app; never nil here.
    public var bundleIdentifier: String? { link.bundleIdentifier }
    /// The folder of the app's signed files, as the iPad names it.
    public var bundlePath: String { AppManifest.bundlePath(of: link.bundleIdentifier) }
    /// As `bundlePath`.
    public var bundleURL: URL { URL(filePath: bundlePath, directoryHint: .isDirectory) }

    /// Where a file of the bundle lies, by its name with the extension appended; nil when there is none. Subfolders go into the name.
    public func path(forResource name: String?, ofType ext: String?) -> String? {
        let path = "\(bundlePath)/\(name ?? "")" + (ext.map { ".\($0)" } ?? "")
        return link.call(FileMessages.Stat.name, ["path": .string(path)])["exists"]?.bool == true ? path : nil
    }
    /// As `path(forResource:ofType:)`.
    public func url(forResource name: String?, withExtension ext: String?) -> URL? {
        path(forResource: name, ofType: ext).map { URL(filePath: $0, directoryHint: .notDirectory) }
    }
    /// The Info.plist, read at each call; nil when it cannot be read as a property list.
    public var infoDictionary: [String: Any]? {
        guard let data = try? FileManager.default.read(bundlePath + "/Info.plist") else { return nil }
        return try? PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any]
    }
    /// One value of the Info.plist; nil for an absent key. Localised values are not modelled.
    public func object(forInfoDictionaryKey key: String) -> Any? { infoDictionary?[key] }
}
