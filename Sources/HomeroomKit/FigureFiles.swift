import FleetModel
import Glibc
import Load

/// Files of figures, written and read.
enum FigureFiles {
    private static let name = "figures.json"
    /// More than any run writes.
    private static let bytesMax = 64 << 20

    /// Figures of every run in a folder of results, or in a folder of such folders, in the order of their names.
    /// - Parameter path: a folder, or one such file.
    /// - Throws: `CommandProblem` (3) when there are none, or one cannot be used.
    static func all(in path: String) throws -> [RunFigures] {
        guard Folders.isFolder(path) else { return [try read(path)] }
        let base = path.hasSuffix("/") ? String(path.dropLast()) : path
        let places = [base] + Folders.list(base).map { "\(base)/\($0)" }
        let files = places.map { "\($0)/\(name)" }.filter { Folders.exists($0) }
        guard !files.isEmpty else {
            throw CommandProblem.badInput(
                "\(path): holds no \(name); give results of runs of a scenario with 'measure: true'")
        }
        return try files.map(read)
    }

    static func read(_ file: String) throws -> RunFigures {
        do {
            return try RunFigures(try Value(json: Array(try text(file).utf8)))
        } catch let problem as RunFigures.Problem {
            throw CommandProblem.badInput("\(file): \(problem.message)")
        } catch let failure as DecodingFailure {
            throw CommandProblem.badInput("\(file):1:\(failure.offset + 1): no JSON: \(failure.reason)")
        }
    }

    /// - Throws: `CommandProblem` (3) with the machine's reason.
    static func text(_ file: String) throws -> String {
        guard !Folders.isFolder(file) else { throw CommandProblem.badInput("\(file): is a folder; give a file") }
        guard let handle = fopen(file, "r") else {
            throw CommandProblem.badInput("cannot read \(file): \(Folders.reason)")
        }
        defer { fclose(handle) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let got = fread(&buffer, 1, buffer.count, handle)
            if got == 0 { break }
            bytes.append(contentsOf: buffer[..<got])
            guard bytes.count <= bytesMax else {
                throw CommandProblem.badInput("\(file): too large for what it should be")
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension RunFigures {
    /// Writes `figures.json` for scripts and `figures.html` for people.
    /// - Throws: `CommandProblem` (3) when that cannot be.
    func write(into folder: String) throws(CommandProblem) {
        try OutputFile(folder + "/figures.json", orElse: .out).write(body.json + "\n")
        try OutputFile(folder + "/figures.html", orElse: .out).write(FigurePage.html(self))
    }
}
