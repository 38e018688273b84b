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
        var found = place.folder
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
        let newest = sentFiles(of: path).compactMap { volume.disk.status($0)?.modified }.max() ?? status.modified
        let size = (try? documentData(path).count) ?? 0
        return FileStatus(isFolder: false, size: size, modified: max(newest, status.modified))
    }
    /// Files of a package that are part of the document; `.nosync` files belong to this iPad (S62).
    private func sentFiles(of path: String) -> [String] {
        volume.disk.files(under: path).filter { !(ContainerPath($0)?.isExcluded ?? true) }
    }
    /// What is sent of a document.
    func documentData(_ path: String) throws -> [UInt8] {
        guard isPackage(path) else { return try volume.disk.read(path) }
        var out = Self.magic
        for file in sentFiles(of: path) {
            let name = Array(file.utf8.dropFirst(path.utf8.count + 1))
            let data = try volume.disk.read(file)
            for bytes in [name, data] {
                out += (0..<8).map { UInt8(truncatingIfNeeded: UInt64(bytes.count) >> (8 * UInt64($0))) }
                out += bytes
            }
        }
        return out
    }
    /// Makes a document's data and names durable: of a package in every folder, so that no removed file comes back with the power.
    func syncDocument(_ path: String) throws {
        try volume.disk.sync(path)
        if isPackage(path) { try syncContents(of: path) }
    }
    private func syncContents(of folder: String) throws {
        for name in try volume.disk.list(folder) {
            let path = "\(folder)/\(name)"
            try volume.disk.sync(path)
            if volume.disk.status(path)?.isFolder ?? false { try syncContents(of: path) }
        }
    }

    // MARK: Laying down

    /// Where a package is put together before it takes its place; outside of all containers.
    private static let staging = "/var/mobile/Library/Caches/CloudDocs"

    /// Lays a document's data down, durable. A package that does not fit, or cannot be written, leaves the old one as it was.
    func writeDocument(_ data: [UInt8], at path: String) throws {
        let files = path.split(separator: "/").last.map(isPackageName) ?? false ? Self.files(in: data) : nil
        let disk = volume.disk
        guard files != nil || disk.status(path)?.isFolder ?? false else {
            // Never parts of both versions, whatever the power does.
            try disk.replace(path, data)
            return try disk.sync(path)
        }
        if disk.status(Self.staging) != nil { try disk.remove(Self.staging) }
        do {
            let new = Self.staging + "/new"
            try disk.makeFolder(files == nil ? Self.staging : new)
            if files == nil { try disk.write(new, data, sync: true) }
            for (name, content) in files ?? [] {
                try disk.makeFolder(Self.parent(of: "\(new)/\(name)"))
                try disk.write("\(new)/\(name)", content, sync: true)
            }
            try keepUnsent(of: path, in: new)
            try swap(path, for: new)
        } catch {
            // What could not be put back is not thrown away either: the next change tries anew.
            if disk.status(Self.staging) != nil, disk.status(path) != nil || disk.status(Self.staging + "/old") == nil {
                try disk.remove(Self.staging)
            }
            throw error
        }
        try disk.remove(Self.staging)
        try syncDocument(path)
    }
    /// `.nosync` files of the old package go with the document, where the new one leaves them room.
    private func keepUnsent(of path: String, in new: String) throws {
        guard volume.disk.status(new)?.isFolder ?? false else { return }
        let sent = Set(sentFiles(of: path))
        for file in volume.disk.files(under: path) where !sent.contains(file) {
            let kept = new + file.dropFirst(path.count)
            do { try volume.disk.makeFolder(Self.parent(of: kept)) } catch {
                // A file of the new one is where the folder would be.
                if error.isOutOfRoom || error.isOfMachine { throw error }
                continue
            }
            if volume.disk.status(kept) == nil { try volume.disk.clone(file, to: kept) }
        }
    }
    private func swap(_ path: String, for new: String) throws {
        let old = Self.staging + "/old"
        let disk = volume.disk
        guard disk.status(path) != nil else { return try disk.move(new, to: path) }
        try disk.move(path, to: old)
        do { try disk.move(new, to: path) } catch {
            try disk.move(old, to: path)
            throw error
        }
    }
    private static func parent(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
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
        return isTree(files.map(\.0)) ? files : nil
    }
    /// Whether files of these names can lie beside each other: none twice, none where another needs a folder.
    private static func isTree(_ names: [String]) -> Bool {
        var folders: Set<String> = []
        for name in names {
            var folder = parent(of: name)
            while !folder.isEmpty {
                folders.insert(folder)
                folder = parent(of: folder)
            }
        }
        return Set(names).count == names.count && folders.isDisjoint(with: names)
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
