/// The bytes of one file as programs see them now. Two kinds, one behaviour: `MemoryContent` and `MachineContent`.
protocol FileContent: AnyObject {
    var size: Int { get }
    /// - Returns: bytes copied; fewer than wanted only at the end of the file.
    func read(into target: UnsafeMutableRawBufferPointer, at offset: Int) throws(DiskError) -> Int
    /// A gap between the old end and `offset` reads as zeros.
    func write(_ source: UnsafeRawBufferPointer, at offset: Int) throws(DiskError)
    /// Cuts the end off, or adds zeros.
    func resize(to size: Int) throws(DiskError)
    /// Keeps what is needed for many small accesses at hand, as long as a database has the file open.
    func hold()
    func letGo()
}

extension FileContent {
    /// The bytes of a range, as far as there are any.
    func bytes(at offset: Int, count: Int) throws(DiskError) -> [UInt8] {
        let there = max(0, min(count, size - offset))
        guard there > 0 else { return [] }
        var failure: DiskError?
        let bytes = [UInt8](unsafeUninitializedCapacity: there) { buffer, initialized in
            do throws(DiskError) {
                initialized = try read(into: UnsafeMutableRawBufferPointer(buffer), at: offset)
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return bytes
    }
    func all() throws(DiskError) -> [UInt8] { try bytes(at: 0, count: size) }

    func write(_ bytes: [UInt8], at offset: Int) throws(DiskError) {
        var failure: DiskError?
        bytes.withUnsafeBytes { source in
            do throws(DiskError) { try write(source, at: offset) } catch { failure = error }
        }
        if let failure { throw failure }
    }
}

/// A file in the memory of this process: `sim`, and temporary files.
///
/// One block that grows by half, moved with plain copies: a build without optimisation runs whole test days on it.
final class MemoryContent: FileContent {
    private(set) var size = 0
    private var block = UnsafeMutableRawBufferPointer(start: nil, count: 0)

    deinit { block.deallocate() }

    func read(into target: UnsafeMutableRawBufferPointer, at offset: Int) -> Int {
        let count = min(target.count, size - offset)
        guard count > 0 else { return 0 }
        target.copyMemory(from: UnsafeRawBufferPointer(rebasing: block[offset..<offset + count]))
        return count
    }
    func write(_ source: UnsafeRawBufferPointer, at offset: Int) {
        guard !source.isEmpty else { return }
        let end = offset + source.count
        if end > size { resize(to: end) }
        UnsafeMutableRawBufferPointer(rebasing: block[offset..<end]).copyMemory(from: source)
    }
    func resize(to newSize: Int) {
        // Room for half as much again while it grows; given back once most of it lies idle.
        if newSize > block.count {
            move(to: newSize + newSize / 2)
        } else if newSize < block.count / 4 {
            move(to: newSize)
        }
        if newSize > size, let start = block.baseAddress {
            start.advanced(by: size).initializeMemory(as: UInt8.self, repeating: 0, count: newSize - size)
        }
        size = newSize
    }
    private func move(to capacity: Int) {
        let new = UnsafeMutableRawBufferPointer.allocate(byteCount: capacity, alignment: 16)
        let kept = min(size, capacity)
        if kept > 0 { new.copyMemory(from: UnsafeRawBufferPointer(rebasing: block[..<kept])) }
        block.deallocate()
        block = new
    }
    func hold() {}
    func letGo() {}
}
