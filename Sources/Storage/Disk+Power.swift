import FleetModel

// What ends a mount: an orderly shutdown, the end of the process, or the end of the power.
extension Disk {
    /// Everything pending becomes durable: an orderly shutdown, or the system's cache written back.
    public func flush() {
        guard outage == nil else { return }
        for file in unsettled { file.settle() }
        unsettled = []
        settling { () throws(DiskError) in try discard(journal.settleAll()) }
    }

    /// The process that had files open is gone, without a power cut. Its databases can do nothing any more, and what it wrote is
    /// durable: a new process on a real directory cannot know what was pending, and memory must not differ.
    public func processEnded() {
        flush()
        mount()
    }

    /// The power is cut and comes back: what was pending is dropped, kept or torn, by draws per (seed, path, ordinal), the same in
    /// both backings. What is left is durable. Open databases can do nothing any more; open them again.
    public func powerCut(seed: UInt64) {
        outage = nil
        mount()
        settling { () throws(DiskError) in
            let (kept, lost) = journal.cut(seed: seed)
            for change in lost.reversed() { try undo(change) }
            try discard(kept)
            for file in unsettled where hasName(file) {
                try file.tear(seed: seed, path: file.path)
                file.modified = now
                try machine?.stamp(file.realPath)
            }
        }
        for file in unsettled { file.settle() }
        unsettled = []
        usedBytes = root.totalBytes
    }

    private func mount() {
        mountNumber += 1
        writeCount = 0
        powerFailsAt = nil
    }
    /// The machine's own failure here has nobody to be thrown at: it stays, and every later call reports it.
    private func settling(_ body: () throws(DiskError) -> Void) {
        do throws(DiskError) { try body() } catch { outage = error }
    }
    private func destroy(_ path: DiskPath) throws(DiskError) {
        let node = try detach(path)
        if let machine, let anchor = node.anchor { try machine.deleteTree(anchor) }
    }
    private func undo(_ change: NameChange) throws(DiskError) {
        switch change.kind {
        case .added: try destroy(change.path)
        case .removed(let node): try attach(node, change.path)
        case .replaced(let node):
            try destroy(change.path)
            try attach(node, change.path)
        case .moved(let to): try relocate(to, change.path)
        }
    }
}
