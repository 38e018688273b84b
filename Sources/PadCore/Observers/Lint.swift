import FleetModel
import Storage

/// What apps do that a good app would not, or would do otherwise: noted for `HabitLint`, which judges. Only with `habits` in the iPad's
/// specification; nothing else depends on it.
final class Lint: PadService, PadObserver {
    /// What is remembered of one launch.
    private struct Launch {
        /// When its launch methods were called.
        var began = Instant.zero
        /// Documents that it asked for and has not read.
        var unread: Set<String> = []
        /// Documents that it asked for before it was on the screen or in the background.
        var eager: Set<String> = []
        /// When each background task was taken, with its name, and whether a transfer's end was waited for with it.
        var tasks: [Int64: (name: String, began: Instant, sawTransfer: Bool)] = [:]
    }

    let kernel: Kernel
    private var launches: [Int: Launch] = [:]
    private var fetches = FetchWatch()
    private var polls = PollWatch()
    private var secrets = SecretWatch()
    /// What the file call that is being served would replace.
    private var replaced: [UInt8]?

    init(_ kernel: Kernel) { self.kernel = kernel }

    func saw(_ event: PadEvent) {
        switch event {
        case .asked(let message, let exchange, let app): asked(message, exchange, app)
        case .served(let message, let app) where message.name == DocumentMessages.Container.name:
            containerOpened(message, app)
        case .answered(let message, let exchange, let app): answered(message, exchange, app)
        case .fileCalled(let message, let app): replaced = replaced(by: message, app)
        case .fileServed(let message, let app): fileServed(message, app)
        case .launchBegan(let launch): launches[launch, default: Launch()].began = now
        case .launchCompleted(let app): launchCompleted(app)
        case .screenTold(let message, let run, let before): screenTold(message, run, since: before)
        case .taskBegan(let task, let name, let launch):
            launches[launch, default: Launch()].tasks[task] = (name, now, false)
        case .taskEnded(let task, let launch): taskEnded(task, launch)
        case .ended(let run): leftBehind(by: run)
        case .system(let event): happened(event)
        default: break
        }
    }

    private func happened(_ event: SystemEvent) {
        switch event {
        // An app that comes back to the screen may look what is new.
        case .appEntered(let app, .active): polls.stir(app.launch)
        // Apps empty their caches then, and fetch from the beginning (identity.md 3).
        case .identityChanged(let account, _, _), .removed(let account):
            fetches.forget(SecondAccount.user(of: account), nil)
        case .purged(let person, let app): fetches.forget(person, app.app)
        default: break
        }
    }

    private func habit(_ what: String, _ app: AppIdentity, _ detail: Value = .empty) {
        var detail = detail
        detail["what"] = .string(what)
        detail["launch"] = .int(app.launch)
        note(Note(.habit, person: app.account, app: app.app, detail: detail))
    }

    /// What only the app's side can see: on which thread something was read, which flags it keeps in its defaults. Body `{what, main, key?}`.
    private func habitTold(_ message: Message, _ app: AppIdentity) {
        let told = AppMessages.Habit(lenient: message.body)
        switch told.what {
        case "identityToken":
            habit(
                "identityToken", app,
                [
                    "main": .bool(told.main ?? true),
                    "early": .bool(pad.apps[app.launch]?.isLaunched == false),
                ])
        case "flag":
            let key = told.key ?? ""
            var detail: Value = ["key": .string(key)]
            // Which flag is the iPad's own affair only the app's author can say: its Info.plist does (ASSUMED name of the key).
            if pad.catalogue.manifest(of: app.app)?.infoPlist["HomeroomLocalFlags"]?.strings.contains(key) ?? false {
                detail["local"] = true
            }
            habit("flag", app, detail)
        default: break
        }
    }

    // MARK: What is asked for

