import FleetModel

/// What an app may ask about itself: its state, and the time it has left.
extension AppLifecycle {
    /// Answer of `app.state`. `remaining`: ns of background time, null in the foreground, where there is no limit (app-lifecycle.md 4).
    func stateBody(_ launch: Int) -> Value {
        guard let run = runs[launch] else { return .empty }
        return AppMessages.State.Answer {
            ($0.state, $0.remaining) = (run.applicationState.rawValue, remaining(run))
            $0.protectedData = pad.protection.isProtectedDataAvailable
        }.body
    }
    private func remaining(_ run: AppRun) -> Int64? {
        guard run.applicationState == .background else { return nil }
        // Its time begins when it has arrived; on the way it has all of it.
        guard run.phase == .background else { return kernel.spec.real(Self.allowance).nanoseconds }
        return max(0, (run.background.since + kernel.spec.real(Self.allowance)).nanoseconds - now.nanoseconds)
    }

    /// What a launch is told beside the usual, only when there is something: settings to take, an archive to restore.
    func addExtras(to spec: inout LaunchSpec, _ app: AppIdentity) {
        spec.settings = pad.notices.settingsToTake(app.bundle, app.person)?.object ?? Value.Object()
        spec.restores = archives.hasArchive(app)
        spec.habits = kernel.spec.watches.habits
    }
}
