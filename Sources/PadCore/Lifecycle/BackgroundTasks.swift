import FleetModel

/// Background-task assertions (app-lifecycle.md 4): time that an app asks for before it is suspended.
extension AppLifecycle {
    /// Source: app-lifecycle.md 4, about 30 s after leaving the foreground since iOS 13 (2nd).
    static let allowance = Span.seconds(30)
    /// Source: app-lifecycle.md 3, expiration handlers have seconds at most (1-5 s, unsourced).
    private static let grace = Span.seconds(5)
    /// ASSUMED: nobody needs more at once; an app that never ends its tasks must not fill the system's memory.
    private static let tasksMax = 1000

    /// Calls of the prefix `app`.
    func serveLifecycle(_ message: Message, _ app: AppIdentity) -> Value {
        switch message.name {
        case AppMessages.BeginBackgroundTask.name:
            let name = AppMessages.BeginBackgroundTask(lenient: message.body).task ?? ""
            return AppMessages.Task(beginTask(app.launch, name)).body
        case AppMessages.EndBackgroundTask.name:
            guard let task = try? AppMessages.EndBackgroundTask(message).task else {
                return LinkError.malformed("'task' must be a number").body
            }
            runs[app.launch]?.background.tasks.removeAll { $0 == task }
            kernel.report(.taskEnded(task, launch: app.launch))
            kernel.needsSettling = true
            return .empty
        case AppMessages.State.name: return stateBody(app.launch)
        case AppMessages.KeepState.name, AppMessages.RestoreState.name: return archives.serveRestoration(message, app)
        case AppMessages.IdentifierForVendor.name:
            return AppMessages.IdentifierForVendor.Answer(pad.catalogue.vendorIdentifier(of: app.bundle)).body
        case AppMessages.WatchNetwork.name:
            return pad.network.watch(app.launch)
        case AppMessages.NotifyLocally.name: return pad.notices.local.scheduleNotification(message, app)
        case AppMessages.FetchInterval.name: return wakes.setFetchInterval(message, app)
        case AppMessages.SettingsTaken.name: return pad.notices.settingsTaken(message, app)
        default: return LinkError.malformed("the system has no call '\(message.name)'; see Docs/local-link.md").body
        }
    }

    /// 0 when running in the background is not possible.
    private func beginTask(_ launch: Int, _ name: String) -> Int64 {
        guard let run = runs[launch], run.process == .running, !run.background.hasExpired,
            run.background.tasks.count < Self.tasksMax
        else {
            return 0
        }
        let task = run.background.lastTask + 1
        runs[launch]?.background.lastTask = task
        runs[launch]?.background.tasks.append(task)
        kernel.report(.taskBegan(task, name: name, launch: launch))
        if run.phase == .background { limitBackgroundTime(launch) }
        kernel.needsSettling = true
        return task
    }

    func limitBackgroundTime(_ launch: Int) {
        guard let run = runs[launch] else { return }
        let end = run.background.since + kernel.spec.real(Self.allowance)
        kernel.timers.setIfAbsent(.backgroundLimit(launch: launch), at: max(now, end))
    }

    func backgroundTimeUsedUp(_ launch: Int) {
        guard let run = runs[launch], run.phase == .background, !run.background.tasks.isEmpty else { return }
        runs[launch]?.background.hasExpired = true
        mark(.backgroundTaskExpired)
        for task in run.background.tasks {
            giveEvent(AppMessages.BackgroundTaskExpired { $0.task = task }.message, to: launch)
        }
        kernel.timers.set(.expiryGrace(launch: launch), at: now + kernel.spec.real(Self.grace))
    }

    /// A task that is not ended when its time is over costs the process.
    func expiryGraceOver(_ launch: Int) {
        guard let run = runs[launch], run.phase == .background, !run.background.tasks.isEmpty else { return }
        end(launch, reason: .watchdog, ["missed": "endBackgroundTask"])
    }
}