    /// Messages of an app on their way to a daemon: how much it asks for, and whether it has had it before.
    private func asked(_ message: Message, _ exchange: UInt64, _ app: AppIdentity) {
        watchSecrets(message, app)
        polls.asked(message, exchange, app)
        switch message.name {
        case AppMessages.Habit.name: habitTold(message, app)
        case HandMessages.Began.name, HandMessages.Perform.name, HandMessages.LookAtState.name: polls.stir(app.launch)
        case DocumentMessages.Download.name:
            guard let path = try? DocumentMessages.Download(message).path else { return }
            launches[app.launch, default: Launch()].unread.insert(path)
            if pad.apps[app.launch]?.hasArrived == false { launches[app.launch]?.eager.insert(path) }
        case KeyValueMessages.Set.name:
            habit("kvsKey", app, ["key": .string(KeyValueMessages.Set(lenient: message.body).key)])
        case RecordMessages.Modify.name:
            let asked = RecordMessages.Modify(lenient: message.body)
            let count = asked.save.count + asked.delete.count
            habit("operation", app, ["items": .int(count)])
        case RecordMessages.ZoneChanges.name:
            let asked = RecordMessages.ZoneChanges(lenient: message.body)
            let container = RecordMessages.Common(lenient: message.body).container
            let place = FetchWatch.Place(
                person: app.person, app: app.app,
                zone: "\(container)/\(asked.zone)")
            if fetches.asked(
                place, FetchWatch.Question(launch: app.launch, exchange: exchange), asked.token.map(Value.string))
            {
                habit("refetch", app)
            }
        default: break
        }
    }
    /// An answer of a daemon to an app, or what it gets without having asked.
    private func answered(_ message: Message, _ exchange: UInt64, _ app: AppIdentity) {
        if exchange == 0 || message.service == "app" {
            polls.stir(app.launch)
        } else if let times = polls.answered(message, exchange, app), times > 0 {
            habit("unchanged", app, ["question": .string(message.name), "times": .int(times)])
        }
        if message.name == TransferMessages.Completed.name { tasksOutlastTransfer(app.launch) }
        guard message.name == RecordMessages.ZoneChanges.name else { return }
        fetches.answered(
            FetchWatch.Question(launch: app.launch, exchange: exchange),
            hasToken: !RecordMessages.ZoneChanges.Answer(lenient: message.body).token.isEmpty)
    }

    /// What is on the screen when an event in the background is over, and was not there before it.
    private func screenTold(_ message: Message, _ run: AppRun, since picture: [UInt8]?) {
        guard run.phase == .background, let picture, let screen = AppMessages.Returned(lenient: message.body).screen,
            Array(screen.utf8) != picture
        else { return }
        habit("interface", run.identity)
    }

    // MARK: Launch and background time

    private func launchCompleted(_ app: AppIdentity) {
        if pad.catalogue.entitlements(of: app).environment == "development" { habit("development", app) }
        let began = launches[app.launch]?.began ?? .zero
        habit("launch", app, ["took": .int(now.nanoseconds - began.nanoseconds)])
    }

    /// An app that still holds its tasks when the system tells it of a transfer's end has waited for the transfer.
    private func tasksOutlastTransfer(_ launch: Int) {
        guard let run = pad.apps[launch], run.process == .running, run.phase == .background else { return }
        for task in launches[launch, default: Launch()].tasks.keys { launches[launch]?.tasks[task]?.sawTransfer = true }
    }
    private func taskEnded(_ task: Int64, _ launch: Int) {
        guard let run = pad.apps[launch], let held = launches[launch]?.tasks.removeValue(forKey: task) else {
            return
        }
        // Time on the screen costs nobody anything.
        let since = run.phase == .background ? max(held.began, run.background.since) : now
        habit(
            "backgroundTask", run.identity,
            [
                "name": .string(held.name), "held": .int(now.nanoseconds - since.nanoseconds),
                "overTransfer": .bool(held.sawTransfer),
            ])
    }

    // MARK: Files

