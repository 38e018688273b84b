import FleetModel
import Storage

/// bird and cloudd's part for documents: ubiquity containers, coordinated writes, versions (icloud-documents.md; S31, S50-S71, S112).
///
/// Every document's metadata are on the iPad, its data when they were written or asked for. What an app has written with coordination
/// is in the queue with its bytes before `docs.endWrite` is answered, and leaves the queue when the Cloud has confirmed it.
///
/// Not modelled: delta uploads, sharing, a person's deletion of a whole container. ASSUMED: after the iCloud identity is gone, work that was taken over still goes on, and the files stay.
final class DocumentDaemon: Daemon {
    static let service = "docs"
    static let isOfAccount = true

    var libraries: [Person: DocumentLibrary] = [:]
    /// Who is signed in: only for that person changes are read and data are fetched.
    private(set) var session: Person?
    var nextWake: Instant?

    /// How often changes are looked for without a push. ASSUMED.
    static let pollInterval = Span.minutes(15)
    static let unreachablePause = Span.seconds(60)
    /// Between two looks whether a full disk has room again. ASSUMED.
    static let roomPause = Span.seconds(5)

    init() {}

    func boot(_ pad: any PadServices) {
        libraries = [:]
        session = nil
        for account in pad.accounts {
            pad.attempt("the documents of \(account)") {
                if let library = try library(of: account, pad) { reconcile(library, pad) }
            }
        }
        pump(pad)
    }

    func call(_ message: Message, from app: AppIdentity, _ pad: any PadServices) -> Message {
        defer { pump(pad) }
        do {
            return Message(message.name, try answer(message, app, pad))
        } catch {
            return Message(message.name, ServiceError(error, doing: message.name).body)
        }
    }

    func post(_ message: Message, exchange: UInt64, from app: AppIdentity, _ pad: any PadServices) {
        if message.name == "docs.download" {
            download(message, exchange, app, pad)
            pump(pad)
        } else if exchange != 0, ["docs.beginWrite", "docs.beginRead"].contains(message.name) {
            queue(message, exchange, app, pad)
            pump(pad)
        } else if exchange != 0 {
            let error = ServiceError.malformed("\(message.name) is no post of the documents service")
            pad.post(Message(message.name, error.body), exchange: exchange, to: app)
        }
    }

    func pushed(_ message: Message, person: Person, _ pad: any PadServices) {
        guard let library = libraries[person], let container = message["topic"]?.string else { return }
        library.update(container: container) { $0.wantsFeed = true }
        pump(pad)
    }

    func wake(_ pad: any PadServices) { pump(pad) }

    func observe(_ event: SystemEvent, _ pad: any PadServices) {
        switch event {
        case .signedIn(let person):
            session = person
            pad.attempt("the documents of \(person)") { _ = try library(of: person, pad) }
            wantFeeds(of: person) { _ in true }
            hasten()
        case .signedOut(let person):
            if session == person { session = nil }
        case .removed(let person): libraries[person] = nil
        case .networkReturned:
            if let session { wantFeeds(of: session) { _ in true } }
            hasten()
        case .appEntered(let app, .active): wantFeeds(of: app.person) { $0.apps.contains(app.bundle) }
        case .appEntered(let app, .background): left(app, isGone: false, pad)
        case .appEntered, .suitsDiscretionary, .pushHandled: return
        case .appEnded(let app, _): left(app, isGone: true, pad)
        case .accountLeft(let app):
            refuseWaiting(app, pad)
            left(app, isGone: true, pad)
        case .accountEntered(let app): wantFeeds(of: app.person) { $0.apps.contains(app.bundle) }
        case .purged(let person, let app): purged(person, app, pad)
        case .identityChanged(let person, let token, _):
            if token != nil { wantFeeds(of: person) { _ in true } }
        }
        pump(pad)
    }

    /// Whether a document lies here of which only the metadata are on this iPad: reading it gives 4353.
    func isPlaceholder(_ path: String, person: Person) -> Bool {
        guard let library = libraries[person] else { return false }
        return library.item(at: library.unit(of: path)).map { !$0.isLocal } ?? false
    }

    /// Whether an app holds a coordinated write of a place.
    func isBeingWritten(_ path: String, person: Person) -> Bool {
        libraries[person].map { $0.isBeingWritten($0.unit(of: path)) } ?? false
    }

