import FleetModel
import Storage

/// What apps ask of the documents service, beside writing (Docs/local-link.md, Documents).
struct DocumentCalls: DocumentWork {
    let library: DocumentLibrary
    let pad: any PadServices

    func answer(_ message: Message, _ app: AppIdentity) throws -> Value {
        switch message.name {
        case DocumentMessages.Container.name: return try openContainer(message, app)
        case DocumentMessages.BeginWrite.name, DocumentMessages.BeginRead.name:
            return try coordination.begin(message, app)
        case DocumentMessages.EndRead.name: return try coordination.endRead(message, app)
        case DocumentMessages.EndWrite.name: return try writing.endWrite(message, app)
        case DocumentMessages.Present.name: return try presenters.present(message, app)
        case DocumentMessages.List.name: return try list(message, app)
        case DocumentMessages.Status.name: return try status(message, app)
        case DocumentMessages.Metadata.name: return try metadata(message, app)
        case DocumentMessages.Versions.name: return try versions(message, app)
        case DocumentMessages.Resolve.name: return try resolve(message, app)
        case DocumentMessages.Evict.name: return try evict(message, app)
        default: throw ServiceError.malformed("\(message.name) is no call of the documents service")
        }
    }

    /// `url(forUbiquityContainerIdentifier:)`: null when signed out, not entitled or when the name is none; without a name the first that
    /// the app is entitled to (S36, S42, S44). The first app to open a container
    /// starts its metadata.
    private func openContainer(
        _ message: Message, _ app: AppIdentity
    ) throws -> Value {
        let entitled = pad.entitlements(of: app).documents
        guard let id = try DocumentMessages.Container(message).identifier ?? entitled.first, entitled.contains(id),
            pad.identity(of: app.account) != nil, ContainerPath.isContainer(id)
        else { return DocumentMessages.Container.Answer().body }
        let folder = ContainerPath.folder(of: id, second: library.volume.isSecond)
        try library.volume.disk.makeFolder("\(folder)/Documents")
        var container = library.container(id) ?? DocumentContainer(id: id)
        if !container.apps.contains(app.bundle) {
            container.wantsFeed = true
            container.apps.append(app.bundle)
            container.apps.sort()
            try library.commit([.container(container)])
        }
        return DocumentMessages.Container.Answer(path: folder).body
    }

    private func list(_ message: Message, _ app: AppIdentity) throws -> Value {
        let id = ContainerPath.container(ofFolder: try DocumentMessages.List(message).container)
        guard isOpen(id, to: app) else {
            throw ServiceError.malformed("\(message.name): \(app.app) has opened no ubiquity container \(id)")
        }
        let entries = library.placedItems(of: id).map { item in
            var entry = entry(item)
            (entry.size, entry.modified) = (item.newestSize, modified(item))
            return entry
        }
        return DocumentMessages.List.Answer { $0.items = entries }.body
    }
    /// Of the newest version, ns since 1970.
    private func modified(_ item: DocumentItem) -> Int64 {
        let isNewestHere = item.isLocal && item.isCurrent || item.remoteModified == 0
        return isNewestHere ? Instant.epochNanoseconds &+ item.modified.nanoseconds : item.remoteModified
    }
    /// What is known of one document, wherever its data are (S67): `{name, size, modified}`, ns since 1970.
    private func metadata(_ message: Message, _ app: AppIdentity) throws(ServiceError)
        -> Value
    {
        let path = library.unit(of: try containerPath(message, app).absolute)
        guard let item = library.item(at: path) else { throw ServiceError(.cocoa, 260, "there is no document \(path)") }
        return DocumentMessages.Metadata.Answer {
            $0.name = path.split(separator: "/").last.map(String.init) ?? ""
            ($0.size, $0.modified) = (item.newestSize, modified(item))
        }.body
    }
    /// An entry of `docs.list` (icloud-documents.md 4): what is usual is left out.
    func entry(_ item: DocumentItem) -> DocumentMessages.Entry {
        let queued = library.operations(of: item.id)
        var entry = DocumentMessages.Entry()
        (entry.path, entry.status) = (item.path, item.status)
        entry.uploaded = queued.isEmpty && item.remote != .none
        entry.uploading = queued.contains(where: \.isUnderWay)
        entry.conflicts = !item.readableConflicts.isEmpty
        entry.downloading = library.underWay[library.dataTask(item)] != nil
        entry.requested = item.wantsData
        (entry.uploadError, entry.downloadError) = (item.uploadTrouble?.rawValue, item.downloadTrouble?.rawValue)
        return entry
    }
    /// As an entry of `docs.list`, with the `containerName`; empty for what is no document.
    private func status(_ message: Message, _ app: AppIdentity)
        throws(ServiceError) -> Value
    {
        let path = library.unit(of: try containerPath(message, app).absolute)
        guard let item = library.item(at: path) else { return .empty }
        let published = pad.manifest(of: app.app)?.infoPlist["NSUbiquitousContainers"]?[item.container]
        // ASSUMED: a container that publishes no name is called by the end of its identifier.
        let end = item.container.split(separator: ".").last.map(String.init)
        var status = entry(item)
        status.containerName = published?["NSUbiquitousContainerName"]?.string ?? end ?? item.container
        return status.body
    }