    /// A file call was served.
    private func fileServed(_ message: Message, _ app: AppIdentity) {
        let call = FileMessages.Whichever(lenient: message.body)
        guard let path = call.path ?? call.to else { return }
        if let replaced, let new = call.data { rewritten(path, replaced, new, app) }
        switch message.name {
        case FileMessages.Read.name:
            launches[app.launch]?.unread.remove(pad.daemons.documents?.unit(of: path, app.person) ?? path)
            if pad.apps[app.launch]?.isLaunched == false {
                let size = pad.storage.volume(of: app.person)?.disk.status(path)?.size ?? 0
                habit("loadedAtLaunch", app, ["path": .string(path), "size": .int(size)])
            }
            return
        case FileMessages.Write.name, FileMessages.Append.name, FileMessages.Move.name, FileMessages.Remove.name: break
        case FileMessages.Protect.name:
            let size = pad.storage.volume(of: app.person)?.disk.status(path)?.size ?? 0
            return habit("protected", app, ["path": .string(path), "size": .int(size)])
        default: return
        }
        guard ContainerPath(path) != nil else { return }
        let isCoordinated =
            pad.daemons.documents?.isBeingWritten(path, person: pad.daemons.inAccount(app).account) ?? false
        habit(
            "containerFile", app,
            [
                "path": .string(path), "coordinated": .bool(isCoordinated), "verb": .string(message.name),
                "database": .bool(Self.isDatabase(call.data)),
            ])
    }
    /// What a write would replace; nil: nothing.
    private func replaced(by message: Message, _ app: AppIdentity) -> [UInt8]? {
        guard message.is(FileMessages.Write.self), let path = try? FileMessages.Write(message).path else { return nil }
        return try? pad.storage.volume(of: app.person)?.disk.read(path)
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
    private func leftBehind(by run: AppRun) {
        let launch = launches.removeValue(forKey: run.identity.launch) ?? Launch()
        guard let disk = pad.storage.volume(of: run.identity.person)?.disk else { return }
        let count = disk.files(under: Pad.home(of: run.identity.bundle) + "/tmp").count
        habit(
            "ended", run.identity,
            [
                "temporaryFiles": .int(count), "unread": .int(launch.unread.count),
                "eager": .int(launch.eager.count),
            ])
        if pad.catalogue.manifest(of: run.identity.app)?.isPurgeable == false,
            let volume = pad.storage.volume(of: run.identity.person)
        {
            note(
                Note(
                    .habit, person: run.identity.person, app: run.identity.app,
                    tokens: pad.storage.localData.tokens(in: Pad.home(of: run.identity.bundle), volume),
                    detail: ["what": "undeclared", "launch": .int(run.identity.launch)]))
        }
        scanForSecrets(run.identity)
        polls.ended(run.identity.launch)
    }

    /// `docs.container` tells on which thread it was called.
    private func containerOpened(_ message: Message, _ app: AppIdentity) {
        habit("container", app, ["main": .bool(message["main"]?.bool ?? false)])
    }

    // MARK: Secrets

    /// A message of an app to a daemon, posted or called: what is secret in it, and what it tells that is secret.
    private func watchSecrets(_ message: Message, _ app: AppIdentity) {
        secrets.learn(message, of: app)
        guard secrets.knowsAny(of: app) else { return }
        switch message.name {
        case KeyValueMessages.Set.name:
            let set = KeyValueMessages.Set(lenient: message.body)
            guard secrets.isTold(by: set.value, app) else { return }
            habit("secret", app, ["place": .string("the key '\(set.key)' of its store")])
        case RecordMessages.Modify.name:
            for record in RecordMessages.Modify(lenient: message.body).save
            where secrets.isTold(by: record.recordFields.map { .object($0) } ?? .null, app) {
                habit("secret", app, ["place": .string("the record '\(record.recordName ?? "")'")])
            }
        case FileMessages.Write.name, FileMessages.Append.name:
            let call = FileMessages.Whichever(lenient: message.body)
            guard let bytes = call.data, secrets.isTold(by: bytes, app) else { return }
            habit("secret", app, ["place": .string(call.path ?? "a file")])
        default: break
        }
    }
    /// What lay in an app's files before it was known as a secret is found when the app ends.
    private func scanForSecrets(_ app: AppIdentity) {
        guard secrets.knowsAny(of: app), let disk = pad.storage.volume(of: app.person)?.disk else { return }
        for path in disk.files(under: Pad.home(of: app.bundle)) {
            if let bytes = try? disk.read(path), secrets.isTold(by: bytes, app) {
                habit("secret", app, ["place": .string(path)])
            }
        }
    }
}
