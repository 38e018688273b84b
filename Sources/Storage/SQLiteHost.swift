import CDisk
import CSQLite
import FleetModel

private func volume(_ pointer: UnsafeMutableRawPointer?) -> Disk? {
    pointer.map { Unmanaged<Disk>.fromOpaque($0).takeUnretainedValue() }
}
private func file(_ pointer: UnsafeMutableRawPointer?) -> OpenFile? {
    pointer.map { Unmanaged<OpenFile>.fromOpaque($0).takeUnretainedValue() }
}

/// The calls of the C side, each to its volume or file.
enum SQLiteHost {
    /// Registers a VFS for the disk; nil when memory is short.
    static func mount(_ disk: Disk) -> OpaquePointer? {
        var host = cdisk_host(
            open: { pointer, name, flags, out in
                guard let opened = volume(pointer)?.open(name.map { String(cString: $0) }, flags) else {
                    return SQLITE_CANTOPEN
                }
                out?.pointee = Unmanaged.passRetained(opened).toOpaque()
                return SQLITE_OK
            },
            close: { pointer in
                guard let pointer else { return }
                Unmanaged<OpenFile>.fromOpaque(pointer).takeRetainedValue().close()
            },
            read: { pointer, into, count, offset, got in
                let target = UnsafeMutableRawBufferPointer(start: into, count: Int(count))
                guard let done = file(pointer)?.read(into: target, at: Int(offset)) else { return cdisk_ioerr_read }
                got?.pointee = Int32(done)
                return SQLITE_OK
            },
            write: { pointer, from, count, offset in
                let source = UnsafeRawBufferPointer(start: from, count: Int(count))
                return file(pointer)?.write(source, at: Int(offset)) ?? cdisk_ioerr_write
            },
            truncate: { pointer, size in file(pointer)?.truncate(to: Int(size)) ?? cdisk_ioerr_truncate },
            sync: { pointer in file(pointer)?.sync() ?? cdisk_ioerr_sync },
            size: { pointer, size in
                guard let file = file(pointer) else { return cdisk_ioerr_size }
                size?.pointee = Int64(file.file.content.size)
                return SQLITE_OK
            },
            lock: { pointer, level in file(pointer)?.lock(level) ?? cdisk_ioerr_lock },
            locked_elsewhere: { pointer in file(pointer)?.isLockedElsewhere == true ? 1 : 0 },
            remove: { pointer, name, syncFolder in
                guard let disk = volume(pointer), let name else { return cdisk_ioerr_delete }
                return disk.delete(String(cString: name), syncingFolder: syncFolder != 0)
            },
            exists: { pointer, name in
                guard let disk = volume(pointer), let name else { return 0 }
                return disk.status(String(cString: name)) == nil ? 0 : 1
            },
            now: { pointer in
                let nanoseconds = Instant.epochNanoseconds &+ (volume(pointer)?.now.nanoseconds ?? 0)
                return nanoseconds / 1_000_000
            }
        )
        return cdisk_mount(Unmanaged.passUnretained(disk).toOpaque(), &host)
    }
}
