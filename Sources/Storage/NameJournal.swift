import FleetModel

/// One change of a name that a power cut may undo.
struct NameChange {
    enum Kind {
        case added
        case removed(Node)
        /// A new file stands where this one stood.
        case replaced(Node)
        case moved(to: DiskPath)
    }
    var serial: UInt64
    var kind: Kind
    var path: DiskPath

    /// Whether the order of the two matters. Changes that do not touch each other may reach the disk in either order.
    func touches(_ other: NameChange) -> Bool {
        paths.contains { mine in other.paths.contains { $0.touches(mine) } }
    }
    /// What is kept only for the undoing.
    var leftover: Node? {
        switch kind {
        case .removed(let node), .replaced(let node): node
        case .added, .moved: nil
        }
    }
    var paths: [DiskPath] { if case .moved(let to) = kind { [path, to] } else { [path] } }
}

/// The changes of names that are not durable yet, oldest first.
///
/// Rule: what is durable is always closed under order. A change reaches the disk only with all earlier ones that touch it;
/// so undoing the others, newest first, always finds the tree as each of them left it. ASSUMED: as journaling file systems
/// do; independent names are free, which is the worst they allow.
struct NameJournal {
    private(set) var changes: [NameChange] = []
    private(set) var newestSerial: UInt64 = 0

    /// More pending changes than this, and the older half counts as written back by the system (ASSUMED, as `File.pendingMax`).
    static let pendingMax = 512

    /// - Returns: changes that became durable because the journal is full.
    mutating func add(_ kind: NameChange.Kind, _ path: DiskPath) -> [NameChange] {
        newestSerial += 1
        changes.append(NameChange(serial: newestSerial, kind: kind, path: path))
        guard changes.count > Self.pendingMax else { return [] }
        defer { changes.removeFirst(Self.pendingMax / 2) }
        return Array(changes.prefix(Self.pendingMax / 2))
    }

    /// Makes durable what a sync of `path` needs: the changes newer than `seen` at the path or above it, for a folder also
    /// of the names directly in it, and whatever must come before them.
    mutating func settle(_ path: DiskPath, isFolder: Bool, after seen: UInt64) -> [NameChange] {
        guard newestSerial > seen, !changes.isEmpty else { return [] }
        return take { change in
            change.serial > seen
                && change.paths.contains {
                    $0.covers(path) || isFolder && $0.names.count == path.names.count + 1 && path.covers($0)
                }
        }
    }
    mutating func settleAll() -> [NameChange] {
        defer { changes = [] }
        return changes
    }

    /// Removes the chosen changes and all earlier ones that touch them; returns them oldest first.
    private mutating func take(_ isChosen: (NameChange) -> Bool) -> [NameChange] {
        guard changes.contains(where: isChosen) else { return [] }
        var taken: [NameChange] = []
        var kept: [NameChange] = []
        for change in changes.reversed() {
            if isChosen(change) || taken.contains(where: { $0.touches(change) }) {
                taken.append(change)
            } else {
                kept.append(change)
            }
        }
        changes = kept.reversed()
        return taken.reversed()
    }

    /// Splits at a power cut: each change is lost by a draw per (seed, path, ordinal of the change of this path), and with it
    /// every later one that touches it. Both lists are oldest first; the journal is empty afterwards.
    mutating func cut(seed: UInt64) -> (kept: [NameChange], lost: [NameChange]) {
        var kept: [NameChange] = []
        var lost: [NameChange] = []
        var ordinals: [String: UInt64] = [:]
        for change in changes {
            let ordinal = ordinals[change.path.text, default: 0]
            ordinals[change.path.text] = ordinal + 1
            let isDropped = StableHash.mix(StableHash.of(seed, "disk.name", change.path.text) ^ ordinal) & 1 == 0
            if isDropped || lost.contains(where: { $0.touches(change) }) {
                lost.append(change)
            } else {
                kept.append(change)
            }
        }
        changes = []
        return (kept, lost)
    }
}
