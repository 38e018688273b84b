import FleetModel
import Storage

/// Calls that read and write in the middle of a file: a database's (Docs/local-link.md, Files).
extension FileCall {
    /// The most that one call reads; SQLite's largest page is 65,536 bytes.
    private static let readMax: Int64 = 1 << 20

    /// `file.open {path, create}` -> `{size}`. The file is open until `file.close`.
    func open(_ path: String, _ message: Message) throws -> Value {
        guard let creates = try? FileMessages.Open(message).create else {
            throw LinkError.malformed("'create' of \(message.name) must be true or false")
        }
        try mustBeHere(path)
        let isThere = disk.status(path) != nil
        if !isThere, creates {
            try mayEdit(path)
            try gate.check(path, .change, exists: false)
            try changing(path) { try disk.create(path) }
        } else {
            try gate.check(path, .read, exists: isThere)
        }
        guard let status = disk.status(path), !status.isFolder else {
            throw LinkError.cocoa(260, "there is no file at \(path)")
        }
        return FileMessages.Open.Answer { $0.size = Int(status.size) }.body
    }
    /// `file.readAt {path, offset, count}` -> `{data}`: fewer bytes where the file ends.
    func readAt(_ path: String, _ message: Message) throws -> Value {
        try gate.check(path, .handle, exists: true)
        try mustBeHere(path)
        let asked = FileMessages.Place(lenient: message.body)
        let offset = try place(asked.offset, "offset", in: path, message)
        guard let count = asked.count, (0...Self.readMax).contains(count) else {
            throw LinkError.malformed("'count' of \(message.name) must be 0 to \(Self.readMax) bytes")
        }
        return FileMessages.Bytes(try asking(path) { try disk.read(path, at: offset, count: Int(count)) }).body
    }
    /// `file.writeAt {path, offset, data}`: into a file that is there.
    func writeAt(_ path: String, _ message: Message) throws {
        let asked = FileMessages.Place(lenient: message.body)
        let (data, offset) = (try data(message), try place(asked.offset, "offset", in: path, message))
        try mayEdit(path)
        try gate.check(path, .handle, exists: true)
        try growing(path, by: data.count) { try disk.write(path, data, at: offset) }
    }
    /// `file.truncate {path, size}`.
    func truncate(_ path: String, _ message: Message) throws {
        let size = try place(FileMessages.Place(lenient: message.body).size, "size", in: path, message)
        try mayEdit(path)
        try gate.check(path, .handle, exists: true)
        try growing(path, by: max(0, size - (disk.status(path)?.size ?? 0))) { try disk.truncate(path, to: size) }
    }

    /// A place in a file: not so far beyond its end that it cannot be meant.
    private func place(_ place: Int64?, _ key: String, in path: String, _ message: Message) throws -> Int {
        let end = (disk.status(path)?.size ?? 0) + Disk.gapMax
        guard let place, (0...Int64(end)).contains(place) else {
            throw LinkError.malformed(
                "'\(key)' of \(message.name) must be a place in the file, in bytes, at most \(end)")
        }
        return Int(place)
    }
}
