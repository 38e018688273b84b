import Glibc
import Run

/// A file of results: replaced when it is whole, or left as it is. Links are followed; a device, a pipe and our own standard output cannot be
/// replaced and are written into.
struct OutputFile {
    let path: String
    /// What an error advises.
    let way: Folders.Way
    private let place: String
    private let isReplaced: Bool
    /// Our own standard output or error, when the path means it.
    private let stream: Int32?

    init(_ path: String, orElse way: Folders.Way) {
        self.path = path
        self.way = way
        place = Self.followed(path)
        var there = stat()
        let isThere = stat(path, &there) == 0
        stream = isThere ? [1, 2].first { Self.isSame($0, there) } : nil
        isReplaced = stream == nil && (!isThere || there.st_mode & S_IFMT == S_IFREG)
    }
    private static func followed(_ path: String) -> String {
        guard let real = realpath(path, nil) else { return path }
        defer { free(real) }
        return String(cString: real)
    }
    private static func isSame(_ descriptor: Int32, _ there: stat) -> Bool {
        var own = stat()
        return fstat(descriptor, &own) == 0 && own.st_dev == there.st_dev && own.st_ino == there.st_ino
    }

    /// Whether `write` could begin; what lies there stays as it is. Makes the folder that it is to lie in.
    /// - Throws: `RunEnd.input` with the machine's reason.
    func probe() throws {
        guard !Folders.isFolder(path) else {
            throw RunEnd.input("cannot write \(path): it is a folder; \(way.rawValue)")
        }
        // A pipe that is opened and closed again would have ended for its reader.
        guard isReplaced else {
            guard access(place, W_OK) == 0 else { throw unwritable }
            return
        }
        if let slash = place.lastIndex(of: "/"), slash > place.startIndex,
            !Folders.exists(String(place[..<slash]))
        {
            try Folders.make(String(place[..<slash]), orElse: way)
        }
        guard let file = opened() else { throw unwritable }
        fclose(file)
        unlink(partial)
    }

    /// - Throws: `RunEnd.input` with the machine's reason and what to do.
    func write(_ text: String) throws(RunEnd) { try write(Array(text.utf8)) }

    /// - Throws: `RunEnd.input` with the machine's reason and what to do.
    func write(_ bytes: [UInt8]) throws(RunEnd) {
        guard let file = opened() else { throw unwritable }
        var isWritten = fwrite(bytes, 1, bytes.count, file) == bytes.count && fflush(file) == 0
        // On the disk before it has its name, or a power cut leaves neither the old one nor the new one.
        if isReplaced, isWritten { isWritten = fsync(fileno(file)) == 0 }
        let reason = errno
        let isClosed = fclose(file) == 0
        if !isWritten { errno = reason }
        guard isWritten, isClosed, !isReplaced || rename(partial, place) == 0 else {
            let problem = unwritable
            if isReplaced { unlink(partial) }
            throw problem
        }
    }

    private var partial: String { place + ".partial" }

    private func opened() -> UnsafeMutablePointer<FILE>? {
        if isReplaced { return fopen(partial, "w") }
        guard let stream else { return fopen(place, "a") }
        // Not opened again: that would have a place of its own in a file, and write over what follows.
        fflush(nil)
        return fdopen(dup(stream), "a")
    }
    private var unwritable: RunEnd {
        let isFull = [ENOSPC, EDQUOT, EFBIG].contains(errno)
        return .input("cannot write \(path): \(Folders.reason); \(isFull ? "free space or " : "")\(way.rawValue)")
    }
}