    func pending(of person: Person) -> [PendingItem] {
        guard let library = libraries[person] else { return [] }
        let queued = library.operations.map { operation in
            let waitsFor =
                operation.isUnderWay
                ? "answer"
                : operation.retry.attempt > 0 ? "retry at \(operation.retry.notBefore.wallClock)" : "network"
            return PendingItem(what: "document \(operation.name)", waitsFor: waitsFor, tokens: operation.tokens)
        }
        let unsettled = library.unsettled.map {
            PendingItem(what: "document \($0.path)", waitsFor: "room on the disk", tokens: [])
        }
        return unsettled + queued + fetches(library)
    }
    /// What is to be fetched for the person who is here: the iPad is not idle before it is there.
    private func fetches(_ library: DocumentLibrary) -> [PendingItem] {
        var names = library.underWay.filter { if case .operation = $0.value { false } else { true } }.keys.sorted()
        if session == library.volume.person {
            names += library.containers.filter { needsFeed($0, library) }.map { "changes \($0.id)" }
            names += downloads(library).map(dataTask) + missingConflicts(library).map { conflictTask($0.item) }
        }
        var items: [PendingItem] = []
        for name in names where !items.contains(where: { $0.what == "document \(name)" }) {
            let waitsFor = library.underWay[name] == nil ? "network" : "answer"
            items.append(PendingItem(what: "document \(name)", waitsFor: waitsFor, tokens: []))
        }
        return items
    }
    func queuedTokens(of person: Person) -> [Token] {
        var tokens: [Token] = []
        for token in (libraries[person]?.operations ?? []).flatMap(\.tokens) where !tokens.contains(token) {
            tokens.append(token)
        }
        return tokens
    }

    /// The person's library; nil when the person is not cached here. A volume that was opened anew gets a new one.
    func library(of person: Person, _ pad: any PadServices) throws -> DocumentLibrary? {
        guard let volume = pad.volume(of: person) else { return nil }
        if let library = libraries[person], library.volume === volume { return library }
        // The files that lie there are understood with it: an iPad that starts with a full disk must not do without.
        let library = try volume.disk.withReserve { try DocumentLibrary(volume) }
        library.packageExtensions = pad.packageExtensions
        library.fetchesAll = pad.isDesktop
        libraries[person] = library
        return library
    }

    private func wantFeeds(of person: Person, _ isConcerned: (DocumentContainer) -> Bool) {
        guard let library = libraries[person] else { return }
        for container in library.containers where isConcerned(container) {
            library.update(container: container.id) { $0.wantsFeed = true }
        }
    }
    private func hasten() {
        for library in libraries.values {
            for container in library.containers { library.update(container: container.id) { $0.retry.hasten() } }
            for operation in library.operations { library.update(operation: operation.seq) { $0.retry.hasten() } }
            for id in library.items.keys { library.update(item: id) { $0.retry.hasten() } }
        }
    }
}

// MARK: - Apps that leave, storage that shrinks

extension DocumentDaemon {
    /// What it waits for is out of its reach: the account's container is.
    private func refuseWaiting(_ app: AppIdentity, _ pad: any PadServices) {
        guard let library = libraries[app.person] else { return }
        let gone = ServiceError(.cocoa, 257, "the document is of an account that is not signed in any more").body
        for turn in library.turns where turn.access.app == app {
            pad.post(Message(turn.name, gone), exchange: turn.exchange, to: app)
        }
        for waiter in library.waiters where waiter.app == app { reply(gone, waiter.exchange, app, pad) }
    }
    private func left(_ app: AppIdentity, isGone: Bool, _ pad: any PadServices) {
        guard let library = libraries[app.person] else { return }
        if isGone {
            library.writes.removeAll { $0.app == app }
            library.reads.removeAll { $0.app == app }
            library.turns.removeAll { $0.access.app == app }
            library.waiters.removeAll { $0.app == app }
            library.presented.removeAll { $0.app == app }
        }
        noticeUncoordinated(app, library, pad)
        settlePlaces(library, pad)
    }

    /// Data of an app are purged: of its documents the copies that the Cloud has as well.
    private func purged(_ person: Person, _ app: AppIdentity, _ pad: any PadServices) {
        guard let library = libraries[person] else { return }
        reconcile(library, pad)
        for container in library.containers where container.apps.contains(app.bundle) {
            for item in library.items(of: container.id) where isEvictable(item.id, library) {
                if let path = item.path, !isChanged(path, library, pad) { _ = giveUp(item, library, pad) }
            }
        }
    }

    /// Brings files and journal together after a power cut or a purge: files that came back are removed, queued ones that are missing are
    /// written again, missing copies become placeholders. Never a reason to delete a document.
    func reconcile(_ library: DocumentLibrary, _ pad: any PadServices) {
        settleLaying(library, pad)
        for container in library.containers {
            for item in library.items(of: container.id) {
                guard item.isLocal, let path = item.path, library.volume.disk.status(path) == nil else { continue }
                // A document that lies nowhere would be deleted for everybody. ASSUMED: for what lay here before the system has room.
                pad.attempt("the data of \(path)") {
                    try library.volume.disk.withReserve { try restore(item, path, library) }
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

    private func restore(_ item: DocumentItem, _ path: String, _ library: DocumentLibrary) throws {
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
