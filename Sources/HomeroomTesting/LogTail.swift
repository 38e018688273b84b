import Glibc

/// The end of what a process has printed, for messages about its death.
enum LogTail {
    private static let linesMax = 12

    /// `: ` and the last lines; nothing for an empty log.
    static func words(_ path: String) -> String {
        guard let text = try? read(path) else { return "" }
        let lines = text.split(separator: "\n").filter { !isFrame($0) }.suffix(linesMax)
        return lines.isEmpty ? "" : ":\n" + lines.map { "   " + $0 }.joined(separator: "\n")
    }

    /// Of the runtime's own backtrace, without names: `8    tests    0x000055df809666b4 <unavailable> + 21116596`.
    private static func isFrame(_ line: Substring) -> Bool {
        let words = line.split(separator: " ", omittingEmptySubsequences: true)
        return words.count > 3 && Int(words[0]) != nil && words[2].hasPrefix("0x")
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
