import FleetModel

/// A call, an alert, the control centre: the app on the screen resigns active and is active again afterwards, without having been in the
/// background (app-lifecycle.md 2).
extension AppLifecycle {
    /// `device.interrupt`: answered when the app has resigned, or at once when none is on the screen.
    func interrupt(_ command: Command) {
        guard pad.sessions.activePerson != nil else { return refuse(command, "nobody is signed in") }
        guard let foreground = screen.foreground, let run = runs[foreground], run.goal == .foreground,
            !pad.protection.isLocked
        else {
            return refuse(command, "no app is on the screen of \(deviceName)")
        }
        guard run.phase == .active else { return refuse(command, "\(run.identity.app) is not active yet") }
        runs[foreground]?.disturbance.isInterrupted = true
        mark(.interrupted)
        kernel.needsSettling = true
        done(command)
    }

    /// `device.interruptEnded`. An app that has left the screen meanwhile finds no interruption when it comes back.
    func interruptEnded(_ command: Command) {
        for launch in runs.keys { runs[launch]?.disturbance.isInterrupted = false }
        kernel.needsSettling = true
        done(command)
    }
}
