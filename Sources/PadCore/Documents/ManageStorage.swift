import FleetModel
import Storage

/// What the person and the system do with documents beside the apps: Manage Storage, and room when space is short
/// (icloud-documents.md 2, 4).
extension DocumentDaemon {
    /// Documents one by one, what lies beside `Documents` as one entry (S53, S54). Key-value stores are no part of it (S121).
    func storageEntries(of person: Person) -> [Value] {
        guard let library = libraries[person] else { return [] }
        return library.containers.map { container in
            let items = library.items(of: container.id).filter { $0.path != nil }.sorted {
                ($0.path ?? "") < ($1.path ?? "")
            }
            let (documents, others) = (items.filter(\.isVisible), items.filter { !$0.isVisible })
            var entry: Value = [
                "container": .string(container.id),
                "documents": .array(documents.map { ["path": .optional($0.path), "size": .int($0.newestSize)] }),
            ]
            if !others.isEmpty { entry["data"] = ["size": .int(others.reduce(0) { $0 + $1.newestSize })] }
            return entry
        }
    }

    /// Deletes one document, or with `container` all that is private in it.
    /// - Returns: why not; nil when it is done.
    func deleteFromStorage(_ message: Message, of person: Person, _ pad: any PadServices) -> String? {
        guard let library = libraries[person] else { return "there are no documents" }
        guard message["confirmed"]?.bool == true else {
            return "nobody has confirmed it: ask the person, then send 'confirmed'"
        }
        defer { pump(pad) }
        let chosen: [DocumentItem]
        if let container = message["container"]?.string {
            chosen = library.items(of: container).filter { $0.path != nil && !$0.isVisible }
            let unsent = unsentData(container, library)
            for path in unsent { pad.attempt("the removal of \(path)") { try library.volume.disk.remove(path) } }
            guard !chosen.isEmpty || !unsent.isEmpty else { return "\(container) holds nothing beside its documents" }
        } else {
            guard let path = message["path"]?.string, let item = library.item(at: path) else {
                return "'path' or 'container' is missing: say what to delete"
            }
            guard item.isVisible else { return "\(path) is an app's own: it can be deleted only with all of them" }
            chosen = [item]
        }
        do {
            for item in chosen {
                guard let path = item.path else { continue }
                if library.volume.disk.status(path) != nil { try library.volume.disk.remove(path) }
                try settleOne(path, isDeleting: true, nil, library, pad)
                tellPresenters(.deleted, path, library, pad)
                notify([path], item.container, library, pad)
            }
            return nil
        } catch { return "the deletion failed: \(error)" }
    }

    /// `.nosync` files beside `Documents`: of this iPad only, and part of the app's data on it.
    private func unsentData(_ container: String, _ library: DocumentLibrary) -> [String] {
        let folder = ContainerPath.folder(of: container, second: library.volume.isSecond)
        return library.volume.disk.files(under: folder).filter {
            (ContainerPath($0)?.isExcluded ?? false) && !$0.hasPrefix(folder + "/Documents/")
        }
    }

    /// ASSUMED: what was opened within this time is in use.
    private static let inUse = Span.minutes(1)

    /// Space is short: data that the Cloud has as well go, the longest unused first; their metadata stay (S66, S67). A desktop keeps all.
    /// - Parameters:
    ///   - owner: whose volume is too small; nil: everybody's.
    ///   - kept: what is about to be written; it stays.
    /// - Returns: bytes freed.
    @discardableResult func evictUnused(
        bytes wanted: Int, of owner: Person? = nil, besides kept: String? = nil, _ pad: any PadServices
    ) -> Int {
        guard !pad.isDesktop else { return 0 }
        var candidates: [(used: Instant, person: Person, item: DocumentItem)] = []
        for person in pad.accounts where owner ?? person == person {
            guard let library = libraries[person] else { continue }
            let place = kept.map(library.unit)
            for item in library.items(where: { $0.isLocal && ($0.path != place || place == nil) }) {
                let used = max(library.lastUsed[item.id] ?? .zero, item.modified)
                if used + Self.inUse <= pad.now { candidates.append((used, person, item)) }
            }
        }
        candidates.sort { ($0.used, $0.person, $0.item.id) < ($1.used, $1.person, $1.item.id) }
        var freed = 0
        for (_, person, item) in candidates where freed < wanted {
            guard let library = libraries[person], let path = item.path, isEvictable(item.id, library),
                !isChanged(path, library, pad), giveUp(item, library, pad)
            else { continue }
            freed += item.size
            tellPresenters(.evicted, path, library, pad)
            notify([path], item.container, library, pad)
        }
        return freed
    }

    /// The system needs room to make room.
    func giveUp(_ item: DocumentItem, _ library: DocumentLibrary, _ pad: any PadServices) -> Bool {
        library.volume.disk.withReserve { pad.attempt("the data of \(item.wanted)") { try evict(item, library) } }
    }

    /// A document was read.
    func used(_ path: String, person: Person, at now: Instant) {
        guard let library = libraries[person], let item = library.item(at: library.unit(of: path)) else { return }
        library.lastUsed[item.id] = now
    }
}

extension DocumentItem {
    /// Below `Documents`: the person sees it by itself.
    var isVisible: Bool { (path.flatMap { ContainerPath($0) }?.relative ?? relative).hasPrefix("Documents/") }
    /// Bytes of the newest version that is known, here or in the account.
    var newestSize: Int { isLocal && isCurrent || remoteSize < 0 ? size : remoteSize }
}
