import FleetModel
import Storage

/// Where documents lie on this iPad, when the account calls them otherwise.
struct DocumentPlacing: DocumentWork {
    let library: DocumentLibrary
    let pad: any PadServices

    /// Lets each document lie where the account wants it, as far as nothing unsent holds the place.
    func settlePlaces() {
        for container in library.containers {
            var moved: Set<String> = []
            var isMoving = true
            while isMoving {
                isMoving = false
                for item in library.displaced(container.id) where place(item) {
                    isMoving = true
                    moved.formUnion([item.path, item.wanted].compactMap { $0 })
                }
                if !isMoving { isMoving = breakCycle(container.id) }
            }
            // As one change: apps go through all their documents at each.
            presenters.notify(moved.sorted(), container.id)
        }
    }

    /// Moves one document; false when its place is taken.
    private func place(_ item: DocumentItem) -> Bool {
        guard library.item(at: item.wanted) == nil else { return false }
        var moved = item
        moved.path = item.wanted
        var changes: [DocumentChange] = [.save(moved), .back(path: item.wanted)]
        if item.isLocal, let old = item.path {
            guard library.isFree(item.wanted, for: old) else { return false }
            changes.append(.gone(path: old, digest: item.digest))
        }
        // The row goes first. A file at a place that no row knows would be a new document, and the place that it left a deletion; a row
        // without its file is a document whose data are fetched again.
        guard sync.keep(changes) else { return false }
        if item.isLocal, let old = item.path { move(old, to: item.wanted) }
        if let old = item.path { presenters.tellPresenters(.moved, old, to: item.wanted) }
        return true
    }
    private func move(_ old: String, to new: String) {
        pad.attempt("the move of \(old) to \(new)") {
            try library.volume.disk.move(old, to: new)
            try library.volume.disk.withReserve { try library.volume.protection.moved(old, to: new) }
            try library.syncDocument(new)
        }
    }

    /// Two documents that want each other's place: one that the Cloud has gives up its data and comes back by download.
    private func breakCycle(_ container: String) -> Bool {
        let waiting = library.displaced(container)
        guard
            let item = waiting.first(where: { item in
                item.path != nil && (!item.isLocal || library.isEvictable(item.id))
                    && waiting.contains { $0.id != item.id && $0.wanted == item.path }
            })
        else { return false }
        if item.isLocal {
            guard pad.attempt("the data of \(item.wanted)", { try library.evict(item) }) else { return false }
        }
        guard var loose = library.items[item.id] else { return false }
        loose.path = nil
        loose.wantsData = item.isLocal
        return sync.keep([.save(loose)])
    }
}
