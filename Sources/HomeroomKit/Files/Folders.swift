import Glibc
import Run

/// Folders and files of results, with errors for people.
enum Folders {
    /// How somebody tells us another place: what an error advises.
    enum Way: String {
        case out = "choose another --out"
        case junit = "choose another --junit"
        case temporary = "set TMPDIR to another place"
    }

    /// Makes a folder and those above it.
    /// - Throws: `RunEnd.input` with the machine's reason.
    static func make(_ path: String, orElse way: Way = .out) throws {
        var made = path.hasPrefix("/") ? "" : "."
        for part in path.split(separator: "/") {
            made += "/" + part
            guard mkdir(made, 0o755) != 0, errno != EEXIST else { continue }
            throw RunEnd.input("cannot make the folder \(made): \(reason); \(way.rawValue)")
        }
        var status = stat()
        guard stat(path, &status) == 0 else {
            throw RunEnd.input("cannot use the folder '\(path)': \(reason); \(way.rawValue)")
        }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            throw RunEnd.input(
                "cannot write into \(path): a file is in the way; remove it or \(way.rawValue)")
        }
        guard access(path, W_OK) == 0 else {
            throw RunEnd.input("cannot write into \(path): \(reason); \(way.rawValue)")
        }
    }

    /// - Parameter bytesMax: longer files (a device that never ends) are refused instead of filling the memory.
    static func read(_ path: String, bytesMax: Int = 16 << 20) throws(RunEnd) -> String {
        let bytes = try bytes(path, bytesMax: bytesMax)
        guard let text = String(validating: bytes, as: UTF8.self) else {
            let before = bytes.prefix(validUTF8Count(bytes)).split(
                separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            let column = String(decoding: before.last ?? [], as: UTF8.self).unicodeScalars.count + 1
            throw RunEnd.input("\(path):\(before.count):\(column): is not UTF-8 text; save it as UTF-8")
        }
        // Some editors begin a file with a byte order mark.
        return text.unicodeScalars.first == "\u{feff}" ? String(text.unicodeScalars.dropFirst()) : text
    }

    static func bytes(_ path: String, bytesMax: Int) throws(RunEnd) -> [UInt8] {
        guard let file = fopen(path, "r") else { throw RunEnd.input("\(path): cannot be read: \(reason)") }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while case let got = fread(&buffer, 1, buffer.count, file), got > 0 {
            bytes.append(contentsOf: buffer[..<got])
            guard bytes.count <= bytesMax else {
                throw RunEnd.input("\(path):1:1: has more than \(bytesMax) bytes; is it the right file?")
            }
        }
        guard ferror(file) == 0 else { throw RunEnd.input("\(path): cannot be read: \(reason)") }
        return bytes
    }

    /// Bytes before the first that is no UTF-8: where repairing first differs.
    private static func validUTF8Count(_ bytes: [UInt8]) -> Int {
        let repaired = Array(String(decoding: bytes, as: UTF8.self).utf8)
        return zip(bytes, repaired).prefix { $0 == $1 }.count
    }

    static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }
    /// Whether two paths lead to one file that is there.
    static func isSame(_ path: String, _ other: String) -> Bool {
        var (one, two) = (stat(), stat())
        guard stat(path, &one) == 0, stat(other, &two) == 0 else { return false }
        return one.st_dev == two.st_dev && one.st_ino == two.st_ino
    }
    static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }
    /// Whether the name is taken, be it by a link that points to nothing.
    static func isThere(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }

    /// Removes what lies in a folder.
    static func empty(_ path: String) { for name in list(path) { remove(path + "/" + name) } }

    /// Sorted names in a folder.
    static func list(_ path: String) -> [String] {
        guard let folder = opendir(path) else { return [] }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    /// Removes a file, a link (never what it points to) or a folder with all that is in it; what is not there is removed already.
    static func remove(_ path: String) {
        // Killed processes may write for a moment more.
        for _ in 0..<20 {
            removeOnce(path)
            guard isThere(path) else { return }
            usleep(20_000)
        }
    }
    private static func removeOnce(_ path: String) {
        var status = stat()
        if lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
            for name in list(path) { removeOnce(path + "/" + name) }
        }
        _ = Glibc.remove(path)
    }

    /// Keeps others out of a folder until the descriptor is closed or the process ends.
    /// - Throws: `RunEnd.input` when another run is in it.
    static func lock(_ path: String) throws -> Int32 {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw RunEnd.input("cannot use the folder '\(path)': \(reason); choose another --out")
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            throw RunEnd.input("another run is writing into \(path): wait for it or choose another --out")
        }
        return descriptor
    }

    /// A new, empty folder that nobody else can have prepared, in `TMPDIR` or `/tmp`.
    /// - Throws: `RunEnd.input` with the machine's reason.
    static func temporary() throws -> String {
        let place = temporaryPlace
        var name = Array("\(place)/homeroom-XXXXXX".utf8CString)
        guard let made = mkdtemp(&name) else {
            throw RunEnd.input("cannot make a folder in \(place): \(reason); \(Way.temporary.rawValue)")
        }
        return String(cString: made)
    }

    /// `TMPDIR`; an empty one counts as none, as everywhere.
    static var temporaryPlace: String {
        getenv("TMPDIR").map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
    }

    /// The machine's word for the last error.
    static var reason: String { String(cString: strerror(errno)) }
}

extension RunEnd {
    /// Of a disk that is full a command says in addition where else its files can go.
    func orElse(_ way: Folders.Way) -> RunEnd { kind == .disk ? saying("\(message) or \(way.rawValue)") : self }
}
