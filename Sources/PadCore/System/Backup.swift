import FleetModel
import Storage

/// Backup of a person's apps, restore to another iPad, and updates of apps (app-lifecycle.md 13; S214-S218).
///
/// Not modelled: where backups are kept (whoever asks for one has it), and `isExcludedFromBackup`.
extension Pad {
    /// What of an app's home is worth keeping: not what can be downloaded or made again.
    private static func isKept(_ relative: Substring) -> Bool {
        let isInLibrary = relative.hasPrefix("Library/") && !relative.hasPrefix("Library/Caches/")
        return relative.hasPrefix("Documents/") || isInLibrary
    }

    /// `device.backup {person}`: answer `{files: [{path, data}], removed: [path], unchanged: N}`: what changed since the last backup.
    func backUp(_ command: Command) {
        guard let person = command.message["person"]?.string, let volume = volume(of: person) else {
            return refuse(command, "'person' is not on \(deviceName): say whose data")
        }
        do {
            let database = volume.database
            try database.script("CREATE TABLE IF NOT EXISTS backup(path TEXT PRIMARY KEY, digest INTEGER NOT NULL);")
            var known: [String: UInt64] = [:]
            for row in try database.query("SELECT path, digest FROM backup") {
                known[row.text(0)] = UInt64(bitPattern: row.int(1))
            }
            var (files, unchanged): ([Value], Int) = ([], 0)
            try database.transaction {
                for path in kept(volume) {
                    let data = try volume.disk.read(path)
                    let digest = documentDigest(data)
                    if known.removeValue(forKey: path) == digest {
                        unchanged += 1
                        continue
                    }
                    files.append(["path": .string(path), "data": .data(data)])
                    try database.execute(
                        "INSERT OR REPLACE INTO backup VALUES (?, ?)", .text(path), .int(Int64(bitPattern: digest)))
                }
                for path in known.keys {
                    try database.execute("DELETE FROM backup WHERE path = ?", .text(path))
                }
            }
            reply(
                [
                    "ok": true, "files": .array(files), "removed": .strings(known.keys.sorted()),
                    "unchanged": .int(unchanged),
                ], to: command)
        } catch { refuse(command, "the backup failed: \(error)") }
    }
    private func kept(_ volume: Volume) -> [String] {
        spec.apps.flatMap { app in
            let home = Self.home(of: app.bundleID) + "/"
            return volume.disk.files(under: String(home.dropLast())).filter { Self.isKept($0.dropFirst(home.count)) }
        }
    }

    /// `device.restore {person, backups}`: answers of `device.backup`, oldest first. The person's apps must not run.
    func restore(_ command: Command) {
        guard let person = command.message["person"]?.string, let volume = volume(of: person) else {
            return refuse(command, "'person' is not on \(deviceName): sign in once, then restore")
        }
        guard running(person, app: nil).isEmpty else {
            return refuse(command, "apps of \(person) run: quit them first")
        }
        do {
            for backup in command.message["backups"]?.array ?? [] {
                for path in backup["removed"]?.strings ?? [] where isRestorable(path) && volume.disk.status(path) != nil
                {
                    try volume.disk.remove(path)
                }
                for file in backup["files"]?.array ?? [] {
                    guard let path = file["path"]?.string, isRestorable(path), let data = file["data"]?.data,
                        let slash = path.lastIndex(of: "/")
                    else { continue }
                    try volume.disk.makeFolder(String(path[..<slash]))
                    try volume.disk.write(path, data, sync: true)
                }
            }
            done(command)
        } catch { refuse(command, "the restore failed: \(error)") }
    }
    private func isRestorable(_ path: String) -> Bool {
        guard ContainerPath.isNormal(String(path.drop { $0 == "/" })) else { return false }
        return spec.apps.contains { app in
            let home = Self.home(of: app.bundleID) + "/"
            return path.hasPrefix(home) && Self.isKept(path.dropFirst(home.count))
        }
    }

    /// `app.update {app, version}`: ends the app as the system does, replaces its bundle, and carries Documents and Library over for
    /// everybody on the iPad. ASSUMED: what is not promised goes.
    func update(_ command: Command) {
        guard let app = command.message["app"]?.string, let manifest = manifests[app],
            let version = command.message["version"]?.string
        else { return refuse(command, "'app' and 'version' are needed: say what is updated to what") }
        for launch in runs.keys.sorted() where runs[launch]?.identity.app == app { end(launch, reason: "update") }
        let home = Self.home(of: manifest.bundleID)
        for person in people {
            guard let volume = volume(of: person), let names = try? volume.disk.list(home) else { continue }
            for name in names where name != "Documents" && name != "Library" { _ = remove("\(home)/\(name)", volume) }
        }
        state.versions[app] = .string(version)
        saveState()
        done(command)
    }
}
