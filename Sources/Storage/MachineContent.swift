import FleetModel
import Glibc

/// A file whose bytes lie in a real file of the machine: `fleet`. Volatile bytes are there at once, so that a SIGKILL of the
/// process loses nothing that a real one would not lose.
///
/// Does not model: the machine's own crash. Nothing is ever fsynced; the model of durability is `PendingWrite`.
final class MachineContent: FileContent {
    private(set) var size: Int
    /// The node whose real path this is; set once the node exists.
    weak var node: File?
    private let disk: Machine
    private var descriptor: Int32 = -1
    private var holders = 0

    init(size: Int, disk: Machine) {
        self.size = size
        self.disk = disk
    }
    deinit { if descriptor >= 0 { close(descriptor) } }

    func read(into target: UnsafeMutableRawBufferPointer, at offset: Int) throws(DiskError) -> Int {
        try withDescriptor { (descriptor) throws(DiskError) in
            var done = 0
            while done < target.count {
                let got = pread(
                    descriptor, target.baseAddress?.advanced(by: done), target.count - done, off_t(offset + done))
                if got < 0, errno == EINTR { continue }
                guard got >= 0 else { throw Machine.failure("read", location) }
                if got == 0 { break }
                done += got
            }
            return done
        }
    }
    func write(_ source: UnsafeRawBufferPointer, at offset: Int) throws(DiskError) {
        try withDescriptor { (descriptor) throws(DiskError) in
            var done = 0
            while done < source.count {
                let put = pwrite(
                    descriptor, source.baseAddress?.advanced(by: done), source.count - done, off_t(offset + done))
                if put < 0, errno == EINTR { continue }
                guard put > 0 else { throw Machine.failure("write", location) }
                done += put
            }
            try disk.stamp(descriptor, location)
        }
        size = max(size, source.isEmpty ? size : offset + source.count)
    }
    func resize(to size: Int) throws(DiskError) {
        guard size != self.size else { return }
        try withDescriptor { (descriptor) throws(DiskError) in
            guard ftruncate(descriptor, off_t(size)) == 0 else { throw Machine.failure("truncate", location) }
            try disk.stamp(descriptor, location)
        }
        self.size = size
    }

    func hold() { holders += 1 }
    func letGo() {
        holders -= 1
        guard holders == 0, descriptor >= 0 else { return }
        close(descriptor)
        descriptor = -1
    }

    private var location: String { node?.realPath ?? "(a closed file)" }

    /// Keeps the descriptor while somebody holds the file: thousands of idle files must not use up the process's limit.
    private func withDescriptor<T>(_ body: (Int32) throws(DiskError) -> T) throws(DiskError) -> T {
        if descriptor >= 0 { return try body(descriptor) }
        let opened = open(location, O_RDWR | O_CLOEXEC)
        guard opened >= 0 else { throw Machine.failure("open", location) }
        if holders > 0 {
            descriptor = opened
            return try body(opened)
        }
        defer { close(opened) }
        return try body(opened)
    }
}
