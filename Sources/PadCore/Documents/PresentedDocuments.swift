import FleetModel

/// What apps present of the documents, so that they hear what other devices do to it (icloud-documents.md 6).
///
/// ASSUMED: they hear in the instant in which it happens, and it does not wait for them. Not modelled: eviction, versions, packages' parts.
extension DocumentDaemon {
    enum PresentedChange: String {
        case changed, moved, deleted
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
        return .empty
    }
    /// ASSUMED; a list that long is a leak.
    private static let presentedMax = 10_000

    func tellPresenters(
        _ change: PresentedChange, _ path: String, to place: String? = nil, _ library: DocumentLibrary,
        _ pad: any PadServices
    ) {
        var body: Value = ["change": .string(change.rawValue), "path": .string(path)]
        if let place { body["to"] = .string(place) }
        for (app, paths) in library.presented where paths.contains(path) {
            pad.post(Message("docs.presented", body), exchange: 0, to: app)
        }
    }
}
