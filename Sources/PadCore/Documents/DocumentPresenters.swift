import FleetModel
import Storage

/// What apps hear of documents: those that wait for data, that look at a container, and that present something (icloud-documents.md 6). An
/// app that presents a folder hears of all in it.
///
/// ASSUMED: they hear in the instant in which it happens, and it does not wait for them. Not modelled: parts of packages.
struct DocumentPresenters: DocumentWork {
    let library: DocumentLibrary
    let pad: any PadServices

    func reply(_ body: Value, _ exchange: UInt64, _ app: AppIdentity) {
        guard exchange != 0 else { return }
        pad.post(Message(DocumentMessages.Download.name, body), exchange: exchange, to: app)
    }

    // MARK: Telling apps

    /// Tells the live apps that opened the container.
    func notify(
        _ paths: [String], _ container: String, besides author: AppIdentity? = nil
    ) {
        for path in paths {
            tellVersions(path, besides: author)
            tellAttributes(path)
        }
        guard !paths.isEmpty, let apps = library.container(container)?.apps else { return }
        for app in pad.using(library.volume.person, app: nil) where apps.contains(app.bundle) && app != author {
            pad.post(DocumentMessages.Changed { $0.paths = paths }.message, exchange: 0, to: app)
        }
    }

    /// Answers who waits for a document's data.
    func answerWaiters(of item: String, _ body: Value) {
        let waiting = library.audience.waiters.filter { $0.item == item }
        library.audience.waiters.removeAll { $0.item == item }
        for waiter in waiting { reply(body, waiter.exchange, waiter.app) }
    }
    /// Answers those whose document has arrived or is gone.
    func answerServedWaiters() {
        for waiter in library.audience.waiters {
            switch library.items[waiter.item] {
            case let item? where item.isLocal: answerWaiters(of: waiter.item, .empty)
            case let item? where !item.isDeleted: break
            default: answerWaiters(of: waiter.item, DocumentCalls.unavailable("the document").body)
            }
        }
    }

    enum PresentedChange: String {
        case changed, moved, deleted
        /// A new document in a presented folder.
        case appeared
        /// Its data are gone from this iPad.
        case evicted
        /// A version that lost a conflict: it can be read now; it was settled; it was thrown away.
        case gained, resolved, lost
        /// How far it is in sync.
        case attributes
    }

    /// `docs.present {paths}`: all that this launch presents now.
    func present(_ message: Message, _ app: AppIdentity) throws(ServiceError) -> Value {
        guard let list = try? DocumentMessages.Present(message).paths, list.count <= Self.presentedMax else {
            throw .malformed("\(message.name) needs 'paths', \(Self.presentedMax) at most")
        }
        var paths: [String] = []
        for path in list {
            // What it may not see it does not hear of; the others it does.
            guard let path = path.string, let place = try? calls.containerPath(path, message.name, app) else {
                continue
            }
            paths.append(library.unit(of: place.absolute))
        }
        library.audience.presented.removeAll { $0.app == app }
        if !paths.isEmpty { library.audience.presented.append((app, paths)) }
        // Who begins to present knows the versions that are there, and how far the document is in sync.
        let (versions, entries) = (library.audience.versions, library.audience.entries)
        (library.audience.versions, library.audience.entries) = ([:], [:])
        for item in library.items(where: { $0.path.map(library.isPresented) ?? false }) {
            library.audience.versions[item.id] = versions[item.id] ?? item.readableConflicts
            library.audience.entries[item.id] = entries[item.id] ?? calls.entry(item)
        }
        return .empty
    }
    /// ASSUMED; a list that long is a leak.
    private static let presentedMax = 10_000

    /// - Parameter author: the app that did it; it knows.
    func tellPresenters(
        _ change: PresentedChange, _ path: String, to place: String? = nil, version: ConflictVersion? = nil,
        besides author: AppIdentity? = nil
    ) {
        let notice = DocumentMessages.Presented {
            ($0.change, $0.path, $0.to) = (change.rawValue, path, place)
            $0.version = version.map(DocumentMessages.Version.init)
        }.message
        for (app, paths) in library.audience.presented
        where app != author && paths.contains(where: { path.lies(in: $0) }) {
            pad.post(notice, exchange: 0, to: app)
        }
    }

    /// Tells which members of a document's entry in `docs.list` are others than the last time. ASSUMED: with the notices to queries, no sooner.
    func tellAttributes(_ path: String) {
        guard !library.audience.presented.isEmpty, let item = library.item(at: path), library.isPresented(path) else {
            return
        }
        let entry = calls.entry(item)
        let (before, now) = (library.audience.entries[item.id]?.object ?? Value.Object(), entry.object)
        library.audience.entries[item.id] = entry
        let names = (before.keys + now.keys).filter { $0 != "path" }
        let changed = Set(names.filter { before[$0] != now[$0] }).sorted()
        guard !changed.isEmpty else { return }
        let notice = DocumentMessages.Presented {
            ($0.change, $0.path, $0.names) = (PresentedChange.attributes.rawValue, path, changed)
        }.message
        for (app, paths) in library.audience.presented where paths.contains(path) {
            pad.post(notice, exchange: 0, to: app)
        }
    }

    /// Tells of the conflict versions that came and went since the last time.
    func tellVersions(
        _ path: String, gone change: PresentedChange = .resolved, besides author: AppIdentity? = nil
    ) {
        guard !library.audience.presented.isEmpty, let item = library.item(at: path), library.isPresented(path) else {
            return
        }
        let (before, now) = (library.audience.versions[item.id] ?? [], item.readableConflicts)
        library.audience.versions[item.id] = now
        for old in before where !now.contains(where: { $0.id == old.id }) {
            // One that only cannot be read any more is still there.
            guard !item.conflicts.contains(where: { $0.id == old.id }) else { continue }
            tellPresenters(change, path, version: old, besides: author)
        }
        for new in now where !before.contains(where: { $0.id == new.id }) {
            tellPresenters(.gained, path, version: new, besides: author)
        }
    }
}

extension DocumentLibrary {
    /// Whether somebody presents a document, or a folder that it lies in.
    func isPresented(_ path: String) -> Bool {
        audience.presented.contains { $0.paths.contains { path.lies(in: $0) } }
    }
}

extension String {
    /// Whether a path is a place or lies below it.
    fileprivate func lies(in place: String) -> Bool { self == place || hasPrefix(place + "/") }
}

extension DocumentMessages.Version {
    /// Without its data.
    init(_ version: ConflictVersion) {
        self.init()
        (id, modified, device) = (version.id, version.modified, version.device)
    }
}
