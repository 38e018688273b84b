import FleetModel
import Glibc
import Run

/// What one part of a search has finished, a line each: a part that was ended goes on from it, and `merge` joins it with the others.
///
/// Invariant: the first line is the header, which says what was asked for; the last one of a part that came to its end says so. A line that a
/// kill cut off counts as not written.
struct PartFile {
    /// How the names of these files end.
    static let suffix = ".part.jsonl"
    private static let endLine: Value = ["ended": true]

    /// What stands in a file.
    struct Content {
        var path: String
        var header: Value
        /// Without the header and the end.
        var lines: [Value] = []
        /// The part did all that it was asked for.
        var isEnded = false
        fileprivate var wholeBytes = 0

        var shard: Shard? { header["shard"]?.string.flatMap { Shard($0) } }
    }

    let path: String
    private(set) var content: Content
    private let descriptor: Int32

    /// The file of a part in a folder.
    static func path(in folder: String, _ name: String, _ shard: Shard) -> String {
        "\(folder)/\(name)-\(shard.index)-of-\(shard.count)\(suffix)"
    }

    /// What a part is asked for. Only what decides about its results belongs into it.
    static func header(_ kind: String, _ shard: Shard, asked: Value) -> Value {
        [
            "homeroom": .string(kind), "shard": .string("\(shard)"), "build": .string(Homeroom.build), "asked": asked,
        ]
    }

    /// The header without the path of the scenario, which other folders see elsewhere.
    private static func asked(_ header: Value) -> Value {
        var header = header
        header["file"] = nil
        return header
    }

    /// Opens the file of this part, or begins it, and keeps others out of it until `close`.
    /// - Throws: `RunEnd.input` when it is of another search, another process writes it, or it cannot be written.
    init(_ path: String, header: Value) throws {
        self.path = path
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else {
            throw RunEnd.input("cannot write \(path): \(Folders.reason); choose another --out")
        }
        content = Content(path: path, header: header)
        do {
            guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
                throw RunEnd.input("\(path): this part is being played already: wait for it or choose another --out")
            }
            if let there = try Self.read(path) {
                guard Self.asked(there.header) == Self.asked(header) else {
                    throw RunEnd.input(
                        "\(path): is of another search or another build of this command; remove it or choose another --out"
                    )
                }
                content = there
            }
            guard ftruncate(descriptor, off_t(content.wholeBytes)) == 0, lseek(descriptor, 0, SEEK_END) >= 0 else {
                throw RunEnd.input("cannot write \(path): \(Folders.reason); choose another --out")
            }
            if content.wholeBytes == 0 { try append(header) }
        } catch {
            Glibc.close(descriptor)
            throw error
        }
    }

    /// - Throws: `RunEnd.input` when the disk does not take it.
    func append(_ line: Value) throws {
        var left = Array((line.json + "\n").utf8)[...]
        while !left.isEmpty {
            let taken = left.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if taken < 0, errno == EINTR { continue }
            guard taken > 0 else {
                throw RunEnd.input("cannot write \(path): \(Folders.reason); free space, then run this part again")
            }
            left = left.dropFirst(taken)
        }
    }

    /// The part did all that it was asked for.
    func end() throws { if !content.isEnded { try append(Self.endLine) } }

    /// Lets others in.
    func close() { Glibc.close(descriptor) }

    /// - Returns: nil for an empty file, which a part leaves that was killed at its very beginning.
    /// - Throws: `RunEnd.input` for a file that no part wrote.
    static func read(_ path: String) throws -> Content? {
        let bytes = try Folders.bytes(path, bytesMax: 1 << 31)
        var content: Content?
        var start = 0
        while let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) {
            let number = (content.map { $0.lines.count } ?? 0) + 1
            guard let line = try? Value(json: Array(bytes[start..<end])) else {
                throw RunEnd.input("\(path):\(number):1: is not a line of JSON; remove the file and run its part again")
            }
            start = end + 1
            if content == nil {
                guard line["homeroom"]?.string != nil, line["shard"]?.string.flatMap({ Shard($0) }) != nil else {
                    throw RunEnd.input("\(path):1:1: no part of a search wrote this; give the folder of parts")
                }
                content = Content(path: path, header: line)
            } else if line == endLine {
                content?.isEnded = true
            } else {
                content?.lines.append(line)
            }
            content?.wholeBytes = start
        }
        return content
    }

    /// All parts at or below a path.
    static func all(in path: String, depth: Int = 0) throws -> [Content] {
        guard Folders.isFolder(path) else { return path.hasSuffix(suffix) ? [try read(path)].compactMap { $0 } : [] }
        // As deep as results are looked for (`ResultsTree`).
        guard depth <= 4 else { return [] }
        let place = ResultsTree.plain(path)
        return try Folders.list(place).flatMap { try all(in: "\(place)/\($0)", depth: depth + 1) }
    }
}
