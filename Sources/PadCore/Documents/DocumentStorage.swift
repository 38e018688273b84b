import FleetModel
import Storage

/// What the person and the system do with documents without the apps: Manage Storage, and room when space is short
/// (icloud-documents.md 2, 4).
struct DocumentStorage: DocumentWork {
    let library: DocumentLibrary
    let pad: any PadServices

    /// Deletes one document, or with `container` all that is private in it.
    /// A person has confirmed it.
    /// - Returns: why not; nil when it is done.
    func deleteFromStorage(_ message: Message) -> String? {
        let chosen: [DocumentItem]
        let wish = PadCommand.DeleteStorage(lenient: message.body)
        if let container = wish.container {
            chosen = library.items(of: container).filter { $0.path != nil && !$0.isVisible }
            let unsent = library.unsentData(container)
            for path in unsent { pad.attempt("the removal of \(path)") { try library.volume.disk.remove(path) } }
            guard !chosen.isEmpty || !unsent.isEmpty else { return "\(container) holds nothing beside its documents" }
        } else {
            guard let path = wish.path, let item = library.item(at: path) else {
                return "'path' or 'container' is missing: say what to delete"
            }
            guard item.isVisible else { return "\(path) is an app's own: it can be deleted only with all of them" }
            chosen = [item]
        }
        do {
            for item in chosen {
                guard let path = item.path else { continue }
                if library.volume.disk.status(path) != nil { try library.volume.disk.remove(path) }
                try writing.settleOne(path, isDeleting: true, nil)
                presenters.tellPresenters(.deleted, path)
                presenters.notify([path], item.container)
            }
            return nil
        } catch { return "the deletion failed: \(error)" }
    }

    /// The system needs room to make room.
    func giveUp(_ item: DocumentItem) -> Bool {
        library.volume.disk.withReserve { pad.attempt("the data of \(item.wanted)") { try library.evict(item) } }
    }
}

extension DocumentItem {
    /// Below `Documents`: the person sees it by itself.
    var isVisible: Bool { (path.flatMap { ContainerPath($0) }?.relative ?? relative).hasPrefix("Documents/") }
    /// Bytes of the newest version that is known, here or in the account.
    var newestSize: Int { isLocal && isCurrent || remoteSize < 0 ? size : remoteSize }
}

extension DocumentLibrary {
    /// Documents one by one, what lies outside `Documents` as one entry (S53, S54). Key-value stores are no part of it (S121).
    func storageEntries() -> [PadCommand.ListStorage.Entry] {
        containers.map { container in
            let items = placedItems(of: container.id)
            let (documents, others) = (items.filter(\.isVisible), items.filter { !$0.isVisible })
            return PadCommand.ListStorage.Entry {
                $0.container = container.id
                $0.documents = documents.map { item in
                    PadCommand.ListStorage.Document { ($0.path, $0.size) = (item.path, item.newestSize) }
                }
                let size = others.reduce(0) { $0 + $1.newestSize }
                $0.data = others.isEmpty ? nil : PadCommand.ListStorage.Other { $0.size = size }
            }
        }
    }
}
