import FleetModel
import Glibc

/// The lines of a trace, one after the other: of a file only a piece is in memory. What gzip has packed is unpacked by `gzip -dc`.
final class TraceLines {
    /// ASSUMED: no line is longer but by mistake; the header holds a scenario, which has at most 1 MiB.
    private static let lineMax = 64 << 20
    private static let pieceSize = 1 << 16
    /// ASSUMED: no trace is longer but by malice, since a file of a few kilobytes can unpack to a thousand times as much. Who has a longer
    /// one unpacks it first: then it is on his disk already.
    static let unpackedMax = 1 << 30

    private let path: String
    private var file: UnsafeMutablePointer<FILE>?
    private var isPacked = false
    /// How many bytes more may be unpacked.
    private var room: Int
    private var buffer: [UInt8]
    /// Where the next line begins in the buffer.
    private var start = 0
    /// The line that came last was the end of the input, without a line feed.
    private(set) var isCut = false

    /// - Parameter path: the name that errors carry.
    init(bytes: [UInt8], path: String) {
        self.path = path
        buffer = bytes
        room = 0
    }

    /// - Parameter unpackedMax: bytes that a packed trace may have when it is unpacked.
    /// - Throws: `.unreadable` for what cannot be read, and for what does not begin as a trace does: a device that never ends is no trace.
    init(path: String, unpackedMax: Int = TraceLines.unpackedMax) throws(TraceProblem) {
        self.path = path
        buffer = []
        room = unpackedMax
        // Without waiting for somebody who opens the other end of a pipe.
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0, let opened = fdopen(descriptor, "r") else {
            throw TraceProblem(.unreadable, "cannot read \(path): \(String(cString: strerror(errno)))")
        }
        _ = fcntl(descriptor, F_SETFL, 0)
        file = opened
        let isPipe = Self.isPipe(descriptor)
        try readPiece()
        guard !isPipe || !buffer.isEmpty else {
            throw TraceProblem(
                .unreadable, "\(path): is a pipe into which nobody writes; start the writer first, or give a file")
        }
        if buffer.starts(with: [0x1f, 0x8b]) {
            guard !isPipe else {
                throw TraceProblem(
                    .unreadable, "\(path): is a pipe that brings a packed trace; unpack it on the way, by gzip -dc")
            }
            try unpack()
        }
        guard buffer.isEmpty || buffer[0] == UInt8(ascii: "{") else {
            throw TraceProblem(.unreadable, "\(path):1:1: not a Homeroom trace: the first line is no JSON object")
        }
    }
    deinit { _ = close() }
    private static func isPipe(_ descriptor: Int32) -> Bool {
        var status = stat()
        return fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO
    }

    /// The next line without its line feed; nil at the end.
    func next() throws(TraceProblem) -> [UInt8]? {
        var searched = start
        while true {
            if let end = lineFeed(from: searched) {
                defer { start = end + 1 }
                return Array(buffer[start..<end])
            }
            searched = buffer.count - start
            guard file != nil else { break }
            // What has been given is not needed any more.
            buffer.removeFirst(start)
            start = 0
            guard buffer.count <= Self.lineMax else {
                throw TraceProblem(
                    .unreadable, "\(path): a line has more than \(Self.lineMax >> 20) MiB; record it again")
            }
            try readPiece()
        }
        guard start < buffer.count else { return nil }
        defer { start = buffer.count }
        isCut = true
        return Array(buffer[start...])
    }

    private func lineFeed(from index: Int) -> Int? {
        buffer.withUnsafeBytes { bytes in
            guard index < bytes.count, let base = bytes.baseAddress,
                let found = memchr(base + index, 10, bytes.count - index)
            else { return nil }
            return base.distance(to: UnsafeRawPointer(found))
        }
    }

    /// Adds the next bytes to the buffer; closes the file when there are none.
    private func readPiece() throws(TraceProblem) {
        guard let file else { return }
        var piece = [UInt8](repeating: 0, count: Self.pieceSize)
        let got = fread(&piece, 1, piece.count, file)
        buffer.append(contentsOf: piece[..<got])
        if isPacked {
            room -= got
            guard room >= 0 else {
                throw TraceProblem(
                    .unreadable,
                    "\(path): unpacks to more than a trace should have; if it is one, unpack it first (gzip -d)")
            }
        }
        guard got == 0 else { return }
        guard ferror(file) == 0 else { throw TraceProblem(.unreadable, "cannot read \(path): is it a folder?") }
        guard close() else {
            throw TraceProblem(
                .unreadable,
                "\(path): 'gzip -dc' cannot unpack it: the file is damaged, or gzip is not installed; unpack it first")
        }
    }

    private func unpack() throws(TraceProblem) {
        _ = close()
        buffer = []
        let quoted = "'" + path.replacingQuotes + "'"
        guard let pipe = popen("exec gzip -dc -- \(quoted) 2>/dev/null", "r") else {
            throw TraceProblem(.unreadable, "\(path): gzip cannot be started: \(String(cString: strerror(errno)))")
        }
        (file, isPacked) = (pipe, true)
        try readPiece()
    }

    /// Whether what was read is whole, as far as gzip knows.
    private func close() -> Bool {
        guard let file else { return true }
        self.file = nil
        return isPacked ? pclose(file) == 0 : fclose(file) == 0
    }
}

extension String {
    /// As a shell takes it between single quotes.
    fileprivate var replacingQuotes: String {
        split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''")
    }
}
