import FleetModel

/// Changes that remember how to be undone, and the power cut over them.
extension File {
    /// More pending changes than this in one file, and the older half counts as written back by the system. ASSUMED:
    /// systems write back by age; a count does the same for the model and bounds its memory.
    static let pendingMax = 2048
    /// The unit that a disk writes whole or not at all.
    static let sectorBytes = 512

    /// Writes and remembers. The caller has checked the space.
    func write(_ source: UnsafeRawBufferPointer, at offset: Int) throws(DiskError) {
        let before = content.size
        let old = try content.bytes(at: offset, count: source.count)
        try content.write(source, at: offset)
        remember(.write(offset: offset, length: source.count, old: old, oldSize: before))
    }
    func resize(to size: Int) throws(DiskError) {
        let before = content.size
        guard size != before else { return }
        let tail = try content.bytes(at: size, count: before - size)
        try content.resize(to: size)
        remember(.resize(to: size, tail: tail, oldSize: before))
    }
    private func remember(_ change: PendingWrite) {
        pending.append(change)
        if pending.count > Self.pendingMax { pending.removeFirst(Self.pendingMax / 2) }
    }

    /// All bytes are durable from now on.
    func settle() { pending.removeAll(keepingCapacity: pending.capacity <= 16) }

    /// The power is cut: goes back to the durable bytes, then applies each pending change again, drops it or tears it,
    /// by a draw per (seed, path, ordinal). What remains is durable.
    func tear(seed: UInt64, path: String) throws(DiskError) {
        var changes: [(PendingWrite, new: [UInt8])] = []
        for change in pending.reversed() { changes.append((change, new: try undo(change))) }
        pending = []
        let stream = StableHash.of(seed, "disk.write", path)
        var cutWasDropped = false
        for (ordinal, (change, new)) in changes.reversed().enumerated() {
            var draw = Draw(seed: StableHash.mix(stream ^ UInt64(ordinal)))
            let fate = draw.below(3)
            switch change {
            case .resize(let size, _, let oldSize):
                // New blocks belong to the file only after the old ones went: while a cut is lost, so is what followed it.
                if fate == 0 { cutWasDropped = cutWasDropped || size < oldSize } else { try content.resize(to: size) }
            case .write(let offset, _, _, _):
                if fate == 0 || cutWasDropped { continue }
                if fate == 1 { try content.write(new, at: offset) } else { try tear(new, at: offset, &draw) }
            }
        }
    }

    /// Takes one change back and returns the bytes that it had written.
    private func undo(_ change: PendingWrite) throws(DiskError) -> [UInt8] {
        switch change {
        case .resize(let size, let tail, let oldSize):
            try content.resize(to: oldSize)
            try content.write(tail, at: size)
            return []
        case .write(let offset, let length, let old, let oldSize):
            let new = try content.bytes(at: offset, count: length)
            try content.resize(to: oldSize)
            try content.write(old, at: offset)
            return new
        }
    }

    /// Each sector of the write arrives or does not.
    private func tear(_ new: [UInt8], at offset: Int, _ draw: inout Draw) throws(DiskError) {
        var start = 0
        while start < new.count {
            let end = min(new.count, start + Self.sectorBytes - (offset + start) % Self.sectorBytes)
            if draw.next() & 1 == 0 { try content.write(Array(new[start..<end]), at: offset + start) }
            start = end
        }
    }
}
