import FleetModel
import Storage

/// Coordinated accesses.writes of apps, and how what happened to the files becomes work for the Cloud (icloud-documents.md 6, 7).
extension DocumentLibrary {
    /// Every place at or below a path where there is a file or a document, sorted.
    func places(below path: String) -> [String] {
        let disk = volume.disk
        var places = items(atOrBelow: path).compactMap(\.path)
        switch disk.status(path) {
        case let status? where status.isFolder: places += disk.files(under: path)
        case .some: places.append(path)
        case nil: break
        }
        return Set(places.map(unit)).sorted()
    }

    /// When the next access that somebody waits for will keep nobody out any more.
    func nextGivenUp() -> Instant? {
        guard !accesses.turns.isEmpty else { return nil }
        return (accesses.writes + accesses.reads).filter { !$0.isGivenUp }.map { $0.began + Self.longestWrite }
            .min()
    }

    /// Whether the Cloud has all of a document's local data.
    func isEvictable(_ id: String) -> Bool {
        guard let item = items[id], item.isLocal, let path = item.path, !isBeingWritten(path) else {
            return false
        }
        return item.base != .none && operations(of: id).isEmpty
    }
    func evict(_ item: DocumentItem) throws {
        guard let path = item.path else { return }
        var evicted = item
        evicted.isLocal = false
        try commit([.save(evicted), .gone(path: path, digest: item.digest)])
        if volume.disk.status(path) != nil { try volume.disk.remove(path) }
    }

    /// What is to be fetched for the person who is here: the iPad is not idle before it is there.
    func fetches() -> [PendingItem] {
        var names = underWay.filter { if case .operation = $0.value { false } else { true } }.keys.sorted()
        if isHere {
            names += containers.filter { needsFeed($0) }.map { "changes \($0.id)" }
            names += downloads().map(dataTask) + missingConflicts().map { conflictTask($0.item) }
        }
        var items: [PendingItem] = []
        for name in names where !items.contains(where: { $0.what == "document \(name)" }) {
            let waitsFor = underWay[name] == nil ? "network" : "answer"
            items.append(PendingItem(what: "document \(name)", waitsFor: waitsFor, tokens: []))
        }
        return items
    }

    func displaced(_ container: String) -> [DocumentItem] {
        items { item in
            item.container == container && !item.isDeleted && item.path != item.wanted && item.remote != .none
                && !operations(of: item.id).contains { $0.kind == .move }
                && ![item.path, item.wanted].contains { $0.map(isBeingWritten) ?? false }
        }
    }

    /// Whether a file can move there: something that is no document may be in its way, or have taken the file.
    func isFree(_ wanted: String, for old: String) -> Bool {
        let disk = volume.disk
        guard disk.status(wanted) == nil, disk.status(old) != nil, let folder = wanted.lastIndex(of: "/") else {
            return false
        }
        do { try disk.makeFolder(String(wanted[..<folder])) } catch { return false }
        return true
    }

    /// Changes are read for who is here, and for who has a conflict to settle.
    func needsFeed(_ container: DocumentContainer) -> Bool {
        container.mustFeed || container.wantsFeed && isHere
    }

    // MARK: Downloads

    /// Documents whose data are to be fetched: asked for, or here and stale, with nothing unsent of their own.
    func downloads() -> some Sequence<DocumentItem> {
        let isHere = isHere
        return itemsWithoutData(all: isHere && fetchesAll).lazy.filter { item in
            guard isHere || !item.isLocal, !item.isDeleted, item.remote != .none, let path = item.path else {
                return false
            }
            return !self.hasPut(item.id) && !self.isBeingWritten(path)
        }
    }
    /// The first conflict version of each document whose data are missing: fetched early, because `docs.versions` must not wait.
    func missingConflicts() -> [(item: DocumentItem, conflict: ConflictVersion)] {
        guard isHere else { return [] }
        return itemsWithoutVersions.compactMap { item in
            item.conflicts.first { !$0.hasData }.map { (item, $0) }
        }
    }
    func dataTask(_ item: DocumentItem) -> String { "get \(item.container)/\(item.relative)" }
    func conflictTask(_ item: DocumentItem) -> String { "conflict \(item.container)/\(item.relative)" }

    /// `.nosync` files outside `Documents`: of this iPad only, and part of the app's data on it.
    func unsentData(_ container: String) -> [String] {
        let folder = ContainerPath.folder(of: container, second: volume.isSecond)
        return volume.disk.files(under: folder).filter {
            (ContainerPath($0)?.isExcluded ?? false) && !$0.hasPrefix(folder + "/Documents/")
        }
    }
}
