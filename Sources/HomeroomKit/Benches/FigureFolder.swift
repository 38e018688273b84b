import Glibc
import Load
import Run

/// Where a bench leaves the figures of its runs, each in a folder that is called as its number of iPads: 256, then 256-2. What lies there is
/// never replaced.
struct FigureFolder {
    private let folder: OutputFolder
    private var path: String { folder.path }

    /// Makes the folder and tries to write into it, before a run takes its time.
    /// - Throws: `RunEnd.input` when that cannot be.
    init(_ path: String) throws { folder = try OutputFolder(path) }

    /// Leaves `figures.json` and `figures.html` of a run.
    /// - Throws: `RunEnd.input` when that cannot be.
    func keep(_ figures: RunFigures, of ipads: Int) throws {
        var (place, number) = ("\(path)/\(ipads)", 1)
        while mkdir(place, 0o755) != 0 {
            guard errno == EEXIST else {
                throw RunEnd.input(
                    "cannot make the folder \(place): \(Folders.reason); \(Folders.Way.out.rawValue)")
            }
            number += 1
            place = "\(path)/\(ipads)-\(number)"
        }
        try figures.write(into: place)
    }

    /// A folder into which nothing came goes again.
    func close() { folder.close() }
}
