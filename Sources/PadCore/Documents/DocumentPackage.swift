import FleetModel
import Storage

/// Packages: folders that people and iCloud treat as one document (icloud-documents.md 7; S94, S99).
///
/// A folder is a package when its name ends as an installed app's Info.plist says (`CFBundleDocumentTypes`, `LSTypeIsPackage`). It has
/// one version, one download state and one conflict. ASSUMED: it travels whole, as one content; files inside are not compared singly.
extension DocumentLibrary {
    /// The first bytes of a package's content: what lacks them is a flat file, whatever its name says.
    private static let magic = Array("homeroom package\n".utf8)

    /// The place that iCloud knows a path by: of a path in a package the package.
    func unit(of path: String) -> String {
        guard !packageExtensions.isEmpty, let place = ContainerPath(path) else { return path }
        var found = ContainerPath.folder(of: place.container)
        for part in place.relative.split(separator: "/") {
            found += "/" + part
            if isPackageName(part) { return found }
        }
        return path
    }
    private func isPackageName(_ name: Substring) -> Bool {
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return false }
        return packageExtensions.contains(String(name[name.index(after: dot)...]))
    }
    private func isPackage(_ path: String) -> Bool {
        guard !packageExtensions.isEmpty, unit(of: path) == path,
            let name = path.split(separator: "/").last, isPackageName(name)
        else { return false }
        return volume.disk.status(path)?.isFolder ?? false
    }

    /// Whether a document's data lie there: a file, or a package.
    func hasDocument(at path: String) -> Bool {
        volume.disk.status(path).map { !$0.isFolder || isPackage(path) } ?? false
    }
    /// Size and time of a document's data; nil where nothing is.
    func documentStatus(_ path: String) -> FileStatus? {
        guard let status = volume.disk.status(path) else { return nil }
        guard status.isFolder, isPackage(path) else { return status }
        let files = volume.disk.files(under: path)
        let newest = files.compactMap { volume.disk.status($0)?.modified }.max() ?? status.modified
        let size = (try? documentData(path).count) ?? 0
        return FileStatus(isFolder: false, size: size, modified: max(newest, status.modified))
    }
    /// What is sent of a document.
    func documentData(_ path: String) throws -> [UInt8] {
        guard isPackage(path) else { return try volume.disk.read(path) }
        var out = Self.magic
        for file in volume.disk.files(under: path) {
            let name = Array(file.utf8.dropFirst(path.utf8.count + 1))
            let data = try volume.disk.read(file)
            for bytes in [name, data] {
                out += (0..<8).map { UInt8(truncatingIfNeeded: UInt64(bytes.count) >> (8 * UInt64($0))) }
                out += bytes
            }
        }
        return out
    }
    /// Lays a document's data down, durable; of a package the old files go first.
    func writeDocument(_ data: [UInt8], at path: String) throws {
        guard let name = path.split(separator: "/").last, isPackageName(name), let files = Self.files(in: data) else {
            return try volume.disk.write(path, data, sync: true)
        }
        if volume.disk.status(path) != nil { try volume.disk.remove(path) }
        try volume.disk.makeFolder(path)
        for (name, content) in files {
            let file = "\(path)/\(name)"
            if let slash = file.lastIndex(of: "/") { try volume.disk.makeFolder(String(file[..<slash])) }
            try volume.disk.write(file, content, sync: true)
        }
    }
    /// Makes a document's data and names durable.
    func syncDocument(_ path: String) throws {
        try volume.disk.sync(path)
        if isPackage(path) { for file in volume.disk.files(under: path) { try volume.disk.sync(file) } }
    }

    /// The files of a package's content; nil when it is none, or damaged: from outside it may be anything.
    private static func files(in data: [UInt8]) -> [(name: String, content: [UInt8])]? {
        guard data.starts(with: magic) else { return nil }
        var rest = data[magic.count...]
        func chunk() -> [UInt8]? {
            guard rest.count >= 8 else { return nil }
            let size = rest.prefix(8).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            rest = rest.dropFirst(8)
            guard size <= UInt64(rest.count) else { return nil }
            defer { rest = rest.dropFirst(Int(size)) }
            return Array(rest.prefix(Int(size)))
        }
        var files: [(String, [UInt8])] = []
        while !rest.isEmpty {
            guard let name = chunk().map({ String(decoding: $0, as: UTF8.self) }), ContainerPath.isNormal(name),
                let content = chunk()
            else { return nil }
            files.append((name, content))
        }
        return files
    }
}

extension AppManifest {
    /// Extensions of the packages that the app says it makes.
    var packageExtensions: [String] {
        (infoPlist["CFBundleDocumentTypes"]?.array ?? []).filter { $0["LSTypeIsPackage"]?.bool ?? false }.flatMap {
            $0["CFBundleTypeExtensions"]?.strings ?? []
        }
    }
}
