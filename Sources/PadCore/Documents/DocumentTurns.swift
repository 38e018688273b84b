import FleetModel
import Storage

/// Coordinated accesses of several apps to one place, one after the other (icloud-documents.md 6; S39): readers together, a writer alone.
///
/// A call must be answered in its instant: it is refused with 255 while another app is at the place. A post waits its turn, in the order of
/// the asking. ASSUMED: the accesses of one app are in order by themselves; one that lasts longer than `longestWrite` keeps nobody out
/// any more; a suspended app gets its turn when it is back.
struct DocumentTurns: DocumentWork {
    let library: DocumentLibrary
    let pad: any PadServices

    /// `docs.beginWrite` or `docs.beginRead`, as a call.
    func begin(_ message: Message, _ app: AppIdentity)
        throws(ServiceError) -> Value
    {
        let access = try access(message, app)
        let earlier = library.accesses.turns.map(\.access).filter { !isAsleep($0) }
        if let holder = library.blocker(of: access, besides: earlier) {
            throw ServiceError(
                .cocoa, Self.lockingError, "\(holder.path) is being used by \(holder.app.app); ask with intents to wait"
            )
        }
        library.open(access)
        return .empty
    }
    /// NSFileLockingError.
    private static let lockingError = 255

    /// The same as a post: answered when its turn has come.
    func queue(_ message: Message, _ exchange: UInt64, _ app: AppIdentity) {
        do {
            let access = try access(message, app)
            library.accesses.turns.append(DocumentLibrary.Turn(access: access, name: message.name, exchange: exchange))
            giveTurns()
        } catch {
            pad.post(Message(message.name, ServiceError(error, doing: message.name).body), exchange: exchange, to: app)
        }
    }

    private func access(_ message: Message, _ app: AppIdentity)
        throws(ServiceError) -> DocumentLibrary.OpenAccess
    {
        let wish: DocumentMessages.Access
        do { wish = try DocumentMessages.Access(message.body, of: message.name) } catch { throw ServiceError(error) }
        let path = library.unit(of: try calls.containerPath(wish.path, message.name, app).absolute)
        let movedTo = wish.movedTo
        // Out of the containers an app moves things into its own folders, which only it can do.
        if let movedTo, movedTo.hasPrefix(ContainerPath.root) {
            _ = try calls.containerPath(movedTo, message.name, app)
        }
        return DocumentLibrary.OpenAccess(
            app: app, path: path, isWriting: message.name == DocumentMessages.BeginWrite.name,
            isDeleting: wish.deleting ?? false, movedTo: movedTo, began: pad.now)
    }

    /// Lets begin who can, in the order of the asking.
    func giveTurns() {
        guard !library.accesses.turns.isEmpty else { return }
        var (waiting, earlier): ([DocumentLibrary.Turn], [DocumentLibrary.OpenAccess]) = ([], [])
        for var turn in library.accesses.turns {
            let isAsleep = isAsleep(turn.access)
            if isAsleep || library.blocker(of: turn.access, besides: earlier) != nil {
                waiting.append(turn)
                if !isAsleep { earlier.append(turn.access) }
                continue
            }
            turn.access.began = pad.now
            library.open(turn.access)
            pad.post(Message(turn.name, .empty), exchange: turn.exchange, to: turn.access.app)
        }
        library.accesses.turns = waiting
    }
    private func isAsleep(_ access: DocumentLibrary.OpenAccess) -> Bool {
        pad.phase(of: access.app) == .suspended
    }

    /// A coordinated read is over.
    func endRead(_ message: Message, _ app: AppIdentity) throws(ServiceError) -> Value {
        let path = library.unit(of: try calls.containerPath(message, app).absolute)
        guard let index = library.accesses.reads.lastIndex(where: { $0.app == app && $0.path == path }) else {
            throw .malformed("docs.endRead of \(path) without docs.beginRead")
        }
        library.accesses.reads.remove(at: index)
        return .empty
    }
}

extension DocumentLibrary {
    /// A coordinated access that an app has begun.
    struct OpenAccess {
        var app: AppIdentity
        var path: String
        var isWriting: Bool
        var isDeleting = false
        var movedTo: String?
        var began: Instant
        /// So old that it keeps nothing out any more: the app may have forgotten to end it.
        var isGivenUp = false

        var places: [String] { [path, movedTo].compactMap { $0 } }
    }
    /// An access that waits for others.
    struct Turn {
        var access: OpenAccess
        var name: String
        var exchange: UInt64
    }

    func open(_ access: OpenAccess) {
        if access.isWriting { accesses.writes.append(access) } else { accesses.reads.append(access) }
    }
    /// What another app has begun, or waits for, that keeps an access out; nil: it may begin.
    func blocker(of access: OpenAccess, besides earlier: [OpenAccess]) -> OpenAccess? {
        (accesses.writes + accesses.reads + earlier).first { other in
            other.app != access.app && !other.isGivenUp && (access.isWriting || other.isWriting)
                && other.places.contains { place in access.places.contains { Self.overlap(place, $0) } }
        }
    }
    private static func overlap(_ a: String, _ b: String) -> Bool {
        a == b || a.hasPrefix(b + "/") || b.hasPrefix(a + "/")
    }
}
