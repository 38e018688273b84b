import FleetModel
import Foundation
import Testing

@testable import Storage

/// Two disks with the same operations behind them: one in memory, one on a real directory that goes with the test.
final class TwoDisks {
    let memory = Disk.memory()
    private(set) var directory: Disk
    let root: String

    init(_ name: String = #function, in file: String = #fileID) throws {
        let place = NSTemporaryDirectory() + "homeroom-storage-\(getpid())-\(StableHash.of(0, file, name))"
        try? FileManager.default.removeItem(atPath: place)
        root = place
        directory = try Disk.directory(place)
    }
    deinit { try? FileManager.default.removeItem(atPath: root) }

    func both(_ body: (Disk) throws -> Void) rethrows {
        try body(memory)
        try body(directory)
    }
    /// A new process finds the directory; memory does the same by `processEnded`.
    func reopen() throws {
        directory = try Disk.directory(root)
        memory.processEnded()
    }
    var snapshots: (memory: [String], directory: [String]) { (snapshot(memory), snapshot(directory)) }
}

/// Everything that programs can learn of a disk.
func snapshot(_ disk: Disk) -> [String] {
    var lines: [String] = []
    func visit(_ path: String) {
        for name in (try? disk.list(path)) ?? [] {
            let child = path == "/" ? "/\(name)" : "\(path)/\(name)"
            guard let status = disk.status(child) else { continue }
            let content = status.isFolder ? [] : (try? disk.read(child)) ?? []
            // One character a byte, made without a loop: these tests run without optimisation.
            lines.append(
                "\(child) \(status.isFolder ? "folder" : "file") \(status.size) at \(status.modified) "
                    + latin1(content))
            if status.isFolder { visit(child) }
        }
    }
    visit("/")
    return lines + ["used \(disk.usedBytes)"]
}

/// Every byte as one character.
private func latin1(_ bytes: [UInt8]) -> String { String(data: Data(bytes), encoding: .isoLatin1) ?? "" }

func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }
/// Bytes that differ from sector to sector, so that tearing shows.
func pattern(_ count: Int, _ seed: UInt8) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: $0 / 512 &+ Int(seed)) }
}
