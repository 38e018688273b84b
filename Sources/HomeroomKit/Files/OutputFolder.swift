import Glibc
import Run

/// A folder into which a command writes when its work is done: made and tried before it begins.
struct OutputFolder {
    let path: String
    private let isNew: Bool

    /// - Throws: `RunEnd.input` when it cannot be made or written; then nothing was made.
    init(_ path: String) throws {
        self.path = path
        isNew = !Folders.exists(path)
        do {
            try Folders.make(path)
            // Permissions are not all: a folder of the kernel takes nothing from root either.
            let tried = path + "/.homeroom-tried"
            guard mkdir(tried, 0o755) == 0 || errno == EEXIST else {
                throw RunEnd.input(
                    "cannot write into \(path): \(Folders.reason); \(Folders.Way.out.rawValue)")
            }
            rmdir(tried)
        } catch {
            close()
            throw error
        }
    }

    /// A folder into which nothing came goes again.
    func close() { if isNew { rmdir(path) } }
}
