import FleetModel
import Storage

/// Apps that leave, data that go: what the daemon makes of files that are not as the journal says.
struct DocumentRepair: DocumentWork {
    let library: DocumentLibrary
    let pad: any PadServices

    /// What it waits for is out of its reach: the account's container is.
    func refuseWaiting(_ app: AppIdentity) {
        let gone = ServiceError(.cocoa, 257, "the document is of an account that is not signed in any more").body
        for turn in library.accesses.turns where turn.access.app == app {
            pad.post(Message(turn.name, gone), exchange: turn.exchange, to: app)
        }
        for waiter in library.audience.waiters where waiter.app == app { presenters.reply(gone, waiter.exchange, app) }
    }
    func left(_ app: AppIdentity, isGone: Bool) {
        if isGone {
            library.accesses.writes.removeAll { $0.app == app }
            library.accesses.reads.removeAll { $0.app == app }
            library.accesses.turns.removeAll { $0.access.app == app }
            library.audience.waiters.removeAll { $0.app == app }
            library.audience.presented.removeAll { $0.app == app }
        }
        writing.noticeUncoordinated(app)
        placing.settlePlaces()
    }

    /// Data of an app are purged: of its documents the copies that the Cloud has as well.
    func purged(_ app: AppIdentity) {
        reconcile()
        for container in library.containers where container.apps.contains(app.bundle) {
            for item in library.items(of: container.id) where library.isEvictable(item.id) {
                if let path = item.path, !writing.isChanged(path) { _ = manageStorage.giveUp(item) }
            }
        }
    }

    /// Brings files and journal together after a power cut or a purge: files that came back are removed, queued ones that are missing are
    /// written again, missing copies become placeholders. Never a reason to delete a document.
    func reconcile() {
        sync.settleLaying()
        for container in library.containers {
            for item in library.items(of: container.id) {
                guard item.isLocal, let path = item.path, library.volume.disk.status(path) == nil else { continue }
                // A document that lies nowhere would be deleted for everybody. ASSUMED: for what lay here before the system has room.
                pad.attempt("the data of \(path)") {
                    try library.volume.disk.withReserve { try restore(item, path) }
                }
            }
            let files = library.volume.disk.files(
                under: ContainerPath.folder(of: container.id, second: library.volume.isSecond))
            for path in library.packageExtensions.isEmpty ? files : Set(files.map(library.unit)).sorted() {
                guard library.item(at: path).map({ !$0.isLocal }) ?? true else { continue }
                pad.attempt("the removal of \(path)") {
                    let digest = documentDigest(try library.documentData(path))
                    if try library.isGone(path, digest: digest) { try library.volume.disk.remove(path) }
                }
            }
        }
    }

    private func restore(_ item: DocumentItem, _ path: String) throws {
        var restored = item
        if let put = library.operations(of: item.id).last(where: { $0.kind == .put }) {
            let content = try library.content(of: put.seq)
            if let folder = path.lastIndex(of: "/") { try library.volume.disk.makeFolder(String(path[..<folder])) }
            try library.writeDocument(content, at: path)
            restored.size = content.count
            restored.digest = documentDigest(content)
            restored.modified = library.documentStatus(path)?.modified ?? item.modified
        } else {
            restored.isLocal = false
        }
        try library.commit([.save(restored)])
    }
}
