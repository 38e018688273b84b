import FleetModel

// Every change checks first and changes then: an error means that nothing was done.
extension Disk {
    /// Replaces the content of a file, or makes it; its folder must exist. Not synced, it is pending: after a power cut the old
    /// content, none, the new one or parts of it.
    /// - Throws: `.full` leaves the old content.
    public func write(_ path: String, _ bytes: [UInt8], sync: Bool) throws(DiskError) {
        let path = try DiskPath(path)
        let present = try present(path)
        try checkSpace(bytes.count - (present?.content.size ?? 0))
        try beginChange()
        let file = if let present { present } else { try addFile(path) }
        try resize(file, to: 0)
        try change(file, bytes, at: 0)
        if sync {
            try beginChange()
            try settle(file)
        }
    }
    /// Replaces a file by a new one that has the bytes already, as a temporary file that is renamed: after a power cut the old
    /// content or the new, never parts of them; none when there was none. Pending until a sync.
    ///
    /// Old and new need their space at the same time. ASSUMED: a file system that orders the bytes of a new file before its name.
    /// - Throws: `.full` leaves the old content.
    public func replace(_ path: String, _ bytes: [UInt8]) throws(DiskError) {
        let path = try DiskPath(path)
        let old = try present(path)
        try checkSpace(bytes.count)
        try beginChange()
        if old != nil { _ = try detach(path) }
        let file = try addFile(path, replacing: old)
        try change(file, bytes, at: 0)
        settleBytes(file)
    }
    /// Adds to the end of a file, or makes it; pending until a sync.
    public func append(_ path: String, _ bytes: [UInt8]) throws(DiskError) {
        let path = try DiskPath(path)
        let present = try present(path)
        try checkSpace(bytes.count)
        try beginChange()
        let file = if let present { present } else { try addFile(path) }
        try change(file, bytes, at: file.content.size)
    }
    /// Makes a file durable, bytes and name; for a folder its own name and those in it, not the bytes of its files.
    public func sync(_ path: String) throws(DiskError) {
        let path = try DiskPath(path)
        guard let node = find(path) else { throw .notFound(path.text) }
        try beginChange()
        if let file = node as? File { return try settle(file) }
        if let folder = node as? Folder { try settleNames(in: folder) }
    }
    /// Removes a file, or a folder with its content. Databases open there go on with a file that has no name.
    public func remove(_ path: String) throws(DiskError) {
        let path = try DiskPath(path)
        guard !path.isRoot else { throw .badPath("/ (the root cannot be removed)") }
        guard find(path) != nil else { throw .notFound(path.text) }
        try beginChange()
        let node = try detach(path)
        try record(.removed(node), path)
    }
    /// Gives a file or folder another name. Atomic: after a power cut it stands under one of the two.
    /// - Throws: `.exists` when something stands at `to`.
    public func move(_ from: String, to: String) throws(DiskError) {
        let from = try DiskPath(from), to = try DiskPath(to)
        try checkNewName(to, for: from)
        guard !from.covers(to) else { throw .badPath("\(to.text) (it lies inside of \(from.text))") }
        try beginChange()
        try relocate(from, to)
        try record(.moved(to: to), from)
    }
    /// Copies a file, or a folder with its content; the copy is pending until synced and takes its own space.
    public func clone(_ from: String, to: String) throws(DiskError) {
        let from = try DiskPath(from), to = try DiskPath(to)
        try checkNewName(to, for: from)
        guard let node = find(from), !from.covers(to) else {
            throw .badPath("\(to.text) (it lies inside of \(from.text))")
        }
        try checkSpace(node.totalBytes)
        try beginChange()
        try copy(node, to)
    }
    /// Makes a folder and those above it that are missing; one that is there already is fine.
    public func makeFolder(_ path: String) throws(DiskError) {
        let path = try DiskPath(path)
        var missing: [DiskPath] = []
        var above = path
        while find(above) == nil {
            missing.append(above)
            above = above.parent
        }
        guard find(above) is Folder else { throw .badPath("\(above.text) (a file, not a folder)") }
        guard !missing.isEmpty else { return }
        try beginChange()
        for path in missing.reversed() { try addFolder(path) }
    }

    // MARK: Checks

    func checkPower() throws(DiskError) { if let outage { throw outage } }
    /// Counts a change, or refuses it when the power is off.
    func beginChange() throws(DiskError) {
        if outage == nil, let limit = powerFailsAt, writeCount >= limit {
            outage = .machine("the power failed after \(limit) changes; cut the power and mount again")
        }
        try checkPower()
        writeCount += 1
    }
    func checkSpace(_ growth: Int) throws(DiskError) {
        try checkPower()
        guard growth > 0 else { return }
        let (needed, isTooMuch) = usedBytes.addingReportingOverflow(growth)
        guard !isTooMuch, needed <= capacityBytes else { throw .full }
    }
    /// The file at `path` or nil when a new one can be made there.
    private func present(_ path: DiskPath) throws(DiskError) -> File? {
        guard let node = try folder(above: path)[path.name] else { return nil }
        guard let file = node as? File else { throw .badPath("\(path.text) (a folder, not a file)") }
        return file
    }
    private func checkNewName(_ to: DiskPath, for from: DiskPath) throws(DiskError) {
        guard !from.isRoot else { throw .badPath("/ (the root cannot be moved or copied)") }
        guard find(from) != nil else { throw .notFound(from.text) }
        guard find(to) == nil else { throw .exists(to.text) }
        _ = try folder(above: to)
    }
    private func copy(_ node: Node, _ to: DiskPath) throws(DiskError) {
        if let file = node as? File { return try change(addFile(to), try file.content.all(), at: 0) }
        try addFolder(to)
        guard let folder = node as? Folder else { return }
        for child in folder.nodes { try copy(child, DiskPath(to.text + "/" + child.name)) }
    }
}
