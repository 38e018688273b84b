import FleetModel
import Storage

/// Backup of a person's apps, restore to another iPad, and updates of apps (app-lifecycle.md 13; S214-S218).
///
/// What is marked by `isExcludedFromBackup` is in no backup (`BackupExclusion`). Not modelled: where backups are kept (whoever asks for one
/// has it).
final class Backups: PadService {
    let kernel: Kernel

    init(_ kernel: Kernel) { self.kernel = kernel }

    /// What of an app's home is worth keeping: not what can be downloaded or made again.
    private static func isKept(_ relative: Substring) -> Bool {
        let isInLibrary = relative.hasPrefix("Library/") && !relative.hasPrefix("Library/Caches/")
        return relative.hasPrefix("Documents/") || isInLibrary
    }

    /// `device.backup {person, since?}`: answer `{backup: N, files: [{path, data, protection?}], removed: [path], unchanged: N}`: what changed
    /// since the backup with that number, which whoever asks has; all of it when it has none. An answer that is lost costs nothing: only
    /// the next question says that it arrived.
    func backUp(_ command: Command) {
        let wish = command.asked(PadCommand.BackUp.self)
        guard let volume = pad.storage.volume(of: wish.person) else {
            return refuse(command, "'person' is not on \(deviceName): say whose data")
        }
        do {
            let known = try BackupRecord(volume.database)
            var base = try known.digests(of: wish.since)
            var (files, unchanged, present): ([PadCommand.BackedUpFile], Int, [(path: String, digest: UInt64)]) = (
                [], 0, []
            )
            for path in kept(volume) {
                let data = try volume.disk.read(path)
                let protection = volume.protection.class(of: path)
                // A file whose class alone changed has changed.
                let digest = protection.map { StableHash.of(documentDigest(data), $0.rawValue) } ?? documentDigest(data)
                present.append((path, digest))
                if base.removeValue(forKey: path) == digest {
                    unchanged += 1
                    continue
                }
                files.append(
                    PadCommand.BackedUpFile {
                        ($0.path, $0.data, $0.protection) = (path, data, protection?.rawValue)
                    })
            }
            let number = try known.add(present, after: wish.since)
            var backup = PadCommand.Backup()
            (backup.backup, backup.files, backup.unchanged) = (number, files, unchanged)
            backup.removed = base.keys.sorted()
            reply(backup, to: command)
        } catch { refuse(command, "the backup failed: \(error)") }
    }
    private func kept(_ volume: Volume) -> [String] {
        kernel.spec.apps.flatMap { app in
            let home = Pad.home(of: app.bundleID) + "/"
            return volume.disk.files(under: String(home.dropLast())).filter {
                Self.isKept($0.dropFirst(home.count)) && !volume.exclusion.covers($0)
            }
        }
    }

    /// `device.restore {person, backups}`: answers of `device.backup`, oldest first. The person's apps must not run.
    func restore(_ command: Command) {
        let wish = command.asked(PadCommand.Restore.self)
        let person = wish.person
        guard let volume = pad.storage.volume(of: person) else {
            return refuse(command, "'person' is not on \(deviceName): sign in once, then restore")
        }
        guard pad.apps.running(person, app: nil).isEmpty else {
            return refuse(command, "apps of \(person) run: quit them first")
        }
        do {
            for backup in wish.backups {
                for path in backup.removed where isRestorable(path) && volume.disk.status(path) != nil {
                    try volume.disk.remove(path)
                    try volume.protection.removed(path)
                    try volume.exclusion.removed(path)
                }
                for file in backup.files {
                    let path = file.path
                    guard isRestorable(path), let slash = path.lastIndex(of: "/") else { continue }
                    try volume.disk.makeFolder(String(path[..<slash]))
                    // Never on the disk without its class (S191).
                    if let found = file.protection.flatMap(ProtectionClass.init(rawValue:)) {
                        try volume.protection.set(found, path)
                    }
                    try volume.disk.write(path, file.data, sync: true)
                }
            }
            done(command)
        } catch { refuse(command, "the restore failed: \(error)") }
    }
    private func isRestorable(_ path: String) -> Bool {
        guard ContainerPath.isNormal(String(path.drop { $0 == "/" })) else { return false }
        return kernel.spec.apps.contains { app in
            let home = Pad.home(of: app.bundleID) + "/"
            return path.hasPrefix(home) && Self.isKept(path.dropFirst(home.count))
        }
    }

    /// `app.update {app?, version}`: ends the app, or every app, as the system does, replaces its bundle, and carries Documents and Library
    /// over for everybody on the iPad. ASSUMED: what is not promised goes.
    func update(_ command: Command) {
        guard let wish = command.whole(PadCommand.UpdateApp.self) else {
            return refuse(command, "'version' is needed: say what is updated to what")
        }
        let version = wish.version
        if let app = wish.app {
            guard let manifest = app.string.flatMap({ pad.catalogue.manifest(of: $0) }) else {
                return refuse(command, "there is no app '\(app.string ?? "")' on \(deviceName)")
            }
            update(manifest, to: version)
        } else {
            for manifest in kernel.spec.apps { update(manifest, to: version) }
        }
        kernel.saveState()
        done(command)
    }
    private func update(_ manifest: AppManifest, to version: String) {
        let app = manifest.name
        pad.apps.endAll(of: app, reason: .update)
        let home = Pad.home(of: manifest.bundleID)
        for person in pad.residents.people {
            guard let volume = pad.storage.volume(of: person), let names = try? volume.disk.list(home) else { continue }
            for name in names where name != "Documents" && name != "Library" {
                _ = pad.storage.localData.remove("\(home)/\(name)", volume)
            }
        }
        kernel.state.apps.versions[app] = .string(version)
    }
}

/// What was in the backups that somebody may have: the last one that was named, and the newest that was answered.
private struct BackupRecord {
    private let database: Database
    /// Stands for the backup itself, so that one without files counts too.
    private static let head = ""

    init(_ database: Database) throws {
        self.database = database
        try database.script(
            """
            CREATE TABLE IF NOT EXISTS backup_file(backup INTEGER NOT NULL, path TEXT NOT NULL, digest INTEGER NOT NULL,
                PRIMARY KEY (backup, path)) WITHOUT ROWID;
            """)
    }

    /// Files of a backup by path; none for a number that is not known.
    func digests(of number: Int64?) throws -> [String: UInt64] {
        guard let number else { return [:] }
        let rows = try database.query("SELECT path, digest FROM backup_file WHERE backup = ?", .int(number))
        return Dictionary(
            rows.filter { $0.text(0) != Self.head }.map { ($0.text(0), UInt64(bitPattern: $0.int(1))) },
            uniquingKeysWith: { first, _ in first })
    }
    /// - Parameter base: the backup that is known to have arrived.
    /// - Returns: the number of the new one; no other ever had it.
    func add(_ files: [(path: String, digest: UInt64)], after base: Int64?) throws -> Int64 {
        let last = try database.query("SELECT MAX(backup) FROM backup_file").first?.int(0) ?? 0
        try database.transaction {
            try database.execute("DELETE FROM backup_file WHERE backup <> ?", .int(base ?? 0))
            for (path, digest) in [(Self.head, 0)] + files {
                try database.execute(
                    "INSERT INTO backup_file VALUES (?, ?, ?)", .int(last + 1), .text(path),
                    .int(Int64(bitPattern: digest)))
            }
        }
        return last + 1
    }
}
