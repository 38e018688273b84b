import CDisk
import CSQLite
import DeterministicRuntime
import FleetModel
import PadApp

/// What the C side holds on to.
private final class Opened {
    let file: any ServedFile
    init(_ file: any ServedFile) { self.file = file }
    var database: DatabaseFile? { file as? DatabaseFile }
}
private func opened(_ pointer: UnsafeMutableRawPointer?) -> Opened? {
    pointer.map { Unmanaged<Opened>.fromOpaque($0).takeUnretainedValue() }
}
private func file(_ pointer: UnsafeMutableRawPointer?) -> (any ServedFile)? { opened(pointer)?.file }
private func databases() -> SandboxDatabases? { AppLink.ifRunning.map(SandboxDatabases.of) }

/// SQLite for apps, unmodified: `sqlite3_open`, GRDB and whatever else opens its files by the default VFS.
///
/// The bytes lie on the iPad's disk, in the app's sandbox: a power cut tears them, a full disk and a locked iPad refuse them, a purge takes
/// them (Docs/decisions/0022-sqlite-in-the-sandbox.md).
public enum SandboxSQLite {
    /// Makes the default VFS serve apps. Once a process, before its first app; again changes nothing.
    public static func install() {
        var host = cdisk_app_host()
        host.files = files
        host.running = { AppLink.ifRunning.map { Unmanaged.passUnretained($0).toOpaque() } }
        host.shm_map = { pointer, number, size, extends, at in
            guard let file = opened(pointer)?.database else { return SQLITE_IOERR }
            let region = file.shared.region(Int(number), of: Int(size), extends: extends != 0, file.handle)
            at?.pointee = region
            return SQLITE_OK
        }
        host.shm_lock = { pointer, offset, count, flags in
            guard let file = opened(pointer)?.database else { return SQLITE_IOERR }
            let range = Int(offset)..<Int(offset + count)
            return file.shared.indexLocks.set(file.handle, range, flags) ? SQLITE_OK : SQLITE_BUSY
        }
        host.shm_unmap = { pointer, _ in
            guard let file = opened(pointer)?.database else { return }
            file.shared.unmap(file.handle)
        }
        host.used_by = { pointer, connection in opened(pointer)?.database?.connection = connection }
        cdisk_serve_apps(&host)
    }

    private static var files: cdisk_host {
        cdisk_host(
            open: { _, name, flags, out in
                let made: any ServedFile
                if let name {
                    guard let databases = databases() else { return SQLITE_CANTOPEN }
                    let (file, code) = databases.open(String(cString: name), flags)
                    guard let file else { return code }
                    made = file
                } else {
                    made = TemporaryFile()
                }
                out?.pointee = Unmanaged.passRetained(Opened(made)).toOpaque()
                return SQLITE_OK
            },
            close: { pointer in
                guard let pointer else { return }
                Unmanaged<Opened>.fromOpaque(pointer).takeRetainedValue().file.close()
            },
            read: { pointer, into, count, offset, got in
                let target = UnsafeMutableRawBufferPointer(start: into, count: Int(count))
                guard let file = file(pointer) else { return cdisk_ioerr_read }
                let (done, code) = file.read(into: target, at: Int(offset))
                got?.pointee = Int32(done ?? 0)
                return code
            },
            write: { pointer, from, count, offset in
                let source = UnsafeRawBufferPointer(start: from, count: Int(count))
                return file(pointer)?.write(source, at: Int(offset)) ?? cdisk_ioerr_write
            },
            truncate: { pointer, size in file(pointer)?.truncate(to: Int(size)) ?? cdisk_ioerr_truncate },
            sync: { pointer in file(pointer)?.sync() ?? cdisk_ioerr_sync },
            size: { pointer, size in
                guard let (bytes, code) = file(pointer)?.size(), let bytes else { return cdisk_ioerr_size }
                size?.pointee = bytes
                return code
            },
            lock: { pointer, level in file(pointer)?.lock(level) ?? cdisk_ioerr_lock },
            locked_elsewhere: { pointer in file(pointer)?.isReservedElsewhere == true ? 1 : 0 },
            remove: { _, name, syncsFolder in
                guard let databases = databases(), let name else { return cdisk_ioerr_delete }
                return databases.remove(String(cString: name), syncsFolder: syncsFolder != 0)
            },
            exists: { _, name in
                guard let databases = databases(), let name else { return 0 }
                return databases.exists(String(cString: name)) ? 1 : 0
            },
            now: { _ in
                (Instant.epochNanoseconds &+ (AppLoop.current?.now ?? 0)) / 1_000_000
            }
        )
    }
}
