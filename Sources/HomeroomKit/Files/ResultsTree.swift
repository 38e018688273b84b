import FleetModel

/// Folders of results, found below a folder.
enum ResultsTree {
    /// ASSUMED: results lie in a folder for each run, which may lie in one for each day or machine.
    private static let depthMax = 4

    /// Every folder at or below `path` that holds a verdict or a trace, in name order. A folder of results is not searched further.
    static func folders(in path: String, depth: Int = 0) -> [String] {
        let path = plain(path)
        if ["verdict.json", "trace.jsonl", "trace.jsonl.gz"].contains(where: { Folders.exists("\(path)/\($0)") }) {
            return [path]
        }
        guard depth < depthMax else { return [] }
        return Folders.list(path).filter { !$0.hasPrefix(".homeroom-") }.map { "\(path)/\($0)" }
            .filter(Folders.isFolder).flatMap { folders(in: $0, depth: depth + 1) }
    }

    /// Without a slash at the end.
    static func plain(_ path: String) -> String {
        path.count > 1 && path.hasSuffix("/") ? plain(String(path.dropLast())) : path
    }

    /// A link from one file to another, relative where both paths are of one kind.
    static func link(to target: String, from file: String) -> String {
        guard target.hasPrefix("/") == file.hasPrefix("/") else { return encoded(target) }
        var ahead = parts(target)[...]
        var base = parts(file).dropLast()
        while let one = ahead.first, base.first == one, ahead.count > 1 {
            ahead = ahead.dropFirst()
            base = base.dropFirst()
        }
        return encoded((Array(repeating: "..", count: base.count) + ahead).joined(separator: "/"))
    }
    private static func parts(_ path: String) -> [String] {
        path.split(separator: "/").map(String.init).filter { $0 != "." }
    }

    /// Percent-encoded: a folder may have any name.
    private static func encoded(_ path: String) -> String {
        var out = ""
        for byte in path.utf8 {
            let isPlain =
                byte >= 0x30 && byte <= 0x39 || byte >= 0x41 && byte <= 0x5a || byte >= 0x61 && byte <= 0x7a
                || "-._~/".utf8.contains(byte)
            if isPlain {
                out.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                let digits = String(byte, radix: 16, uppercase: true)
                out += "%" + (digits.count == 1 ? "0" : "") + digits
            }
        }
        return out
    }
}
