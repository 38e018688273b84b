import CDisk
import FleetModel

/// One volume that can lose its power: files as programs see them now, and what of that is durable.
///
/// Both backings, memory and a real directory, give the same answers, the same bytes and the same power cuts. Databases
/// (`Database`) lie in the same volume. Not thread-safe: one participant owns it.
///
/// Ended processes: a kill without power cut keeps everything (the system's cache outlives a process); call `processEnded`.
/// Not modelled: rights, links, case-insensitive names, the machine's own crash.
public final class Disk {
    /// Virtual time, set by the owner before each step: the time of changed files and of SQLite's functions.
    public var now = Instant.zero { didSet { machine?.now = now } }
    /// Bytes that fit; settable, for disk-full and low-space faults. May be less than `usedBytes`: then nothing can grow.
    public var capacityBytes: Int
    /// Bytes of all files that have a name.
    public internal(set) var usedBytes = 0
    /// Changes since the volume was mounted: every write, append, sync, remove, move, clone and new folder counts one, those of
    /// databases included. Kills are keyed by it. 0 again after `powerCut` and `processEnded`.
    public internal(set) var writeCount: UInt64 = 0
    /// The power fails when this many changes have happened: every later change and read throws until `powerCut`. Lets a cut
    /// fall into the middle of a transaction.
    public var powerFailsAt: UInt64?
    /// Why nothing can be done any more: the power failed, or the machine's disk did during a cut.
    public internal(set) var outage: DiskError?

    var root: Folder
    var journal = NameJournal()
    let machine: Machine?
    /// Files with pending changes; each at most once.
    var unsettled: [File] = []
    /// Handles of an earlier mount can do nothing.
    var mountNumber: UInt64 = 0
    /// The last error that SQLite could be told only as a number.
    var lastFailure: DiskError?
    /// The SQLite VFS of this volume, made when the first database is opened.
    var volume: OpaquePointer?

    private init(root: Folder, machine: Machine?, capacityBytes: Int) {
        self.root = root
        self.machine = machine
        self.capacityBytes = capacityBytes
        usedBytes = root.totalBytes
    }
    deinit { if let volume { cdisk_unmount(volume) } }

    /// An empty volume in memory: `sim`.
    public static func memory(capacityBytes: Int = .max) -> Disk {
        Disk(root: Folder(name: "", modified: .zero), machine: nil, capacityBytes: capacityBytes)
    }
    /// A volume of real files beneath `path`, which is made when missing: `fleet`. What is there already is durable.
    public static func directory(_ path: String, capacityBytes: Int = .max) throws(DiskError) -> Disk {
        let machine = try Machine(root: path)
        return Disk(root: try machine.load(), machine: machine, capacityBytes: capacityBytes)
    }
}

// MARK: Looking

extension Disk {
    /// The whole content as programs see it now, durable or not. Throws `.notFound`, `.badPath` for a folder, and the outage while there
    /// is no power.
    public func read(_ path: String) throws(DiskError) -> [UInt8] {
        try checkPower()
        return try file(DiskPath(path)).content.all()
    }
    /// Names in a folder, sorted.
    public func list(_ path: String) throws(DiskError) -> [String] {
        let path = try DiskPath(path)
        guard let node = find(path) else { throw .notFound(path.text) }
        guard let folder = node as? Folder else { throw .badPath("\(path.text) (a file, not a folder)") }
        return folder.names
    }
    /// Nil for a path where nothing is, and for a malformed one.
    public func status(_ path: String) -> FileStatus? {
        guard let path = try? DiskPath(path), let node = find(path) else { return nil }
        let size = (node as? File)?.content.size
        return FileStatus(isFolder: size == nil, size: size ?? 0, modified: node.modified)
    }
    /// Full paths of all files at or beneath `path`, sorted; none for a path where nothing is.
    public func files(under path: String) -> [String] {
        guard let path = try? DiskPath(path), let node = find(path) else { return [] }
        return node.files.map(\.path).sorted()
    }

    /// Paths of files below a folder whose bytes or name a power cut may still change, sorted.
    public func unsyncedFiles(under path: String) -> [String] {
        guard let place = try? DiskPath(path) else { return [] }
        let names = journal.changes.filter { change in
            // Of folders only what lies in them counts.
            !((change.leftover ?? change.paths.last.flatMap({ find($0) })) is Folder)
        }
        let paths =
            unsettled.filter { hasName($0) && !$0.pending.isEmpty }.map(\.path) + names.flatMap(\.paths).map(\.text)
        return Set(paths.filter { (try? DiskPath($0)).map(place.covers) ?? false }).sorted()
    }

    func find(_ path: DiskPath) -> Node? { find(path.names[...]) }
    private func find(_ names: ArraySlice<String>) -> Node? {
        var node: Node = root
        for name in names {
            guard let next = (node as? Folder)?[name] else { return nil }
            node = next
        }
        return node
    }
    func file(_ path: DiskPath) throws(DiskError) -> File {
        guard let node = find(path) else { throw .notFound(path.text) }
        guard let file = node as? File else { throw .badPath("\(path.text) (a folder, not a file)") }
        return file
    }
    /// The folder that a new name goes into.
    func folder(above path: DiskPath) throws(DiskError) -> Folder {
        guard !path.isRoot, let folder = find(path.names.dropLast()) as? Folder else {
            throw .badPath("\(path.text) (no folder \(path.parent.text); make it first)")
        }
        return folder
    }
}
