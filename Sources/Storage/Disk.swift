import CSQLite
import FleetModel

public enum DiskError: Error, Hashable, Sendable {
    case full
    case notFound(String)
    case exists(String)
    case badPath(String)
    case machine(String)
}
public struct FileStatus: Hashable, Sendable {
    public var isFolder: Bool
    public var size: Int
    public var modified: Instant
    public init(isFolder: Bool, size: Int, modified: Instant) {
        self.isFolder = isFolder
        self.size = size
        self.modified = modified
    }
}
/// Provisional: memory only, no power loss. Replaced by the power-loss disk.
public final class Disk {
    var files: [String: ([UInt8], Instant)] = [:]
    var folders: Set<String> = ["/"]
    var databases: [String: OpaquePointer] = [:]
    public var now = Instant.zero
    public var capacityBytes: Int
    public private(set) var writeCount: UInt64 = 0
    init(_ capacity: Int) { capacityBytes = capacity }
    public static func memory(capacityBytes: Int = .max) -> Disk { Disk(capacityBytes) }
    public static func directory(_ path: String, capacityBytes: Int = .max) throws(DiskError) -> Disk { Disk(capacityBytes) }
    public var usedBytes: Int { files.values.reduce(0) { $0 + $1.0.count } }
    func parent(_ p: String) -> String { let s = p.split(separator: "/").dropLast().joined(separator: "/"); return "/" + s }
    public func read(_ path: String) throws(DiskError) -> [UInt8] {
        guard let f = files[path] else { throw .notFound(path) }
        return f.0
    }
    public func write(_ path: String, _ bytes: [UInt8], sync: Bool) throws(DiskError) {
        guard folders.contains(parent(path)) else { throw .badPath(path) }
        guard usedBytes - (files[path]?.0.count ?? 0) + bytes.count <= capacityBytes else { throw .full }
        files[path] = (bytes, now)
        writeCount += 1
    }
    public func append(_ path: String, _ bytes: [UInt8]) throws(DiskError) {
        try write(path, (files[path]?.0 ?? []) + bytes, sync: false)
    }
    public func sync(_ path: String) throws(DiskError) { writeCount += 1 }
    public func remove(_ path: String) throws(DiskError) {
        guard files[path] != nil || folders.contains(path) else { throw .notFound(path) }
        for f in files.keys where f == path || f.hasPrefix(path + "/") { files[f] = nil }
        for f in folders where f == path || f.hasPrefix(path + "/") { folders.remove(f) }
        writeCount += 1
    }
    public func move(_ from: String, to: String) throws(DiskError) {
        guard files[to] == nil, !folders.contains(to) else { throw .exists(to) }
        if let f = files.removeValue(forKey: from) { files[to] = f; return }
        guard folders.contains(from) else { throw .notFound(from) }
        for f in files.keys where f.hasPrefix(from + "/") { files[to + f.dropFirst(from.count)] = files.removeValue(forKey: f) }
        for f in folders where f == from || f.hasPrefix(from + "/") { folders.remove(f); folders.insert(to + f.dropFirst(from.count)) }
    }
    public func clone(_ from: String, to: String) throws(DiskError) { try write(to, try read(from), sync: false) }
    public func makeFolder(_ path: String) throws(DiskError) {
        var p = ""
        for part in path.split(separator: "/") { p += "/" + part; folders.insert(p) }
    }
    public func list(_ path: String) throws(DiskError) -> [String] {
        guard folders.contains(path) else { throw .notFound(path) }
        return (Array(files.keys) + Array(folders)).filter { $0 != path && parent($0) == path }.map { String($0.split(separator: "/").last ?? "") }.sorted()
    }
    public func status(_ path: String) -> FileStatus? {
        if let f = files[path] { return FileStatus(isFolder: false, size: f.0.count, modified: f.1) }
        return folders.contains(path) ? FileStatus(isFolder: true, size: 0, modified: .zero) : nil
    }
    public func files(under path: String) -> [String] { files.keys.filter { $0.hasPrefix(path + "/") }.sorted() }
    public func flush() {}
    public func powerCut(seed: UInt64) {}
}
