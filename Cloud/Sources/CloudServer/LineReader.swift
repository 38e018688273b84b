import Foundation

/// Reads a file, or what another program writes, line by line; little more than one line is in memory.
public struct LineReader: Sendable {
    /// Nothing that is imported has such lines.
    public struct TooLong: Error, CustomStringConvertible {
        public var description: String { "a line is longer than \(LineReader.bytesMax) bytes; this is no export" }
    }
    /// The largest file in base64 (cloudkit-web-services.md 10), with something to spare.
    static let bytesMax = 128 << 20
    private static let partBytes = 1 << 18

    private let handle: FileHandle
    private let bytesMax: Int
    /// What was read and not given back yet begins at `start`.
    private var buffer: [UInt8] = []
    private var start = 0

    public init(_ handle: FileHandle) { self.init(handle, bytesMax: Self.bytesMax) }
    init(_ handle: FileHandle, bytesMax: Int) {
        self.handle = handle
        self.bytesMax = bytesMax
    }

    /// The next line without its end; nil after the last.
    /// - Throws: `TooLong`; what Foundation says of a file that cannot be read.
    public mutating func next() throws -> [UInt8]? {
        guard let end = try endOfLine() else { return nil }
        defer { start = min(end + 1, buffer.count) }
        return Array(buffer[start..<end])
    }
    /// The same line, which `next` gives yet.
    public mutating func peek() throws -> [UInt8]? { try endOfLine().map { Array(buffer[start..<$0]) } }
    /// Some of the bytes that come next, whatever the lines; nil at the end.
    mutating func part() throws -> [UInt8]? {
        guard try start < buffer.count || fill() else { return nil }
        defer { start = buffer.count }
        return Array(buffer[start...])
    }

    /// Where the next line ends in the buffer; nil when nothing comes any more.
    private mutating func endOfLine() throws -> Int? {
        var looked = start
        while true {
            if let end = buffer[looked...].firstIndex(of: 10) { return end }
            guard buffer.count - start <= bytesMax else { throw TooLong() }
            looked = buffer.count - start
            if try !fill() { return start < buffer.count ? buffer.count : nil }
        }
    }
    /// Reads on, and forgets what was given back.
    /// - Returns: false at the end.
    private mutating func fill() throws -> Bool {
        buffer.removeFirst(start)
        start = 0
        guard let part = try handle.read(upToCount: Self.partBytes), !part.isEmpty else { return false }
        buffer += part
        return true
    }
}

/// The rest of what a reader reads, in parts, for a body that is sent as it is read.
struct PartSequence<Part: Sendable>: AsyncSequence, Sendable {
    let lines: LineReader
    let part: @Sendable ([UInt8]) -> Part

    struct Iterator: AsyncIteratorProtocol {
        var lines: LineReader
        let part: @Sendable ([UInt8]) -> Part
        mutating func next() async throws -> Part? { try lines.part().map(part) }
    }
    func makeAsyncIterator() -> Iterator { Iterator(lines: lines, part: part) }
}
