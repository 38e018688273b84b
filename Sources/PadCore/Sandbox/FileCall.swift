import FleetModel
import Storage

/// One file call: checks the path, acts on the disk, words the error.
struct FileCall {
    let disk: Disk
    /// Folders in which the app may do as it likes.
    let roots: [String]
    /// Received files: read and delete only (S202).
    let inbox: String
    /// The app itself: read only (S170).
    let bundle: AppBundle
    let gate: FileGate
    let exclusion: BackupExclusion
    let isPlaceholder: (String) -> Bool
    /// Frees bytes of a full volume for a path; false when nothing can go.
    let makeRoom: (Int, String) -> Bool

    /// - Throws: `LinkError` for what the app did wrong or the disk refused; other errors are the machine's.
    func serve(_ message: Message) throws -> Value {
        let asked = FileMessages.Whichever(lenient: message.body)
        let path =
            message.is(FileMessages.Move.self)
            ? try path(asked.from, "from", message) : try path(asked.path, "path", message)
        if bundle.contains(path) { return try bundle.serve(message.name, path) }
        switch message.name {
        case FileMessages.Read.name: return try read(path)
        case FileMessages.Write.name: try write(path, message)
        case FileMessages.Append.name:
            let data = try data(message)
            try mayEdit(path)
            try gate.check(path, .add, exists: disk.status(path) != nil)
            try growing(path, by: data.count) { try disk.append(path, data) }
        case FileMessages.Close.name: break
        case FileMessages.Open.name: return try open(path, message)
        case FileMessages.ReadAt.name: return try readAt(path, message)
        case FileMessages.WriteAt.name: try writeAt(path, message)
        case FileMessages.Truncate.name: try truncate(path, message)
        case FileMessages.Sync.name: try changing(path) { try disk.sync(path) }
        case FileMessages.Remove.name:
            try changing(path, isRoot: false) { try disk.remove(path) }
            try disk.withReserve {
                try gate.protection.removed(path)
                try exclusion.removed(path)
            }
        case FileMessages.Move.name:
            let target = try self.path(asked.to, "to", message)
            try mayEdit(target)
            guard path != inbox, !inbox.hasPrefix(path + "/") else {
                throw LinkError.cocoa(513, "\(path) holds received files: move or remove those, the folder stays")
            }
            guard !bundle.contains(target) else { return try bundle.serve(FileMessages.Write.name, target) }
            try changing(path, isRoot: false) { try disk.move(path, to: target) }
            try disk.withReserve {
                try gate.protection.moved(path, to: target)
                try exclusion.moved(path, to: target)
            }
        case FileMessages.MakeFolder.name:
            try mayEdit(path)
            try changing(path) { try disk.makeFolder(path) }
        case FileMessages.Protect.name: try protect(path, message)
        case FileMessages.Exclude.name: try exclude(path, message)
        case FileMessages.List.name:
            let names = try asking(path) { try disk.list(path) }
            return FileMessages.List.Answer { $0.names = names }.body
        case FileMessages.Stat.name: return stat(path)
        default: throw LinkError.malformed("the system has no call '\(message.name)'; see Docs/local-link.md")
        }
        return .empty
    }

    /// A class that comes with the data is set before them: they are never on the disk without it (S191).
    private func write(_ path: String, _ message: Message) throws {
        let data = try data(message)
        let asked: FileMessages.Write
        do { asked = try FileMessages.Write(message) } catch { throw LinkError.malformed(error.message) }
        let isAtomic = asked.atomic ?? false
        try mayEdit(path)
        try gate.check(path, .change, exists: disk.status(path) != nil)
        let old = gate.protection.own(path)
        let wanted = asked.protection == nil ? nil : try ProtectionClass(message)
        if let wanted {
            guard gate.mayCreate(wanted) else { throw FileGate.refusal(path) }
            try gate.protection.set(wanted, path)
        }
        do {
            try growing(path, by: data.count) {
                if isAtomic { try disk.replace(path, data) } else { try disk.write(path, data, sync: false) }
            }
        } catch {
            if wanted != nil { try disk.withReserve { try gate.protection.restore(old, path) } }
            throw error
        }
        // The old file is gone with its mark.
        if isAtomic { try disk.withReserve { try exclusion.set(false, path) } }
    }
    /// A full volume gives up what can be fetched again before an app is refused (S66). ASSUMED: at once, not in advance.
    func growing(_ path: String, by bytes: Int, _ body: () throws -> Void) throws {
        do { try changing(path, body) } catch let error as LinkError where error.code == 640 {
            guard makeRoom(bytes, path) else { throw error }
            try changing(path, body)
        }
    }
    private func protect(_ path: String, _ message: Message) throws {
        let wanted = try ProtectionClass(message)
        guard disk.status(path) != nil else { throw LinkError.cocoa(4, "there is no such file or folder: \(path)") }
        try mayEdit(path)
        try gate.check(path, .change, exists: true)
        guard gate.mayCreate(wanted) else { throw FileGate.refusal(path) }
        try gate.protection.set(wanted, path)
    }
    private func exclude(_ path: String, _ message: Message) throws {
        guard let isExcluded = try? FileMessages.Exclude(message).excluded else {
            throw LinkError.malformed("'excluded' of \(message.name) must be true or false")
        }
        guard disk.status(path) != nil else { throw LinkError.cocoa(4, "there is no such file or folder: \(path)") }
        try mayEdit(path)
        try changing(path, isRoot: false) { try exclusion.set(isExcluded, path) }
    }
    /// The Inbox is the system's: an app takes files out of it, and puts none in (S202).
    func mayEdit(_ path: String) throws(LinkError) {
        guard path != inbox, !path.hasPrefix(inbox + "/") else {
            throw .cocoa(513, "\(path) is a received file: move it out of the Inbox before changing it")
        }
    }

