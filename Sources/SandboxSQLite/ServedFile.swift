import CSQLite

/// What SQLite does with a file. Codes are SQLite's.
protocol ServedFile: AnyObject {
    /// - Returns: the number of bytes that were there, or nil and a result code.
    func read(into target: UnsafeMutableRawBufferPointer, at offset: Int) -> (count: Int?, code: Int32)
    func write(_ source: UnsafeRawBufferPointer, at offset: Int) -> Int32
    func truncate(to size: Int) -> Int32
    func sync() -> Int32
    func size() -> (bytes: Int64?, code: Int32)
    func lock(_ level: Int32) -> Int32
    var isReservedElsewhere: Bool { get }
    func close()
}

/// A file without a name, for SQLite's own use: it lies in the app's memory, and nobody else sees it.
final class TemporaryFile: ServedFile {
    private var bytes: [UInt8] = []

    func read(into target: UnsafeMutableRawBufferPointer, at offset: Int) -> (count: Int?, code: Int32) {
        let count = max(0, min(target.count, bytes.count - offset))
        if count > 0 { target.copyBytes(from: bytes[offset..<offset + count]) }
        return (count, SQLITE_OK)
    }
    func write(_ source: UnsafeRawBufferPointer, at offset: Int) -> Int32 {
        _ = truncate(to: max(bytes.count, offset + source.count))
        bytes.replaceSubrange(offset..<offset + source.count, with: source)
        return SQLITE_OK
    }
    func truncate(to size: Int) -> Int32 {
        if size < bytes.count { bytes.removeLast(bytes.count - size) }
        if size > bytes.count { bytes += Array(repeating: 0, count: size - bytes.count) }
        return SQLITE_OK
    }
    func sync() -> Int32 { SQLITE_OK }
    func size() -> (bytes: Int64?, code: Int32) { (Int64(bytes.count), SQLITE_OK) }
    func lock(_ level: Int32) -> Int32 { SQLITE_OK }
    var isReservedElsewhere: Bool { false }
    func close() {}
}
