import FleetModel
import Storage

/// The system's part of state preservation (app-lifecycle.md 12): it keeps what an app made of its interface, encrypted, and gives it back
/// at the next launch, as long as nothing went wrong with it. Nothing that must last belongs there.
final class StateArchives: PadService {
    let kernel: Kernel

    init(_ kernel: Kernel) { self.kernel = kernel }

    /// Source: app-lifecycle.md 12: on disk, encrypted. Apple's place for it.
    private static func archive(of bundle: String) -> String {
        Pad.home(of: bundle) + "/Library/Saved Application State/\(bundle).savedState/data.data"
    }

    /// `app.keepState {archive}` and `app.restoreState`.
    func serveRestoration(_ message: Message, _ app: AppIdentity) -> Value {
        guard let volume = pad.storage.volume(of: app.person) else {
            return LinkError.cocoa(257, "the person's volume is not there").body
        }
        let path = Self.archive(of: app.bundle)
        do {
            guard message.name == AppMessages.KeepState.name else {
                guard hasArchive(app) else { return AppMessages.RestoreState.Answer().body }
                let isLaunched = pad.apps.runs[app.launch]?.isLaunched ?? true
                pad.apps.runs[app.launch]?.preservation.isRestoring = !isLaunched
                let bytes = try volume.disk.read(path)
                return AppMessages.RestoreState.Answer { $0.archive = bytes }.body
            }
            guard let archive = try? AppMessages.KeepState(message).archive else {
                return LinkError.malformed("'archive' of app.keepState must be data").body
            }
            guard pad.protection.isProtectedDataAvailable else { return FileGate.refusal(path).body }
            try volume.disk.makeFolder(String(path.dropLast("/data.data".count)))
            try volume.protection.set(.complete, path)
            try volume.disk.replace(path, archive)
            try volume.disk.sync(path)
            return .empty
        } catch {
            return ServiceError(error, doing: message.name).body
        }
    }

    /// Whether a launch may be given an archive: there is one, and the iPad is unlocked (S194).
    func hasArchive(_ app: AppIdentity) -> Bool {
        pad.protection.isProtectedDataAvailable
            && pad.storage.volume(of: app.person)?.disk.status(Self.archive(of: app.bundle)) != nil
    }

    /// An app that dies while it restores would die again: the archive goes (S197). ASSUMED: only what the app itself can be blamed for.
    func loseArchive(after run: AppRun, _ reason: EndReason) {
        guard run.preservation.isRestoring, [.crash, .watchdog].contains(reason) else { return }
        removeArchive(run.identity.bundle, run.identity.person)
    }
    /// A force-quit says that something is wrong: archive and snapshot go (S199).
    func forgetState(of app: AppName, _ person: Person) {
        guard let bundle = pad.catalogue.manifest(of: app)?.bundleID else { return }
        removeArchive(bundle, person)
        removeSnapshot(bundle, person)
    }
    private func removeArchive(_ bundle: String, _ person: Person) {
        let path = Self.archive(of: bundle)
        guard let disk = pad.storage.volume(of: person)?.disk, disk.status(path) != nil else { return }
        attempt("the archive of \(bundle)") { try disk.remove(path) }
    }
    private static func snapshot(of bundle: String) -> String {
        Pad.home(of: bundle) + "/Library/Caches/Snapshots/\(bundle)"
    }

    /// Taken when `didEnterBackground` has returned, and again after work in the background (S187).
    func keepSnapshot(_ message: Message, _ run: AppRun, isLater: Bool = false) {
        guard let screen = AppMessages.Returned(lenient: message.body).screen,
            let disk = pad.storage.volume(of: run.identity.person)?.disk
        else { return }
        let path = Self.snapshot(of: run.identity.bundle)
        if isLater { kernel.report(.screenTold(message, run, before: try? disk.read(path))) }
        // On a full disk the switcher goes on to show the picture before.
        attempt("the snapshot of \(run.identity.app)") {
            try disk.makeFolder(Pad.home(of: run.identity.bundle) + "/Library/Caches/Snapshots")
            try disk.write(path, Array(screen.utf8), sync: false)
        }
    }
    private func removeSnapshot(_ bundle: String, _ person: Person) {
        let path = Self.snapshot(of: bundle)
        guard let disk = pad.storage.volume(of: person)?.disk, disk.status(path) != nil else { return }
        attempt("the snapshot of \(bundle)") { try disk.remove(path) }
    }

    /// `app.switcher`: what anybody who holds the iPad sees, newest use first.
    func showSwitcher(_ command: Command) {
        guard let person = pad.sessions.activePerson else { return refuse(command, "nobody is signed in") }
        let shown = pad.apps.runs.values.filter { $0.identity.person == person }.sorted {
            (pad.apps.screen.lastUse($1), $1.identity.launch) < (pad.apps.screen.lastUse($0), $0.identity.launch)
        }
        let disk = pad.storage.volume(of: person)?.disk
        reply(
            [
                "apps": .array(
                    shown.map { run in
                        let picture = try? disk?.read(Self.snapshot(of: run.identity.bundle))
                        return [
                            "app": .string(run.identity.app),
                            "screen": .optional(picture.map { String(decoding: $0, as: UTF8.self) }),
                        ]
                    })
            ], to: command)
    }
}
