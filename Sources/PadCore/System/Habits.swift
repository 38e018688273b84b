import FleetModel

/// What apps do that a good app would not, or would do otherwise: noted for `HabitLint`, which judges. Only with `habits` in the iPad's
/// specification; nothing else depends on it.
extension Pad {
    func habit(_ what: String, _ app: AppIdentity, _ detail: Value = .empty) {
        guard spec.recordsHabits else { return }
        var detail = detail
        detail["what"] = .string(what)
        detail["launch"] = .int(app.launch)
        note(Note(.habit, person: app.person, app: app.app, detail: detail))
    }

    /// What only the app's side can see: on which thread something was read. Body `{what, main}`.
    func habitTold(_ message: Message, _ app: AppIdentity) {
        guard let what = message["what"]?.string, ["identityToken"].contains(what) else { return }
        habit(
            what, app,
            ["main": .bool(message["main"]?.bool ?? true), "early": .bool(runs[app.launch]?.isLaunched == false)])
    }

    // MARK: Launch and background time

    func launchIsComplete(_ run: AppRun) {
        habit("launch", run.identity, ["took": .int(now.nanoseconds - run.launchBegan.nanoseconds)])
    }

    /// An app that still holds its tasks when the system tells it of a transfer's end has waited for the transfer.
    func tasksOutlastTransfer(_ launch: Int) {
        guard spec.recordsHabits, let run = runs[launch], run.phase == .background else { return }
        for task in run.taskLog.keys { runs[launch]?.taskLog[task]?.sawTransfer = true }
    }
    func taskEnded(_ task: Int64, _ launch: Int) {
        guard let run = runs[launch], let held = runs[launch]?.taskLog.removeValue(forKey: task) else { return }
        // Time on the screen costs nobody anything.
        let since = run.phase == .background ? max(held.began, run.inBackgroundSince) : now
        habit(
            "backgroundTask", run.identity,
            [
                "name": .string(held.name), "held": .int(now.nanoseconds - since.nanoseconds),
                "overTransfer": .bool(held.sawTransfer),
            ])
    }

    // MARK: Files

    /// A file call was served.
    func fileServed(_ message: Message, _ app: AppIdentity) {
        guard spec.recordsHabits, let path = message["path"]?.string ?? message["to"]?.string else { return }
        switch message.name {
        case "file.write", "file.append", "file.move", "file.remove": break
        case "file.protect":
            let size = volume(of: app.person)?.disk.status(path)?.size ?? 0
            return habit("protected", app, ["path": .string(path), "size": .int(size)])
        default: return
        }
        guard ContainerPath(path) != nil else { return }
        let isCoordinated = (daemonOf["docs"] as? DocumentDaemon)?.isBeingWritten(path, person: app.person) ?? false
        habit(
            "containerFile", app,
            [
                "path": .string(path), "coordinated": .bool(isCoordinated), "verb": .string(message.name),
                "database": .bool(Self.isDatabase(message["data"]?.data)),
            ])
    }
    /// SQLite's own first words.
    private static func isDatabase(_ bytes: [UInt8]?) -> Bool {
        bytes?.starts(with: Array("SQLite format 3\0".utf8)) ?? false
    }

    /// An app ended: what it left in `tmp`.
    func temporaryFilesLeft(by run: AppRun) {
        guard spec.recordsHabits, let disk = volume(of: run.identity.person)?.disk else { return }
        let count = disk.files(under: Self.home(of: run.identity.bundle) + "/tmp").count
        habit("ended", run.identity, ["temporaryFiles": .int(count)])
    }

    /// `docs.container` tells on which thread it was called.
    func containerOpened(_ message: Message, _ app: AppIdentity) {
        habit("container", app, ["main": .bool(message["main"]?.bool ?? false)])
    }
}
