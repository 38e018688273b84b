import FleetModel

/// What an app may ask about itself: its state, and the time it has left.
extension AppLifecycle {
    /// Answer of `app.state`. `remaining`: ns of background time, null in the foreground, where there is no limit (app-lifecycle.md 4).
    func stateBody(_ launch: Int) -> Value {
        guard let run = runs[launch] else { return .empty }
        return [
            "state": .string(run.applicationState.rawValue), "remaining": remaining(run).map { .int($0) } ?? .null,
            "protectedData": .bool(pad.protection.isProtectedDataAvailable),
        ]
    }
    private func remaining(_ run: AppRun) -> Int64? {
        guard run.applicationState == .background else { return nil }
        // Its time begins when it has arrived; on the way it has all of it.
        guard run.phase == .background else { return kernel.spec.real(Self.allowance).nanoseconds }
        return max(0, (run.background.since + kernel.spec.real(Self.allowance)).nanoseconds - now.nanoseconds)
    }

    /// What a launch is told beside the usual, only when there is something: settings to take, an archive to restore.
    func addExtras(to body: inout Value, _ app: AppIdentity) {
        if let settings = pad.notices.settingsToTake(app.bundle, app.person) { body["settings"] = settings }
        if archives.hasArchive(app) { body["restores"] = true }
        if kernel.spec.watches.habits { body["habits"] = true }
    }
}