    /// Unresolved conflict versions that can be settled now; the call must not wait for the network.
    private func versions(_ message: Message, _ app: AppIdentity) throws -> Value {
        let path = library.unit(of: try containerPath(message, app).absolute)
        guard let item = library.item(at: path) else { return DocumentMessages.Versions.Answer().body }
        var versions: [DocumentMessages.Version] = []
        for conflict in item.readableConflicts {
            guard let data = try library.conflictData(item.id, conflict.id) else { continue }
            var version = DocumentMessages.Version(conflict)
            version.data = data
            versions.append(version)
        }
        return DocumentMessages.Versions.Answer { $0.versions = versions }.body
    }

    /// `isResolved = true` and `removeOtherVersionsOfItem`: the versions are gone here at once, in the account when the Cloud has heard.
    /// Ids that name no conflict are passed over: resolving twice is allowed.
    private func resolve(_ message: Message, _ app: AppIdentity)
        throws -> Value
    {
        let asked = try DocumentMessages.Resolve(message)
        let (path, ids) = (library.unit(of: try containerPath(asked.path, message.name, app).absolute), asked.ids)
        guard var item = library.item(at: path) else {
            throw ServiceError(.cocoa, 260, "there is no document \(path)")
        }
        let resolved = item.readableConflicts.map(\.id).filter { ids.contains($0) }
        guard !resolved.isEmpty else { return .empty }
        item.conflicts.removeAll { resolved.contains($0.id) }
        var hash = StableHash()
        for id in resolved { hash.add(id) }
        var operation = writing.operation(.resolve, item, path, hash.value)
        operation.versions = resolved
        try library.commit(
            resolved.map { .dropConflict(item: item.id, id: $0) } + [.save(item), .enqueue(operation, content: nil)])
        presenters.tellVersions(path, gone: asked.removing == true ? .lost : .resolved, besides: app)
        return .empty
    }

    /// `evictUbiquitousItem`: removes the data, never the document. Refused while something of it is only here. Of a folder: all in it,
    /// and its `.nosync` files with it (S63, S70).
    private func evict(_ message: Message, _ app: AppIdentity)
        throws -> Value
    {
        let path = library.unit(of: try containerPath(message, app).absolute)
        let items = library.items(atOrBelow: path).filter(\.isLocal)
        if items.isEmpty, library.item(at: path) == nil {
            throw ServiceError(.cocoa, 260, "there is no document \(path)")
        }
        for item in items {
            if let place = item.path, writing.isChanged(place) {
                try writing.settleOne(place, isDeleting: false, app)
            }
            guard library.isEvictable(item.id) else {
                throw ServiceError(.cocoa, 512, "\(item.path ?? path) is not uploaded yet; evict it when it is")
            }
        }
        for item in items {
            try library.evict(item)
            if let place = item.path { presenters.tellPresenters(.evicted, place, besides: app) }
        }
        for file in library.volume.disk.files(under: path) where ContainerPath(file)?.isExcluded ?? false {
            try library.volume.disk.remove(file)
        }
        return .empty
    }

    /// A path argument that lies in a container that the app has opened: of others it knows nothing (S36, S42).
    func containerPath(_ message: Message, _ app: AppIdentity) throws(ServiceError) -> ContainerPath {
        let place: DocumentMessages.Metadata
        do { place = try DocumentMessages.Metadata(message.body, of: message.name) } catch { throw ServiceError(error) }
        return try containerPath(place.path, message.name, app)
    }
    func containerPath(_ text: String, _ name: String, _ app: AppIdentity) throws(ServiceError) -> ContainerPath {
        guard let path = ContainerPath(text), path.isSecond == library.volume.isSecond,
            isOpen(path.container, to: app)
        else {
            throw .malformed("\(name): \(text) lies in no ubiquity container that \(app.app) has opened")
        }
        return path
    }
    private func isOpen(_ container: String, to app: AppIdentity) -> Bool {
        library.container(container)?.apps.contains(app.bundle) ?? false
    }

    /// `startDownloadingUbiquitousItem`, or the wait of a coordinated read (icloud-documents.md 4, 6).
    func download(_ message: Message, _ exchange: UInt64, _ app: AppIdentity) {
        do {
            let path = library.unit(of: try containerPath(message, app).absolute)
            guard let item = library.item(at: path) else {
                if library.volume.disk.status(path) != nil { return presenters.reply(.empty, exchange, app) }
                throw ServiceError(.cocoa, 260, "there is no document \(path)")
            }
            library.update(item: item.id) {
                $0.wantsData = true
                $0.retry.hasten()
            }
            if item.isLocal { return presenters.reply(.empty, exchange, app) }
            guard pad.canReachNetwork(as: app.account), pad.hasAccount(app.account) else {
                throw Self.unavailable(path)
            }
            library.audience.waiters.append(DocumentLibrary.Waiter(item: item.id, app: app, exchange: exchange))
        } catch {
            presenters.reply(ServiceError(error, doing: message.name).body, exchange, app)
        }
    }
    /// NSUbiquitousFileUnavailableError.
    static func unavailable(_ path: String) -> ServiceError {
        ServiceError(.cocoa, 4353, "\(path) is not on this iPad and cannot be downloaded now; try again with a network")
    }
}
