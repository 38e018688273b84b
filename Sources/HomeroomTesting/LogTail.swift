import Glibc

/// The end of what a process has printed, for messages about its death.
enum LogTail {
    private static let linesMax = 12

    /// `: ` and the last lines; nothing for an empty log.
    static func words(_ path: String) -> String {
        guard let text = try? read(path) else { return "" }
        let lines = text.split(separator: "\n").suffix(linesMax)
        return lines.isEmpty ? "" : ":\n" + lines.map { "   " + $0 }.joined(separator: "\n")
    }

    struct Unreadable: Error {}
    /// At most the first MiB.
    static func read(_ path: String) throws -> String {
        let fd = open(path, O_RDONLY | O_CLOEXEC)
        guard fd >= 0 else { throw Unreadable() }
        defer { close(fd) }
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 1 << 16)
        while bytes.count < 1 << 20, case let got = Glibc.read(fd, &part, part.count), got > 0 { bytes += part[..<got] }
        return String(decoding: bytes, as: UTF8.self)
    }
}
