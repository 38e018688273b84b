import FleetModel
import Glibc

/// The real directory beneath a disk in `fleet` mode: names mirror the virtual ones.
///
/// Removed things move to a reserved folder until their removal is durable, since a power cut may bring them back. A new
/// process finds the files as the last one left them, and takes them as durable.
final class Machine {
    let root: String
    /// Virtual time that the next change is stamped with: kept as the real file's own time, so that it outlives the process.
    var now = Instant.zero
    private var removedCount = 0
    private var attic: String { "\(root)/\(DiskPath.reserved)" }

    /// Makes the directory and those above it when missing, and empties what waits for removal.
    init(root: String) throws(DiskError) {
        self.root = root.count > 1 && root.hasSuffix("/") ? String(root.dropLast()) : root
        var partial = self.root.hasPrefix("/") ? "" : "."
        for part in self.root.split(separator: "/") {
            partial += "/\(part)"
            guard mkdir(partial, 0o777) == 0 || errno == EEXIST else { throw Self.failure("make the folder", partial) }
        }
        try deleteTree(attic)
        guard mkdir(attic, 0o777) == 0 else { throw Self.failure("make the folder", attic) }
    }

    static func failure(_ action: String, _ path: String) -> DiskError {
        let code = errno
        // What else may help depends on who runs the disk, and how it was told where.
        let text = "cannot \(action) \(path): \(String(cString: strerror(code))) (errno \(code)); free space there"
        Disk.onMachineFailure?(text)
        return .machine(text)
    }

    // MARK: Names

    func makeFolder(_ folder: Folder) throws(DiskError) {
        let path = folder.realPath
        guard mkdir(path, 0o777) == 0 else { throw Self.failure("make the folder", path) }
        try stamp(path)
    }
    func makeFile(_ file: File) throws(DiskError) {
        let path = file.realPath
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { throw Self.failure("make the file", path) }
        defer { close(descriptor) }
        try stamp(descriptor, path)
    }
    func rename(_ from: String, to: String) throws(DiskError) {
        guard Glibc.rename(from, to) == 0 else { throw Self.failure("move to \(to)", from) }
    }
    /// A fresh real path for something that was removed.
    func removedPath() -> String {
        removedCount += 1
        return "\(attic)/\(removedCount)"
    }

    // MARK: Times

    func stamp(_ descriptor: Int32, _ path: String) throws(DiskError) {
        var times = stampTimes
        guard futimens(descriptor, &times) == 0 else { throw Self.failure("set the time of", path) }
    }
    func stamp(_ path: String) throws(DiskError) {
        var times = stampTimes
        guard utimensat(AT_FDCWD, path, &times, 0) == 0 else { throw Self.failure("set the time of", path) }
    }
    private var stampTimes: [timespec] {
        let nanoseconds = Instant.epochNanoseconds &+ now.nanoseconds
        let time = timespec(tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
        return [time, time]
    }

    // MARK: What is there

    /// Reads the whole directory into a tree.
    func load() throws(DiskError) -> Folder {
        let folder = Folder(name: "", modified: .zero)
        folder.anchor = root
        for name in try entries(root) where name != DiskPath.reserved {
            try load("\(root)/\(name)", name, into: folder)
        }
        return folder
    }
    private func load(_ path: String, _ name: String, into parent: Folder) throws(DiskError) {
        var info = stat()
        guard lstat(path, &info) == 0 else { throw Self.failure("look at", path) }
        let seconds = Int64(info.st_mtim.tv_sec), rest = Int64(info.st_mtim.tv_nsec)
        let modified = Instant(nanoseconds: seconds &* 1_000_000_000 &+ rest &- Instant.epochNanoseconds)
        switch info.st_mode & S_IFMT {
        case S_IFDIR:
            let folder = Folder(name: name, modified: modified)
            parent.attach(folder, as: name)
            for child in try entries(path) { try load("\(path)/\(child)", child, into: folder) }
        case S_IFREG:
            let content = MachineContent(size: Int(info.st_size), disk: self)
            let file = File(name: name, modified: modified, content: content)
            content.node = file
            parent.attach(file, as: name)
        default:
            throw .machine("\(path) is neither a file nor a folder; a disk holds nothing else: remove it")
        }
    }
    private func entries(_ path: String) throws(DiskError) -> [String] {
        guard let handle = opendir(path) else { throw Self.failure("list", path) }
        defer { closedir(handle) }
        var names: [String] = []
        while let entry = readdir(handle) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { tuple in
                tuple.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: tuple.pointee)) {
                    String(cString: $0)
                }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }
    func deleteTree(_ path: String) throws(DiskError) {
        if unlink(path) == 0 || errno == ENOENT { return }
        guard errno == EISDIR || errno == EPERM else { throw Self.failure("remove", path) }
        for name in try entries(path) { try deleteTree("\(path)/\(name)") }
        guard rmdir(path) == 0 else { throw Self.failure("remove", path) }
    }
}

extension Disk {
    /// Told when the machine's own disk fails under a disk in a real directory (full, no rights). A run ends there: what a
    /// participant would make of it is no behaviour of an iPad. May end the process; nil: the caller gets `DiskError.machine`.
    ///
    /// One for the process, because the machine is. Set once, before any disk exists.
    nonisolated(unsafe) public static var onMachineFailure: ((String) -> Void)?
}
