import FleetModel

/// Events other than transfers and silent pushes that start an app or let it run on (app-lifecycle.md 6): injected, since an emulated iPad
/// has no radio and nobody calls. Which of them an app gets it says in `UIBackgroundModes`; nothing else runs for long (S138, S147).
final class BackgroundWakes: PadService {
    let kernel: Kernel

    init(_ kernel: Kernel) { self.kernel = kernel }

    /// Source: app-lifecycle.md 6. Silent pushes and fetches are short by nature.
    static let backgroundModes = [
        "audio", "location", "voip", "external-accessory", "bluetooth-central", "bluetooth-peripheral", "fetch",
        "processing", "nearby-interaction", "network-authentication", "newsstand-content", "push-to-talk",
    ]
    /// Source: app-lifecycle.md 6; fetch and processing have their seconds only.
    private static let lasting = [
        "audio", "location", "voip", "external-accessory", "bluetooth-central", "bluetooth-peripheral",
    ]
    /// Source: app-lifecycle.md 5, exceptions to the force-quit bar.
    private static let passesBar = ["location", "voip"]

    /// `device.wake {app, mode, lasting?}`: the app is started or woken for an event of the mode and given it. `lasting`: what began goes on,
    /// and with it the app's time in the background, until `device.wakeEnded {app, mode}`.
    func wakeApp(_ command: Command) {
        let wish = command.asked(PadCommand.Wake.self)
        let (app, mode, lasts) = (wish.app, wish.mode, wish.lasting ?? false)
        guard let manifest = pad.catalogue.installed(app), Self.backgroundModes.contains(mode)
        else { return refuse(command, "'app' and 'mode' are needed: say who is woken by what (app-lifecycle.md 6)") }
        guard manifest.infoPlist["UIBackgroundModes"]?.strings.contains(mode) ?? false else {
            return refuse(command, "\(app) does not declare '\(mode)' in UIBackgroundModes")
        }
        guard !lasts || Self.lasting.contains(mode) else { return refuse(command, "'\(mode)' is no kind that lasts") }
        guard let person = pad.sessions.activePerson else { return refuse(command, "nobody is signed in") }
        guard !manifest.exitsOnSuspend else {
            return refuse(command, "\(app) does without the background (Info.plist)")
        }
        let isLet = pad.apps.isBarred(app, person) && Self.passesBar.contains(mode)
        if isLet { pad.apps.lift(app, person) }
        defer { if isLet { pad.apps.bar(app, person) } }
        guard pad.apps.launchInBackground(app, person: person, reason: mode),
            let launch = pad.apps.running(person, app: app).last?.launch
        else { return refuse(command, "\(app) was quit: it runs again when the person opens it") }
        if lasts, pad.apps.runs[launch]?.background.modes.contains(mode) == false {
            pad.apps.runs[launch]?.background.modes.append(mode)
        }
        pad.apps.giveEvent(AppMessages.Wake { $0.mode = mode }.message, to: launch)
        done(command)
    }

    /// What lasted is over: the app is suspended like any other.
    func wakeEnded(_ command: Command) {
        let over = command.asked(PadCommand.WakeEnded.self)
        for launch in pad.apps.runs.keys where pad.apps.runs[launch]?.identity.app == over.app {
            pad.apps.runs[launch]?.background.modes.removeAll { $0 == over.mode }
        }
        kernel.needsSettling = true
        done(command)
    }
}
