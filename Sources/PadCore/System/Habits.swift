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

    /// What only the app's side can see: on which thread something was read, which flags it keeps in its defaults. Body `{what, main, key?}`.
    func habitTold(_ message: Message, _ app: AppIdentity) {
        switch message["what"]?.string {
        case "identityToken":
            habit(
                "identityToken", app,
                ["main": .bool(message["main"]?.bool ?? true), "early": .bool(runs[app.launch]?.isLaunched == false)])
        case "flag":
            let key = message["key"]?.string ?? ""
            var detail: Value = ["key": .string(key)]
            // Which flag is the iPad's own affair only the app's author can say: its Info.plist does (ASSUMED name of the key).
            if manifests[app.app]?.infoPlist["HomeroomLocalFlags"]?.strings.contains(key) ?? false {
                detail["local"] = true
            }
            habit("flag", app, detail)
        default: break
        }
    }

    // MARK: What is asked for

    /// Messages of an app on their way to a daemon: how much it asks for, and whether it has had it before.
    func asked(_ message: Message, _ exchange: UInt64, _ app: AppIdentity) {
        guard spec.recordsHabits else { return }
        watchSecrets(message, app)
        polls.asked(message, exchange, app)
        switch message.name {
        case "docs.download":
            guard let path = message["path"]?.string else { return }
            runs[app.launch]?.unread.insert(path)
            if runs[app.launch]?.hasArrived == false { runs[app.launch]?.eager.insert(path) }
        case "kvs.set": habit("kvsKey", app, ["key": .string(message["key"]?.string ?? "")])
        case "ck.modify":
            let count = (message["save"]?.array?.count ?? 0) + (message["delete"]?.array?.count ?? 0)
            habit("operation", app, ["items": .int(count)])
        case "ck.zoneChanges":
            let place = FetchWatch.Place(
                person: app.person, app: app.app,
                zone: "\(message["container"]?.string ?? "")/\(message["zone"]?.string ?? "")")
            if fetches.asked(place, FetchWatch.Question(launch: app.launch, exchange: exchange), message["token"]) {
                habit("refetch", app)
            }
        default: break
        }
    }
    /// An answer of a daemon to an app, or what it is told without having asked.
    func answered(_ message: Message, _ exchange: UInt64, _ app: AppIdentity) {
        guard spec.recordsHabits else { return }
        if exchange == 0 || message.service == "app" {
            polls.stir(app.launch)
        } else if let times = polls.answered(message, exchange, app), times > 0 {
            habit("unchanged", app, ["question": .string(message.name), "times": .int(times)])
        }
        guard message.name == "ck.zoneChanges" else { return }
        fetches.answered(
            FetchWatch.Question(launch: app.launch, exchange: exchange), hasToken: message["token"]?.string != nil)
    }

    /// What is on the screen when an event in the background is over, and was not there before it.
    func screenChanged(_ message: Message, _ run: AppRun, since picture: [UInt8]?) {
        guard run.phase == .background, let picture, let screen = message["screen"]?.string,
            Array(screen.utf8) != picture
        else { return }
        habit("interface", run.identity)
    }

    // MARK: Launch and background time

    func launchIsComplete(_ run: AppRun) {
        if entitlements(of: run.identity).environment == "development" { habit("development", run.identity) }
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
    /// - Parameter old: what a write has replaced.
    func fileServed(_ message: Message, _ app: AppIdentity, old: [UInt8]?) {
        guard spec.recordsHabits, let path = message["path"]?.string ?? message["to"]?.string else { return }
        if let old, let new = message["data"]?.data { rewritten(path, old, new, app) }
        switch message.name {
        case "file.read":
            runs[app.launch]?.unread.remove(documents?.libraries[app.person]?.unit(of: path) ?? path)
            if runs[app.launch]?.isLaunched == false {
                let size = volume(of: app.person)?.disk.status(path)?.size ?? 0
                habit("loadedAtLaunch", app, ["path": .string(path), "size": .int(size)])
            }
            return
        case "file.write", "file.append", "file.move", "file.remove": break
        case "file.protect":
            let size = volume(of: app.person)?.disk.status(path)?.size ?? 0
            return habit("protected", app, ["path": .string(path), "size": .int(size)])
        default: return
        }
        guard ContainerPath(path) != nil else { return }
        let isCoordinated = documents?.isBeingWritten(path, person: inAccount(app).person) ?? false
        habit(
            "containerFile", app,
            [
                "path": .string(path), "coordinated": .bool(isCoordinated), "verb": .string(message.name),
                "database": .bool(Self.isDatabase(message["data"]?.data)),
            ])
    }
    /// What a write would replace; nil: nothing, or nobody asks.
    func replaced(by message: Message, _ volume: Volume) -> [UInt8]? {
        guard spec.recordsHabits, message.name == "file.write", let path = message["path"]?.string else { return nil }
        return try? volume.disk.read(path)
    }
    private func rewritten(_ path: String, _ old: [UInt8], _ new: [UInt8], _ app: AppIdentity) {
        let shorter = min(old.count, new.count)
        var same = 0
        while same < shorter, old[same] == new[same] { same += 1 }
        var tail = 0
        while tail < shorter - same, old[old.count - 1 - tail] == new[new.count - 1 - tail] { tail += 1 }
        habit(
            "rewritten", app,
            ["path": .string(path), "size": .int(new.count), "changed": .int(new.count - same - tail)])
    }
    /// SQLite's own first words.
    private static func isDatabase(_ bytes: [UInt8]?) -> Bool {
        bytes?.starts(with: Array("SQLite format 3\0".utf8)) ?? false
    }

    /// An app ended: what it left in `tmp`, and what it had fetched for nothing.
    func leftBehind(by run: AppRun) {
        guard spec.recordsHabits, let disk = volume(of: run.identity.person)?.disk else { return }
        let count = disk.files(under: Self.home(of: run.identity.bundle) + "/tmp").count
        habit(
            "ended", run.identity,
            [
                "temporaryFiles": .int(count), "unread": .int(run.unread.count),
                "eager": .int(run.eager.count),
            ])
        if manifests[run.identity.app]?.isPurgeable == false, let volume = volume(of: run.identity.person) {
            note(
                Note(
                    .habit, person: run.identity.person, app: run.identity.app,
                    tokens: tokens(in: Self.home(of: run.identity.bundle), volume),
                    detail: ["what": "undeclared", "launch": .int(run.identity.launch)]))
        }
        scanForSecrets(run.identity)
        polls.ended(run.identity.launch)
    }

    /// `docs.container` tells on which thread it was called.
    func containerOpened(_ message: Message, _ app: AppIdentity) {
        habit("container", app, ["main": .bool(message["main"]?.bool ?? false)])
    }
}

/// Which zones an app has been given a change token for: to fetch them from the beginning again is waste (S18).
struct FetchWatch {
    struct Place: Hashable {
        var person: Person
        var app: AppName
        var zone: String
    }
    struct Question: Hashable {
        var launch: Int
        var exchange: UInt64
    }
    private var known: Set<Place> = []
    private var open: [Question: Place] = [:]

    /// - Returns: whether the app has a token and does not use it.
    mutating func asked(_ place: Place, _ question: Question, _ token: Value?) -> Bool {
        open[question] = place
        return token?.string == nil && known.contains(place)
    }
    /// After an error, an expired token among them, an app may begin anew.
    mutating func answered(_ question: Question, hasToken: Bool) {
        guard let place = open.removeValue(forKey: question) else { return }
        if hasToken { known.insert(place) } else { known.remove(place) }
    }
    /// The local data of an app, or of all apps of a person, are gone, and the tokens with them.
    mutating func forget(_ person: Person, _ app: AppName?) {
        known = known.filter { $0.person != person || app != nil && $0.app != app }
    }
}
