import FleetModel
import Storage

/// An entry of `/documents/v1/{container}/changes`.
struct DocumentFeedEntry: FieldGroup {
    var conflicts: [ConflictVersion] = []
    var isDeleted = false
    var device = ""
    var digest = ""
    var id = ""
    var modified: Int64 = 0
    var relative = ""
    var size = -1
    var version = DocumentVersion.none

    init() {}
    /// Nil when the entry is none that this daemon can keep: a path that leaves the container, an id that fits in no address.
    init?(_ body: Value) {
        guard let entry = DocumentFeedEntry(fieldValue: body), !entry.id.isEmpty,
            ContainerPath.percentEncoded(entry.id) == entry.id, ContainerPath.isNormal(entry.relative),
            entry.isDeleted || entry.version != .none
        else { return nil }
        self = entry
        conflicts = conflicts.filter { !$0.version.text.isEmpty }
    }
    mutating func visit(_ fields: inout Fields) {
        fields.always("conflicts", &conflicts)
        fields.always("deleted", &isDeleted)
        fields.always("device", &device)
        fields.always("digest", &digest)
        fields.required("id", &id)
        fields.always("modified", &modified)
        fields.required("path", &relative)
        fields.always("size", &size)
        fields.always("version", &version)
    }
}

/// A page of the account's changes.
private struct DocumentFeedPage: FieldGroup {
    var items: [Value] = []
    var seq: Int64 = 0
    init() {}
    mutating func visit(_ fields: inout Fields) {
        fields.required("items", &items)
        fields.required("seq", &seq)
    }
}

/// The Cloud's answer to a change of a document.
struct DocumentChangeAnswer: FieldGroup {
    var conflict = false
    var path: String?
    var version: DocumentVersion?
    init() {}
    mutating func visit(_ fields: inout Fields) {
        fields.always("conflict", &conflict)
        fields.optional("path", &path)
        fields.optional("version", &version)
    }
}

/// What the account's changes mean for this iPad: metadata at once, data later (icloud-documents.md 4, 7, 8).
struct DocumentFeed: DocumentWork {
    let library: DocumentLibrary
    let pad: any PadServices

    /// Takes one answer in, in one commit.
    /// - Returns: false when it is no answer of the Cloud, or cannot be taken in now: it must be asked for again.
    func applyFeed(_ body: Value, _ container: String) -> Bool {
        guard let page = DocumentFeedPage(fieldValue: body) else { return false }
        let (seq, entries) = (page.seq, page.items.map(DocumentFeedEntry.init))
        // Nothing moves under an app that is writing.
        guard
            !library.accesses.writes.contains(where: { !$0.isGivenUp && ContainerPath($0.path)?.container == container }
            )
        else { return false }
        guard journalStrangers(entries) else { return false }
        var changes: [DocumentChange] = []
        var removed: [String] = []
        let new = entries.compactMap { $0 }.filter { !$0.isDeleted && library.items[$0.id] == nil }.map(\.id)
        for case let entry? in entries {
            changes += entry.isDeleted ? remove(entry, &removed) : update(entry, container)
        }
        guard var position = library.container(container) else { return false }
        position.since = seq
        let before = entries.compactMap { entry in entry.flatMap { library.items[$0.id]?.path } }
        let deleted = entries.compactMap { $0?.isDeleted == true ? $0?.id : nil }
            .compactMap { id in library.items[id]?.path.map { (id, $0) } }
        guard sync.keep(changes + [.container(position)]) else { return false }
        for path in removed { remove(path) }
        removeUnsynced(besides: removed)
        for (id, path) in deleted where library.items[id] == nil { presenters.tellPresenters(.deleted, path) }
        placing.settlePlaces()
        for path in new.compactMap({ library.items[$0]?.path }) { presenters.tellPresenters(.appeared, path) }
        let after = entries.compactMap { entry in entry.flatMap { library.items[$0.id]?.path } }
        presenters.notify(Set(before + after).sorted(), container)
        return true
    }

