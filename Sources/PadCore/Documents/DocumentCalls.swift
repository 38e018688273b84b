import FleetModel
import Storage

/// What apps ask of the documents service, beside writing (Docs/local-link.md, Documents).
extension DocumentDaemon {
    func answer(_ message: Message, _ app: AppIdentity, _ pad: any PadServices) throws -> Value {
        guard let library = try library(of: app.person, pad) else {
            throw ServiceError(.posix, 5, "\(message.name): the person's storage is sealed")
        }
        switch message.name {
        case "docs.container": return try openContainer(message, app, library, pad)
        case "docs.beginWrite", "docs.beginRead": return try begin(message, app, library, pad)
        case "docs.endRead": return try endRead(message, app, library)
        case "docs.endWrite": return try endWrite(message, app, library, pad)
        case "docs.present": return try present(message, app, library)
        case "docs.list": return try list(message, app, library)
        case "docs.status": return try status(message, app, library, pad)
        case "docs.metadata": return try metadata(message, app, library)
        case "docs.versions": return try versions(message, app, library)
        case "docs.resolve": return try resolve(message, app, library, pad)
        case "docs.evict": return try evict(message, app, library, pad)
        default: throw ServiceError.malformed("\(message.name) is no call of the documents service")
        }
    }

    /// `url(forUbiquityContainerIdentifier:)`: null when signed out, not entitled or when the name is none; without a name the first that
    /// the app is entitled to (S36, S42, S44). The first app to open a container
    /// starts its metadata.
    private func openContainer(
        _ message: Message, _ app: AppIdentity, _ library: DocumentLibrary, _ pad: any PadServices
    ) throws -> Value {
        let entitled = pad.entitlements(of: app).documents
        guard let id = try message.argument(ifPresent: "identifier") ?? entitled.first, entitled.contains(id),
            pad.identity(of: app.person) != nil, ContainerPath.isContainer(id)
        else { return ["path": .null] }
        let folder = ContainerPath.folder(of: id, second: library.volume.isSecond)
        try library.volume.disk.makeFolder("\(folder)/Documents")
        var container = library.container(id) ?? DocumentContainer(id: id)
        if !container.apps.contains(app.bundle) {
            container.wantsFeed = true
            container.apps.append(app.bundle)
            container.apps.sort()
            try library.commit([.container(container)])
        }
        return ["path": .string(folder)]
    }

    private func list(_ message: Message, _ app: AppIdentity, _ library: DocumentLibrary) throws(ServiceError) -> Value
    {
        let id = ContainerPath.container(ofFolder: try message.argument("container"))
        guard isOpen(id, to: app, library) else {
            throw .malformed("\(message.name): \(app.app) has opened no ubiquity container \(id)")
        }
        return [
            "items": .array(
                library.placedItems(of: id).map { item in
                    var entry = entry(item, library)
                    entry["size"] = .int(item.newestSize)
                    entry["modified"] = .int(modified(item))
                    return entry
                })
        ]
    }
    /// Of the newest version, ns since 1970.
    private func modified(_ item: DocumentItem) -> Int64 {
        let isNewestHere = item.isLocal && item.isCurrent || item.remoteModified == 0
        return isNewestHere ? Instant.epochNanoseconds &+ item.modified.nanoseconds : item.remoteModified
    }
    /// What is known of one document, wherever its data are (S67): `{name, size, modified}`, ns since 1970.
    private func metadata(_ message: Message, _ app: AppIdentity, _ library: DocumentLibrary) throws(ServiceError)
        -> Value
    {
        let path = library.unit(of: try containerPath(message, "path", app, library).absolute)
        guard let item = library.item(at: path) else { throw ServiceError(.cocoa, 260, "there is no document \(path)") }
        return [
            "name": .string(path.split(separator: "/").last.map(String.init) ?? ""), "size": .int(item.newestSize),
            "modified": .int(modified(item)),
        ]
    }
    /// An entry of `docs.list` (icloud-documents.md 4): what is usual is left out.
    func entry(_ item: DocumentItem, _ library: DocumentLibrary) -> Value {
        let queued = library.operations(of: item.id)
        var entry: Value = [
            "path": .optional(item.path), "status": .string(item.status),
            "uploaded": .bool(queued.isEmpty && item.remote != .none),
            "uploading": .bool(queued.contains(where: \.isUnderWay)),
            "conflicts": .bool(!item.readableConflicts.isEmpty),
        ]
        if library.underWay[dataTask(item)] != nil { entry["downloading"] = true }
        if item.wantsData { entry["requested"] = true }
        if let trouble = item.uploadTrouble { entry["uploadError"] = .int(trouble.rawValue) }
        if let trouble = item.downloadTrouble { entry["downloadError"] = .int(trouble.rawValue) }
        return entry
    }
    /// As an entry of `docs.list`, with the `containerName`; empty for what is no document.
    private func status(_ message: Message, _ app: AppIdentity, _ library: DocumentLibrary, _ pad: any PadServices)
        throws(ServiceError) -> Value
    {
        let path = library.unit(of: try containerPath(message, "path", app, library).absolute)
        guard let item = library.item(at: path) else { return .empty }
        let published = pad.manifest(of: app.app)?.infoPlist["NSUbiquitousContainers"]?[item.container]
        // ASSUMED: a container that publishes no name is called by the end of its identifier.
        let end = item.container.split(separator: ".").last.map(String.init)
        var status = entry(item, library)
        status["containerName"] = .string(published?["NSUbiquitousContainerName"]?.string ?? end ?? item.container)
        return status
    }

