/// A checked virtual path: absolute, every name between 1 and 255 bytes, no `.` or `..`, no NUL.
///
/// The limits are those of the machine's file systems, so that a path works in both backings or in none.
struct DiskPath: Hashable {
    /// Names from the root down; empty for the root itself.
    let names: [String]
    /// The normal form: no slash at the end, `/` for the root.
    let text: String

    static let nameBytesMax = 255
    static let bytesMax = 1024
    /// The name under the root where directory mode keeps what was removed but may come back: nobody may use it.
    static let reserved = ".removed"

    /// - Throws: `.badPath` with what is wrong. One slash at the end is accepted.
    init(_ path: String) throws(DiskError) {
        func bad(_ reason: String) -> DiskError { .badPath("\(path.prefix(200)) (\(reason))") }
        guard path.utf8.first == UInt8(ascii: "/") else { throw bad("no slash at the beginning") }
        guard path.utf8.count <= Self.bytesMax else { throw bad("more than \(Self.bytesMax) bytes") }
        var names: [String] = []
        for part in path.utf8.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
            guard part.count <= Self.nameBytesMax else { throw bad("a name of more than \(Self.nameBytesMax) bytes") }
            guard !part.contains(0) else { throw bad("a NUL byte") }
            names.append(String(Substring(part)))
        }
        if names.last == "" { names.removeLast() }
        guard !names.contains("") else { throw bad("an empty name") }
        guard !names.contains("."), !names.contains("..") else { throw bad("'.' or '..'") }
        guard names.first != Self.reserved else { throw bad("the reserved name \(Self.reserved)") }
        self.names = names
        text = path.utf8.count > 1 && path.utf8.last == UInt8(ascii: "/") ? String(path.dropLast()) : path
    }

    private init(names: [String]) {
        self.names = names
        text = "/" + names.joined(separator: "/")
    }

    var isRoot: Bool { names.isEmpty }
    var name: String { names.last ?? "" }
    var parent: DiskPath { DiskPath(names: Array(names.dropLast())) }

    /// Whether `other` is this path or lies beneath it.
    func covers(_ other: DiskPath) -> Bool { other.names.count >= names.count && other.names.starts(with: names) }
    /// Whether a change of one can matter to the other: equal, or one above the other.
    func touches(_ other: DiskPath) -> Bool { covers(other) || other.covers(self) }
}