    /// - Throws: 4353 for a document that is listed and not downloaded.
    func mustBeHere(_ path: String) throws(LinkError) {
        guard !isPlaceholder(path) else {
            throw .cocoa(4353, "\(path) is not downloaded; ask for it with docs.download")
        }
    }
    private func read(_ path: String) throws -> Value {
        try gate.check(path, .read, exists: true)
        try mustBeHere(path)
        return FileMessages.Bytes(try asking(path) { try disk.read(path) }).body
    }
    private func stat(_ path: String) -> Value {
        guard let status = disk.status(path) else {
            return FileMessages.Stat.Answer().body
        }
        return FileMessages.Stat.Answer {
            ($0.exists, $0.folder, $0.size) = (true, status.isFolder, Int(status.size))
            $0.modified = status.modified.nanoseconds
            $0.protection = gate.protection.class(of: path)?.rawValue
            $0.excluded = exclusion.isMarked(path)
        }.body
    }

    // MARK: Arguments

    /// An absolute path inside the app's folders, without tricks.
    private func path(_ text: String?, _ key: String, _ message: Message) throws -> String {
        guard var path = text, path.hasPrefix("/") else {
            throw LinkError.malformed("'\(key)' of \(message.name) must be an absolute path")
        }
        while path.utf8.count > 1, path.utf8.last == UInt8(ascii: "/") { path.removeLast() }
        let parts = path.utf8.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard !parts.contains(where: { $0.isEmpty || $0.count <= 2 && $0.allSatisfy { $0 == UInt8(ascii: ".") } }),
            !path.utf8.contains(0)
        else { throw LinkError.malformed("'\(key)' of \(message.name) is no plain path: \(path)") }
        guard bundle.contains(path) || roots.contains(where: { path == $0 || path.hasPrefix($0 + "/") }) else {
            throw LinkError.cocoa(257, "\(path) is outside the app's sandbox")
        }
        return path
    }
    func data(_ message: Message) throws -> [UInt8] {
        guard let data = FileMessages.Whichever(lenient: message.body).data else {
            throw LinkError.malformed("'data' of \(message.name) must be data")
        }
        return data
    }

    // MARK: Errors (NSCocoaErrorDomain)

    func asking<T>(_ path: String, _ body: () throws -> T) throws -> T {
        do { return try body() } catch let error as DiskError {
            switch error {
            case .notFound, .badPath: throw LinkError.cocoa(260, "there is no file at \(path)")
            case .full, .exists: throw LinkError.cocoa(256, "\(path) cannot be read")
            case .machine: throw error
            }
        }
    }
    /// - Parameter isRoot: whether the app's own folder may be the target (it may not be removed or moved).
    func changing(_ path: String, isRoot: Bool = true, _ body: () throws -> Void) throws {
        guard isRoot || !roots.contains(path) else { throw LinkError.cocoa(513, "\(path) belongs to the system") }
        do { try body() } catch let error as DiskError {
            switch error {
            case .full: throw LinkError.cocoa(640, "no space left for \(path)")
            case .notFound, .badPath: throw LinkError.cocoa(4, "there is no such file or folder: \(path)")
            case .exists: throw LinkError.cocoa(516, "something is already there: \(path)")
            case .machine: throw error
            }
        }
    }
}