    /// Unresolved conflict versions that can be settled now; the call must not wait for the network.
    private func versions(_ message: Message, _ app: AppIdentity, _ library: DocumentLibrary) throws -> Value {
        let path = library.unit(of: try containerPath(message, "path", app, library).absolute)
        guard let item = library.item(at: path) else { return ["versions": []] }
        var versions: [Value] = []
        for conflict in item.readableConflicts {
            guard let data = try library.conflictData(item.id, conflict.id) else { continue }
            versions.append([
                "id": .string(conflict.id), "data": .data(data), "modified": .int(conflict.modified),
                "device": .string(conflict.device),
            ])
        }
        return ["versions": .array(versions)]
    }

    /// `isResolved = true` and `removeOtherVersionsOfItem`: the versions are gone here at once, in the account when the Cloud has heard.
    /// Ids that name no conflict are passed over: resolving twice is allowed.
    private func resolve(_ message: Message, _ app: AppIdentity, _ library: DocumentLibrary, _ pad: any PadServices)
        throws -> Value
    {
        let path = library.unit(of: try containerPath(message, "path", app, library).absolute)
        guard let ids = message["ids"]?.array?.compactMap(\.string) else {
            throw ServiceError.malformed("docs.resolve needs 'ids'")
        }
        guard var item = library.item(at: path) else {
            throw ServiceError(.cocoa, 260, "there is no document \(path)")
        }
        let resolved = item.readableConflicts.map(\.id).filter { ids.contains($0) }
        guard !resolved.isEmpty else { return .empty }
        item.conflicts.removeAll { resolved.contains($0.id) }
        var hash = StableHash()
        for id in resolved { hash.add(id) }
        var operation = operation(.resolve, item, path, hash.value, pad)
        operation.versions = resolved
        try library.commit(
            resolved.map { .dropConflict(item: item.id, id: $0) } + [.save(item), .enqueue(operation, content: nil)])
        tellVersions(path, gone: message["removing"] == true ? .lost : .resolved, besides: app, library, pad)
        return .empty
    }

