import Ubiquity

/// Essays that the backend has not confirmed, one file each in Application Support. A file goes only when its essay has arrived.
struct Outbox {
    private let folder: URL

    init(in directory: FileManager.SearchPathDirectory) {
        let support = FileManager.default.urls(for: directory, in: .userDomainMask).first
        folder = (support ?? FileManager.default.homeDirectoryForCurrentUser).appending(
            path: "Unsent", directoryHint: .isDirectory)
    }

    /// Names of essays may hold anything; names of files and addresses may not.
    /// Bytes of the encoded name that a person may give, and of a name at all: a copy's suffix comes behind it, ten times if need be.
    static let (givenBytesMax, bytesMax) = (200, 240)
    /// - Returns: nil for a name that no essay can have: it is empty, or too long for a file.
    static func encoded(_ id: String, bytesMax: Int = Outbox.bytesMax) -> String? {
        PlainName.encoded(id, bytesMax: bytesMax)
    }
    func file(_ id: String) -> URL {
        folder.appending(path: "\(Self.encoded(id) ?? "").txt", directoryHint: .notDirectory)
    }

    /// Writes an essay so that it is there and whole after a power cut: the upload may fail later and need it again.
    func write(_ text: String, _ id: String) throws {
        do {
            try text.write(to: file(id), atomically: true, encoding: .utf8)
        } catch {
            // The folder is missing in a new sandbox and after a purge.
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try text.write(to: file(id), atomically: true, encoding: .utf8)
        }
        try FileHandle(forWritingTo: file(id)).synchronize()
    }
    /// - Returns: whether the file is there after a power cut.
    func makeSafe(_ id: String) -> Bool { (try? FileHandle(forWritingTo: file(id)).synchronize()) != nil }
    func text(_ id: String) -> String? { (try? Data(contentsOf: file(id))).map { String(decoding: $0, as: UTF8.self) } }
    func remove(_ id: String) { try? FileManager.default.removeItem(at: file(id)) }

    /// Names of all essays, sorted.
    var ids: [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.filter { $0.hasSuffix(".txt") }.compactMap { PlainName.decoded(String($0.dropLast(4))) }
    }
}
