import FleetModel
import Storage

/// Looks after `KeptCopies`: hears which edits apps have in their care, and notes the moment when the last file with one of them goes.
final class CopyWatch: PadService, PadObserver {
    let kernel: Kernel
    private(set) var copies = KeptCopies()

    init(_ kernel: Kernel) { self.kernel = kernel }

    /// Whether an app has edits in its care that no service answers for.
    func isCaring(_ app: AppIdentity) -> Bool {
        copies.isCaring(owner(app))
    }
    /// The app hears that an upload with these edits has arrived: its files may go.
    func arrived(_ tokens: [Token]) { copies.release(tokens) }

    func saw(_ event: PadEvent) {
        switch event {
        case .started(let app): started(app)
        case .handed(let edit) where edit.verb == .put:
            copies.take(edit.token, .init(person: edit.person, app: edit.app))
        case .noted(let notes): noted(notes)
        case .fileServed(let message, let app): fileServed(message, app)
        case .fileRemoved(let path, let reason, let app): removed(path, by: reason, app)
        // The note `purged` says what went.
        case .system(.purged(_, let app)): _ = copies.removed(Pad.home(of: app.bundle), by: owner(app))
        default: break
        }
    }
    func ends(_ ending: Ending) {
        if case .account(let account) = ending { copies.forget(SecondAccount.user(of: account)) }
    }

    private func owner(_ app: AppIdentity) -> KeptCopies.Owner { .init(person: app.person, app: app.app) }

    /// An app starts: what its files hold is in its care, for all that the iPad knows after a restart.
    private func started(_ app: AppIdentity) {
        guard copies.meets(owner(app)) else { return }
        for (path, tokens) in tokensByFile(of: app) {
            for token in tokens { copies.take(token, owner(app), in: [path]) }
        }
    }
    /// What notes of one moment say about who answers for their edits. The files of an app are read once, however many notes are about it.
    private func noted(_ notes: [Note]) {
        var back: [AppIdentity: Set<Token>] = [:]
        for note in notes {
            switch note.kind {
            case .handedOver where note.channel == .upload: copies.mark(note.tokens, isUnderWay: true)
            case .handedOver, .refused: copies.release(note.tokens)
            case .answered where NoteDetail.Answered(lenient: note.detail).success: break
            case .handedBack, .answered, .transfersCancelled:
                copies.mark(note.tokens, isUnderWay: false)
                let tokens = note.tokens.filter { !copies.isInCare($0) }
                guard !tokens.isEmpty, let person = note.person.map(SecondAccount.user), let app = note.app,
                    let bundle = pad.catalogue.manifest(of: app)?.bundleID
                else { continue }
                let identity = AppIdentity(person: person, app: app, bundle: bundle, launch: 0)
                for token in tokens { copies.take(token, owner(identity)) }
                back[identity, default: []].formUnion(tokens)
            default: break
            }
        }
        for (app, tokens) in back {
            for (path, held) in tokensByFile(of: app) {
                for token in held where tokens.contains(token) { copies.take(token, owner(app), in: [path]) }
            }
        }
    }
    private func tokensByFile(of app: AppIdentity) -> [(path: String, tokens: [Token])] {
        guard let disk = pad.storage.volume(of: app.person)?.disk else { return [] }
        let home = Pad.home(of: app.bundle)
        guard disk.status(home) != nil else { return [] }
        return disk.files(under: home).compactMap { path in
            guard let bytes = try? disk.read(path) else { return nil }
            let tokens = EditPayload.scan(bytes).tokens
            return tokens.isEmpty ? nil : (path, tokens)
        }
    }

    /// A file call of an app was served.
    private func fileServed(_ message: Message, _ app: AppIdentity) {
        let owner = owner(app)
        guard copies.isCaring(owner) else { return }
        let call = FileMessages.Whichever(lenient: message.body)
        guard let path = call.path ?? call.from else { return }
        let gone: [Token]
        var new: [Token] = []
        switch message.name {
        case FileMessages.Write.name, FileMessages.Append.name:
            new = EditPayload.scan(call.data ?? []).tokens
            gone = copies.wrote(path, new, isAdded: message.name == FileMessages.Append.name, by: owner)
        case FileMessages.Remove.name: gone = copies.removed(path, by: owner)
        case FileMessages.Move.name: return copies.moved(path, to: call.to ?? path, by: owner)
        default: return
        }
        forgot(gone, at: path, by: message.name, new, app)
    }
    /// The system removed a file of an app.
    private func removed(_ path: String, by reason: String, _ app: AppIdentity) {
        forgot(copies.removed(path, by: owner(app)), at: path, by: reason, [], app)
    }
    /// - Parameter new: what was written in their place.
    private func forgot(_ tokens: [Token], at path: String, by what: String, _ new: [Token], _ app: AppIdentity) {
        for isUnderWay in [false, true] {
            let tokens = tokens.filter { copies.isUnderWay($0) == isUnderWay }
            guard !tokens.isEmpty else { continue }
            let detail = NoteDetail.Answered {
                ($0.place, $0.what, $0.launch) = (path, what, app.launch)
                ($0.underWay, $0.by) = (isUnderWay, new.isEmpty ? nil : new)
            }
            note(Note(.forgotten, person: app.person, app: app.app, tokens: tokens, detail: detail.body))
        }
    }
}
