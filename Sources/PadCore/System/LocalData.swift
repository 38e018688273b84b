import FleetModel
import Storage

/// Removal of apps' local data while their person stays cached (shared-ipad.md 5).
final class LocalData: PadService {
    let kernel: Kernel

    init(_ kernel: Kernel) { self.kernel = kernel }

    /// After a sign-out, local data of apps that allow it goes; not before all queues of the person are empty and their
    /// answers seen (ASSUMED): what an app still has to do again may have its only copy there.
    func purgeWhatIsDue() {
        for resident in kernel.state.residents {
            guard resident.isPurgeDue, pad.sessions.person != resident.person,
                pad.residents.mayLoseLocalData(resident.person)
            else {
                continue
            }
            if let index = kernel.state.index(of: resident.person) { kernel.state.residents[index].isPurgeDue = false }
            for app in kernel.spec.apps where app.isPurgeable { purge(app, of: resident.person, reason: .signOut) }
        }
    }

    /// The whole data container of an app that is not running. Returns whether there was one.
    @discardableResult func purge(_ app: AppManifest, of person: Person, reason: PurgeReason) -> Bool {
        guard let volume = pad.storage.volume(of: person), volume.disk.status(Pad.home(of: app.bundleID)) != nil else {
            return false
        }
        let tokens = tokens(in: Pad.home(of: app.bundleID), volume)
        guard remove(Pad.home(of: app.bundleID), volume) else { return false }
        pad.daemons.tell(
            .purged(person, app: AppIdentity(person: person, app: app.name, bundle: app.bundleID, launch: 0)))
        note(Note(.purged, person: person, app: app.name, tokens: tokens, detail: ["reason": reason.fieldValue]))
        mark(.purged)
        if reason == .lowSpace { mark(.lowSpacePurged) }
        return true
    }

    /// `storage.purgeSignedOut`: what goes at a sign-out goes for everybody who is signed out, now or once nothing of theirs waits.
    func purgeSignedOut(_ command: Command) {
        for index in kernel.state.residents.indices where kernel.state.residents[index].person != pad.sessions.person {
            kernel.state.residents[index].isPurgeDue = true
        }
        purgeWhatIsDue()
        done(command)
    }

    /// Edits whose bytes lie in a folder: a story tells which purge took the last copy.
    func tokens(in folder: String, _ volume: Volume) -> [Token] {
        Set(
            volume.disk.files(under: folder).flatMap { path in
                (try? volume.disk.read(path)).map { EditPayload.scan($0).tokens } ?? []
            }
        ).sorted()
    }

    func remove(_ path: String, _ volume: Volume) -> Bool {
        do {
            try volume.disk.remove(path)
            try volume.disk.withReserve {
                try volume.protection.removed(path)
                try volume.exclusion.removed(path)
            }
            return true
        } catch {
            problem("\(path) of \(volume.person) on \(deviceName) cannot be purged: \(error)")
            return false
        }
    }

    /// Low space: containers of apps that allow it, when their person has nothing to sync; else what may go at any time, whatever is under
    /// way (app-lifecycle.md 13): nobody asks an app about its caches. Apps that run keep their data.
    func purgeStorage(_ command: Command) {
        let wish = command.asked(PadCommand.Purge.self)
        let chosen = pad.residents.people.filter { wish.person ?? $0 == $0 }
        let app = wish.app
        var count = 0
        for person in chosen {
            let mayLoseAll = pad.residents.mayLoseLocalData(person)
            for manifest in kernel.spec.apps
            where app ?? manifest.name == manifest.name && pad.apps.running(person, app: manifest.name).isEmpty {
                if mayLoseAll, manifest.isPurgeable {
                    if purge(manifest, of: person, reason: .lowSpace) { count += 1 }
                } else {
                    count += purgeCaches(of: manifest, person)
                }
            }
        }
        guard count > 0 else { return refuse(command, "nothing can be purged: data to sync, running apps, or no data") }
        done(command)
    }
    private func purgeCaches(of app: AppManifest, _ person: Person) -> Int {
        guard let volume = pad.storage.volume(of: person) else { return 0 }
        var count = 0
        for folder in ["Library/Caches", "tmp"] {
            let path = Pad.home(of: app.bundleID) + "/" + folder
            for name in (try? volume.disk.list(path)) ?? [] where remove(path + "/" + name, volume) {
                count += 1
                let identity = AppIdentity(person: person, app: app.name, bundle: app.bundleID, launch: 0)
                kernel.report(.fileRemoved(path + "/" + name, by: PadCommand.Purge.name, identity))
            }
        }
        return count
    }

    /// The folders that an app finds at launch (app-lifecycle.md 13).
    func makeHome(_ app: AppIdentity) {
        guard let volume = pad.storage.volume(of: app.person) else { return }
        let home = Pad.home(of: app.bundle)
        for folder in ["Documents", "Library/Application Support", "Library/Caches", "Library/Preferences", "tmp"] {
            let path = home + "/" + folder
            // An app that has put a file in the way finds its file.
            if volume.disk.status(path) == nil {
                attempt("the home of \(app.app)") { try volume.disk.makeFolder(path) }
            }
        }
    }
}
