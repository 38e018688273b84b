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

    private var libraries: [Person: DocumentLibrary] = [:]
    /// Who is signed in: only for that person changes are read and data are fetched.
    private var session: Person? {
        didSet { for (account, library) in libraries { library.isHere = account == session } }
    }
    private(set) var nextWake: Instant?

    init() {}

    private func work(_ library: DocumentLibrary, _ pad: any PadServices) -> DocumentSync {
        DocumentSync(library: library, pad: pad)
    }

    func boot(_ pad: any PadServices) {
        libraries = [:]
        session = nil
        for account in pad.accounts {
            pad.attempt("the documents of \(account)") {
                if let library = try library(of: account, pad) { work(library, pad).repair.reconcile() }
            }
        }
        pump(pad)
    }

    func call(_ message: Message, from app: AppIdentity, _ pad: any PadServices) -> Message {
        defer { pump(pad) }
        do {
            guard let library = try library(of: app.account, pad) else { throw Self.sealed(message) }
            return Message(message.name, try work(library, pad).calls.answer(message, app))
        } catch {
            return Message(message.name, ServiceError(error, doing: message.name).body)
        }
    }

    func post(_ message: Message, exchange: UInt64, from app: AppIdentity, _ pad: any PadServices) {
        let isTurn = [DocumentMessages.BeginWrite.name, DocumentMessages.BeginRead.name].contains(message.name)
        if message.name == DocumentMessages.Download.name || exchange != 0 && isTurn {
            do {
                guard let library = try library(of: app.account, pad) else {
                    throw isTurn ? Self.sealed(message) : ServiceError(.posix, 5, "the storage is sealed")
                }
                if isTurn {
                    work(library, pad).coordination.queue(message, exchange, app)
                } else {
                    work(library, pad).calls.download(message, exchange, app)
                }
            } catch {
                let body = ServiceError(error, doing: message.name).body
                if exchange != 0 { pad.post(Message(message.name, body), exchange: exchange, to: app) }
            }
            pump(pad)
        } else if exchange != 0 {
            let error = ServiceError.malformed("\(message.name) is no post of the documents service")
            pad.post(Message(message.name, error.body), exchange: exchange, to: app)
        }
    }

    private static func sealed(_ message: Message) -> ServiceError {
        ServiceError(.posix, 5, "\(message.name): the person's storage is sealed")
    }

    func pushed(_ message: Message, person: Person, _ pad: any PadServices) {
        guard let library = libraries[person], let container = PushTopic(lenient: message.body).topic else { return }
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
        case .appEntered(let app, .active): wantFeeds(of: app.account) { $0.apps.contains(app.bundle) }
        case .appEntered(let app, .background): repair(app.account, pad)?.left(app, isGone: false)
        case .appEntered, .suitsDiscretionary, .pushHandled: return
        case .appEnded(let app, _): repair(app.account, pad)?.left(app, isGone: true)
        case .accountLeft(let app):
            repair(app.account, pad)?.refuseWaiting(app)
            repair(app.account, pad)?.left(app, isGone: true)
        case .accountEntered(let app): wantFeeds(of: app.account) { $0.apps.contains(app.bundle) }
        case .purged(let person, let app): repair(person, pad)?.purged(app)
        case .identityChanged(let person, let token, _):
            if token != nil { wantFeeds(of: person) { _ in true } }
        }
        pump(pad)
    }

    private func repair(_ account: Person, _ pad: any PadServices) -> DocumentRepair? {
        libraries[account].map { work($0, pad).repair }
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

    /// Whether an app is in the middle of a coordinated access.
    func isHeld(by app: AppIdentity) -> Bool {
        libraries[app.account].map { ($0.accesses.writes + $0.accesses.reads).contains { $0.app == app } } ?? false
    }
    /// The document that a file is, or is part of.
    func unit(of path: String, _ account: Person) -> String { libraries[account]?.unit(of: path) ?? path }

    func pending(of person: Person) -> [PendingItem] {
        guard let library = libraries[person] else { return [] }
        let queued = library.operations.map { operation in
            let waitsFor =
                operation.isUnderWay
                ? "answer"
                : operation.retry.attempt > 0 ? "retry at \(operation.retry.notBefore.wallClock)" : "network"
            return PendingItem(what: "document \(operation.name)", waitsFor: waitsFor, tokens: operation.tokens)
        }
        let unsettled = library.accesses.ended.map {
            PendingItem(what: "document \($0.path)", waitsFor: "room on the disk", tokens: [])
        }
        return unsettled + queued + library.fetches()
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
        library.isHere = session == person
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

    func reply(_ reply: NetworkReply, to task: NetworkTask, _ pad: any PadServices) {
        guard let library = libraries[task.person], let work = library.underWay.removeValue(forKey: task.name) else {
            return
        }
        self.work(library, pad).finish(work, reply)
        pump(pad)
    }

    /// Starts what can start, and works out when to look again.
    func pump(_ pad: any PadServices) {
        var next: Instant?
        for person in pad.accounts {
            guard let library = libraries[person] else { continue }
            for instant in work(library, pad).pump() { next = next.map { min($0, instant) } ?? instant }
        }
        nextWake = next
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
            guard let library = libraries[person], let path = item.path, library.isEvictable(item.id),
                !work(library, pad).writing.isChanged(path), work(library, pad).manageStorage.giveUp(item)
            else { continue }
            freed += item.size
            work(library, pad).presenters.tellPresenters(.evicted, path)
            work(library, pad).presenters.notify([path], item.container)
        }
        return freed
    }

    // MARK: Manage Storage

    func storageEntries(of person: Person) -> [PadCommand.ListStorage.Entry] {
        libraries[person]?.storageEntries() ?? []
    }
    /// - Returns: why not; nil when it is done.
    func deleteFromStorage(_ message: Message, of person: Person, _ pad: any PadServices) -> String? {
        guard let library = libraries[person] else { return "there are no documents" }
        guard PadCommand.DeleteStorage(lenient: message.body).confirmed == true else {
            return "nobody has confirmed it: ask the person, then send 'confirmed'"
        }
        defer { pump(pad) }
        return work(library, pad).manageStorage.deleteFromStorage(message)
    }

    /// A document was read.
    func used(_ path: String, person: Person, at now: Instant) {
        guard let library = libraries[person], let item = library.item(at: library.unit(of: path)) else { return }
        library.lastUsed[item.id] = now
    }
}

extension DocumentDaemon {
    func checkInvariants() throws(BrokenInvariant) {
        for (account, library) in libraries {
            try library.checkInvariants()
            try invariant(
                library.isHere == (account == session),
                "\(account) is signed in, and its documents do not know it, or the other way round")
        }
    }
}
