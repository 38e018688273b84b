import FleetModel

/// Bytes in the middle of a file, as a database needs them. Nothing is synced: what a power cut does to it is `Disk`'s.
extension Disk {
    /// How far beyond its end a file may be written or made longer for an app: a hostile offset must not fill the machine. ASSUMED.
    public static let gapMax = 64 << 20

    /// Makes an empty file; one that is there stays as it is.
    /// - Throws: `.badPath` when its folder is missing or a folder stands there.
    public func create(_ path: String) throws(DiskError) {
        let path = try DiskPath(path)
        if find(path) != nil { return _ = try file(path) }
        _ = try folder(above: path)
        try beginChange()
        _ = try addFile(path)
    }
    /// - Returns: the bytes of a range, fewer where the file ends.
    public func read(_ path: String, at offset: Int, count: Int) throws(DiskError) -> [UInt8] {
        try checkPower()
        return try file(DiskPath(path)).content.bytes(at: offset, count: count)
    }
    /// Writes into a file that is there; a gap before `offset` reads as zeros.
    /// - Parameter offset: 0 to the file's size and `gapMax`; the caller has checked it.
    /// - Throws: `.full` leaves the old content.
    public func write(_ path: String, _ bytes: [UInt8], at offset: Int) throws(DiskError) {
        let file = try file(DiskPath(path))
        try checkSpace(offset + bytes.count - file.content.size)
        try beginChange()
        try change(file, bytes, at: offset)
    }
    /// Cuts the end of a file off, or adds zeros.
    public func truncate(_ path: String, to size: Int) throws(DiskError) {
        let file = try file(DiskPath(path))
        try checkSpace(size - file.content.size)
        try beginChange()
        try resize(file, to: size)
    }
}
