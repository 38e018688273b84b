import FleetModel

/// What apps present of the documents, so that they hear what other devices and other apps do to it (icloud-documents.md 6). Who presents a
/// folder hears of all in it.
///
/// ASSUMED: they hear in the instant in which it happens, and it does not wait for them. Not modelled: parts of packages.
extension DocumentDaemon {
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
    func present(_ message: Message, _ app: AppIdentity, _ library: DocumentLibrary) throws(ServiceError) -> Value {
        guard let list = message["paths"]?.array, list.count <= Self.presentedMax else {
            throw .malformed("\(message.name) needs 'paths', \(Self.presentedMax) at most")
        }
        var paths: [String] = []
        for path in list {
            // What it may not see it does not hear of; the others it does.
            let one = Message(message.name, ["path": path])
            guard let place = try? containerPath(one, "path", app, library) else { continue }
            paths.append(library.unit(of: place.absolute))
        }
        library.presented.removeAll { $0.app == app }
        if !paths.isEmpty { library.presented.append((app, paths)) }
        // Who begins to present knows the versions that are there, and how far the document is in sync.
        let (versions, entries) = (library.presentedVersions, library.presentedEntries)
        (library.presentedVersions, library.presentedEntries) = ([:], [:])
        for item in library.items(where: { $0.path.map(library.isPresented) ?? false }) {
            library.presentedVersions[item.id] = versions[item.id] ?? item.readableConflicts
            library.presentedEntries[item.id] = entries[item.id] ?? entry(item, library)
        }
        return .empty
    }
    /// ASSUMED; a list that long is a leak.
    private static let presentedMax = 10_000

    /// - Parameter author: the app that did it; it knows.
    func tellPresenters(
        _ change: PresentedChange, _ path: String, to place: String? = nil, version: ConflictVersion? = nil,
        besides author: AppIdentity? = nil, _ library: DocumentLibrary, _ pad: any PadServices
    ) {
        var body: Value = ["change": .string(change.rawValue), "path": .string(path)]
        if let place { body["to"] = .string(place) }
        if let version {
            body["version"] = [
                "id": .string(version.id), "modified": .int(version.modified), "device": .string(version.device),
            ]
        }
        for (app, paths) in library.presented where app != author && paths.contains(where: { path.lies(in: $0) }) {
            pad.post(Message("docs.presented", body), exchange: 0, to: app)
        }
    }

    /// Tells which members of a document's entry in `docs.list` are others than the last time. ASSUMED: with the notices to queries, no sooner.
    func tellAttributes(_ path: String, _ library: DocumentLibrary, _ pad: any PadServices) {
        guard !library.presented.isEmpty, let item = library.item(at: path), library.isPresented(path) else { return }
        let (before, now) = (library.presentedEntries[item.id] ?? .empty, entry(item, library))
        library.presentedEntries[item.id] = now
        let names = ((before.object?.keys ?? []) + (now.object?.keys ?? [])).filter { $0 != "path" }
        let changed = Set(names.filter { before[$0] != now[$0] }).sorted()
        guard !changed.isEmpty else { return }
        let body: Value = [
            "change": .string(PresentedChange.attributes.rawValue), "path": .string(path), "names": .strings(changed),
        ]
        for (app, paths) in library.presented where paths.contains(path) {
            pad.post(Message("docs.presented", body), exchange: 0, to: app)
        }
    }

    /// Tells of the conflict versions that came and went since the last time.
    func tellVersions(
        _ path: String, gone change: PresentedChange = .resolved, besides author: AppIdentity? = nil,
        _ library: DocumentLibrary, _ pad: any PadServices
    ) {
        guard !library.presented.isEmpty, let item = library.item(at: path), library.isPresented(path) else { return }
        let (before, now) = (library.presentedVersions[item.id] ?? [], item.readableConflicts)
        library.presentedVersions[item.id] = now
        for old in before where !now.contains(where: { $0.id == old.id }) {
            // One that only cannot be read any more is still there.
            guard !item.conflicts.contains(where: { $0.id == old.id }) else { continue }
            tellPresenters(change, path, version: old, besides: author, library, pad)
        }
        for new in now where !before.contains(where: { $0.id == new.id }) {
            tellPresenters(.gained, path, version: new, besides: author, library, pad)
        }
    }
}

extension DocumentLibrary {
    /// Whether somebody presents a document, or a folder that it lies in.
    func isPresented(_ path: String) -> Bool {
        presented.contains { $0.paths.contains { path.lies(in: $0) } }
    }
}

extension String {
    /// Whether a path is a place or lies below it.
    fileprivate func lies(in place: String) -> Bool { self == place || hasPrefix(place + "/") }
}
