import FleetModel

// The parts that changes are made of: each moves the tree, the real files and the count of bytes together.
extension Disk {
    /// - Parameter old: what stood there until now; it comes back when a power cut undoes the change.
    func addFile(_ path: DiskPath, replacing old: Node? = nil) throws(DiskError) -> File {
        let parent = try folder(above: path)
        let file: File
        if let machine {
            let content = MachineContent(size: 0, disk: machine)
            file = File(name: path.name, modified: now, content: content)
            content.node = file
        } else {
            file = File(name: path.name, modified: now, content: MemoryContent())
        }
        parent.attach(file, as: path.name)
        try machine?.makeFile(file)
        try touch(parent)
        try record(old.map(NameChange.Kind.replaced) ?? .added, path)
        return file
    }
    func addFolder(_ path: DiskPath) throws(DiskError) {
        let parent = try folder(above: path)
        let folder = Folder(name: path.name, modified: now)
        parent.attach(folder, as: path.name)
        try machine?.makeFolder(folder)
        try touch(parent)
        try record(.added, path)
    }
    /// A folder changes when a name in it comes or goes.
    private func touch(_ folder: Folder) throws(DiskError) {
        folder.modified = now
        try machine?.stamp(folder.realPath)
    }
    /// Takes a node out of the tree; real files go where they can come back from.
    func detach(_ path: DiskPath) throws(DiskError) -> Node {
        let parent = try folder(above: path)
        guard let node = parent[path.name] else { throw .notFound(path.text) }
        if let machine {
            let removed = machine.removedPath()
            try machine.rename(node.realPath, to: removed)
            node.anchor = removed
        }
        usedBytes -= node.totalBytes
        _ = parent.detach(path.name)
        try touch(parent)
        return node
    }
    func attach(_ node: Node, _ path: DiskPath) throws(DiskError) {
        let parent = try folder(above: path)
        try machine?.rename(node.realPath, to: "\(parent.realPath)/\(path.name)")
        parent.attach(node, as: path.name)
        usedBytes += node.totalBytes
        try touch(parent)
    }
    func relocate(_ from: DiskPath, _ to: DiskPath) throws(DiskError) {
        let source = try folder(above: from), target = try folder(above: to)
        guard let node = source[from.name] else { throw .notFound(from.text) }
        try machine?.rename(node.realPath, to: "\(target.realPath)/\(to.name)")
        _ = source.detach(from.name)
        target.attach(node, as: to.name)
        try touch(source)
        try touch(target)
    }

    func record(_ kind: NameChange.Kind, _ path: DiskPath) throws(DiskError) { try discard(journal.add(kind, path)) }
    /// Removals that became durable: their real files can go.
    func discard(_ durable: [NameChange]) throws(DiskError) {
        guard let machine else { return }
        for change in durable {
            if let anchor = change.leftover?.anchor { try machine.deleteTree(anchor) }
        }
    }

    // MARK: Bytes

    func change(_ file: File, _ bytes: [UInt8], at offset: Int) throws(DiskError) {
        guard !bytes.isEmpty else {
            file.modified = now
            try machine?.stamp(file.realPath)
            return
        }
        var failure: DiskError?
        bytes.withUnsafeBytes { source in
            do throws(DiskError) { try change(file, source, at: offset) } catch { failure = error }
        }
        if let failure { throw failure }
    }
    func change(_ file: File, _ source: UnsafeRawBufferPointer, at offset: Int) throws(DiskError) {
        let before = file.content.size
        try file.write(source, at: offset)
        noteChange(file, grownBy: file.content.size - before)
    }
    func resize(_ file: File, to size: Int) throws(DiskError) {
        let before = file.content.size
        guard size != before else { return }
        try file.resize(to: size)
        noteChange(file, grownBy: size - before)
    }
    private func noteChange(_ file: File, grownBy growth: Int) {
        if growth != 0, hasName(file) { usedBytes += growth }
        if file.pending.count == 1 { unsettled.append(file) }
        file.modified = now
    }
    /// Whether a node hangs in the tree: a removed one may still be open.
    func hasName(_ node: Node) -> Bool { node.top === root }

    /// A file's bytes are durable from now on, whatever becomes of its name.
    func settleBytes(_ file: File) {
        guard !file.pending.isEmpty else { return }
        file.settle()
        if let index = unsettled.lastIndex(where: { $0 === file }) {
            unsettled.swapAt(index, unsettled.count - 1)
            unsettled.removeLast()
        }
    }
    /// A file's bytes and name are durable from now on.
    func settle(_ file: File) throws(DiskError) {
        settleBytes(file)
        let seen = file.namesSeen
        guard seen < journal.newestSerial else { return }
        file.namesSeen = journal.newestSerial
        guard !journal.changes.isEmpty, hasName(file) else { return }
        try discard(journal.settle(DiskPath(file.path), isFolder: false, after: seen))
    }
    /// A folder's name and those directly in it are durable from now on.
    func settleNames(in folder: Folder) throws(DiskError) {
        guard !journal.changes.isEmpty, hasName(folder) else { return }
        try discard(journal.settle(DiskPath(folder.path), isFolder: true, after: 0))
    }
}