    /// A file that an app changed without coordination is an unsent edit too: it is queued before the change from outside is looked at.
    /// - Returns: false when the disk has no room for one: what the account says must wait, it may be that the document is deleted.
    private func journalStrangers(_ entries: [DocumentFeedEntry?])
        -> Bool
    {
        for case let entry? in entries {
            guard let item = library.items[entry.id], item.isLocal, let path = item.path,
                library.volume.disk.status(path) != nil, writing.isChanged(path)
            else { continue }
            let isQueued = pad.attempt("the edit of \(path)") {
                try writing.settleOne(path, isDeleting: false, nil)
            }
            if !isQueued { return false }
        }
        return true
    }

    /// Deleted on another device: gone here as well, unless an edit waits that the deletion never saw.
    private func remove(_ entry: DocumentFeedEntry, _ removed: inout [String])
        -> [DocumentChange]
    {
        guard var item = library.items[entry.id] else { return [] }
        if library.hasPut(item.id) {
            item.remote = item.base
            return [.save(item)]
        }
        var changes: [DocumentChange] = library.operations(of: item.id).map { .drop($0.seq) }
        changes.append(.remove(item.id))
        if item.isLocal, let path = item.path {
            changes.append(.gone(path: path, digest: item.digest))
            if library.volume.disk.status(path) != nil { removed.append(path) }
        }
        return changes
    }

    /// With the protection classes of what lay there: a later file of the name has its own.
    private func remove(_ path: String) {
        pad.attempt("the removal of \(path)") {
            try library.volume.disk.remove(path)
            try library.volume.disk.withReserve { try library.volume.protection.removed(path) }
        }
    }

    /// What is never sent goes with the folder that it lies in (S63). ASSUMED: a folder is deleted elsewhere with its last document, since
    /// empty folders are not sent.
    private func removeUnsynced(besides removed: [String]) {
        let disk = library.volume.disk
        for path in removed {
            var folder = Self.parent(of: path)
            while let place = ContainerPath(folder), place.relative != "Documents",
                library.items(atOrBelow: folder).isEmpty
            {
                let files = disk.files(under: folder)
                guard files.allSatisfy({ ContainerPath($0)?.isExcluded ?? false }) else { break }
                // Empty, it may still lie in a folder that goes.
                if !files.isEmpty { remove(folder) }
                folder = Self.parent(of: folder)
            }
        }
    }
    private static func parent(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
    }

    private func update(
        _ entry: DocumentFeedEntry, _ container: String
    ) -> [DocumentChange] {
        let wanted = ContainerPath(
            container: container, relative: entry.relative, isSecond: library.volume.isSecond
        ).absolute
        var item = library.items[entry.id] ?? DocumentItem(id: entry.id, container: container, wanted: wanted)
        guard item.container == container else { return [] }
        let queued = library.operations(of: item.id)
        if !queued.contains(where: { $0.kind == .move }) { item.wanted = wanted }
        item.remote = entry.version
        item.remoteSize = entry.size
        item.remoteModified = entry.modified
        item.remoteDigest = entry.digest
        let isOurs = entry.device == pad.deviceName && entry.modified == item.sentModified && item.sentModified != 0
        let isSame = !entry.digest.isEmpty && entry.digest == item.baseDigest
        // A version number that changed without the content (a move, a resolved conflict) makes nothing stale.
        if isOurs || isSame { item.base = entry.version }
        if item.base == entry.version { item.baseDigest = entry.digest }
        var changes: [DocumentChange] = []
        merge(entry.conflicts, resolved: queued.flatMap(\.versions), into: &item, &changes)
        return changes + [.save(item)]
    }

    /// Conflict versions come and go with the account; data that are here stay, those that are new will be fetched.
    private func merge(
        _ theirs: [ConflictVersion], resolved: [String], into item: inout DocumentItem,
        _ changes: inout [DocumentChange]
    ) {
        let known = item.conflicts
        item.conflicts = theirs.filter { !resolved.contains($0.id) }.map { conflict in
            var conflict = conflict
            conflict.hasData = known.contains { $0.id == conflict.id && $0.version == conflict.version && $0.hasData }
            return conflict
        }
        for old in known where !item.conflicts.contains(where: { $0.id == old.id }) {
            changes.append(.dropConflict(item: item.id, id: old.id))
        }
    }
}