    /// `evictUbiquitousItem`: removes the data, never the document. Refused while something of it is only here. Of a folder: all in it,
    /// and its `.nosync` files with it (S63, S70).
    private func evict(_ message: Message, _ app: AppIdentity, _ library: DocumentLibrary, _ pad: any PadServices)
        throws -> Value
    {
        let path = library.unit(of: try containerPath(message, "path", app, library).absolute)
        let items = library.items(atOrBelow: path).filter(\.isLocal)
        if items.isEmpty, library.item(at: path) == nil {
            throw ServiceError(.cocoa, 260, "there is no document \(path)")
        }
        for item in items {
            if let place = item.path, isChanged(place, library, pad) {
                try settleOne(place, isDeleting: false, app, library, pad)
            }
            guard isEvictable(item.id, library) else {
                throw ServiceError(.cocoa, 512, "\(item.path ?? path) is not uploaded yet; evict it when it is")
            }
        }
        for item in items {
            try evict(item, library)
            if let place = item.path { tellPresenters(.evicted, place, besides: app, library, pad) }
        }
        for file in library.volume.disk.files(under: path) where ContainerPath(file)?.isExcluded ?? false {
            try library.volume.disk.remove(file)
        }
        return .empty
    }
    /// Whether the Cloud has all of a document's local data.
    func isEvictable(_ id: String, _ library: DocumentLibrary) -> Bool {
        guard let item = library.items[id], item.isLocal, let path = item.path, !library.isBeingWritten(path) else {
            return false
        }
        return item.base != .none && library.operations(of: id).isEmpty
    }
    func evict(_ item: DocumentItem, _ library: DocumentLibrary) throws {
        guard let path = item.path else { return }
        var evicted = item
        evicted.isLocal = false
        try library.commit([.save(evicted), .gone(path: path, digest: item.digest)])
        if library.volume.disk.status(path) != nil { try library.volume.disk.remove(path) }
    }

    /// A path argument that lies in a container that the app has opened: of others it knows nothing (S36, S42).
    func containerPath(_ message: Message, _ key: String, _ app: AppIdentity, _ library: DocumentLibrary)
        throws(ServiceError) -> ContainerPath
    {
        let text = try message.argument(key)
        guard let path = ContainerPath(text), path.isSecond == library.volume.isSecond,
            isOpen(path.container, to: app, library)
        else {
            throw .malformed("\(message.name): \(text) lies in no ubiquity container that \(app.app) has opened")
        }
        return path
    }
    private func isOpen(_ container: String, to app: AppIdentity, _ library: DocumentLibrary) -> Bool {
        library.container(container)?.apps.contains(app.bundle) ?? false
    }

    /// `startDownloadingUbiquitousItem`, or the wait of a coordinated read (icloud-documents.md 4, 6).
    func download(_ message: Message, _ exchange: UInt64, _ app: AppIdentity, _ pad: any PadServices) {
        do {
            guard let library = try library(of: app.person, pad) else {
                throw ServiceError(.posix, 5, "the storage is sealed")
            }
            let path = library.unit(of: try containerPath(message, "path", app, library).absolute)
            guard let item = library.item(at: path) else {
                if library.volume.disk.status(path) != nil { return reply(.empty, exchange, app, pad) }
                throw ServiceError(.cocoa, 260, "there is no document \(path)")
            }
            library.update(item: item.id) {
                $0.wantsData = true
                $0.retry.hasten()
            }
            if item.isLocal { return reply(.empty, exchange, app, pad) }
            guard pad.canReachNetwork(as: app.person), pad.hasAccount(app.person) else {
                throw Self.unavailable(path)
            }
            library.waiters.append(DocumentLibrary.Waiter(item: item.id, app: app, exchange: exchange))
        } catch {
            reply(ServiceError(error, doing: message.name).body, exchange, app, pad)
        }
    }
    func reply(_ body: Value, _ exchange: UInt64, _ app: AppIdentity, _ pad: any PadServices) {
        guard exchange != 0 else { return }
        pad.post(Message("docs.download", body), exchange: exchange, to: app)
    }
    /// NSUbiquitousFileUnavailableError.
    static func unavailable(_ path: String) -> ServiceError {
        ServiceError(.cocoa, 4353, "\(path) is not on this iPad and cannot be downloaded now; try again with a network")
    }
}
