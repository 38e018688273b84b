import FleetModel

/// A name in the tree of a disk: a `File` or a `Folder`.
///
/// The tree is kept in memory in both backings; only the bytes of files lie elsewhere in directory mode. So the two cannot
/// differ in what they find, list or refuse.
class Node {
    fileprivate(set) var name: String
    fileprivate(set) weak var parent: Folder?
    /// Real path when this node hangs on no parent in directory mode: the volume's root, or something removed.
    var anchor: String?
    /// Virtual time of the last change.
    var modified: Instant

    init(name: String, modified: Instant) {
        self.name = name
        self.modified = modified
    }

    /// The virtual path now; names joined up to the root.
    var path: String { parent.map { $0.parent == nil ? "/\(name)" : "\($0.path)/\(name)" } ?? "/" }
    /// The real path in directory mode.
    var realPath: String { anchor ?? "\(parent?.realPath ?? "")/\(name)" }
    /// The uppermost node above this one: the disk's root unless this was removed.
    var top: Node { parent?.top ?? self }
    /// Every file at or beneath this node, in the order of names.
    var files: [File] { [] }
    /// Bytes of all these files.
    var totalBytes: Int { files.reduce(0) { $0 + $1.content.size } }
}

final class Folder: Node {
    private var children: [String: Node] = [:]

    subscript(name: String) -> Node? { children[name] }
    /// Names in ascending order.
    var names: [String] { children.keys.sorted() }
    var nodes: [Node] { names.compactMap { children[$0] } }
    override var files: [File] { nodes.flatMap(\.files) }

    func attach(_ node: Node, as name: String) {
        children[name] = node
        node.name = name
        node.parent = self
        node.anchor = nil
    }
    func detach(_ name: String) -> Node? {
        guard let node = children.removeValue(forKey: name) else { return nil }
        node.parent = nil
        return node
    }
}

/// A file: what programs see (`content`), and how to get back from there to what is durable (`pending`).
final class File: Node {
    let content: any FileContent
    /// Changes since the last sync, oldest first.
    var pending: [PendingWrite] = []
    /// Serial number of the newest change of names that this file's syncs have looked at.
    var namesSeen: UInt64 = 0
    /// Who has the file locked; a handle of an ended process does not count.
    weak var lockHolder: OpenFile?

    init(name: String, modified: Instant, content: any FileContent) {
        self.content = content
        super.init(name: name, modified: modified)
    }
    override var files: [File] { [self] }
    override var totalBytes: Int { content.size }
}

/// One change of a file's bytes that a power cut may undo.
enum PendingWrite {
    /// `length` bytes at `offset` replaced `old`, which is shorter where the file ended then.
    case write(offset: Int, length: Int, old: [UInt8], oldSize: Int)
    /// The size became `size`; `tail` was cut off.
    case resize(to: Int, tail: [UInt8], oldSize: Int)
}
