import FleetModel

/// Events beside transfers and silent pushes that start an app or let it run on (app-lifecycle.md 6): injected, since an emulated iPad
/// has no radio and nobody calls. Which of them an app gets it says in `UIBackgroundModes`; nothing else runs for long (S138, S147).
extension Pad {
    /// Source: app-lifecycle.md 6. Silent pushes and fetches are short by nature.
    static let backgroundModes = [
        "audio", "location", "voip", "external-accessory", "bluetooth-central", "bluetooth-peripheral", "fetch",
        "processing", "nearby-interaction", "network-authentication", "newsstand-content", "push-to-talk",
    ]
    /// Source: app-lifecycle.md 6; fetch and processing have their seconds and no more.
    private static let lasting = [
        "audio", "location", "voip", "external-accessory", "bluetooth-central", "bluetooth-peripheral",
    ]
    /// Source: app-lifecycle.md 5, exceptions to the force-quit bar.
    private static let passesBar = ["location", "voip"]

    /// `device.wake {app, mode, lasting?}`: the app is started or woken for an event of the mode and given it. `lasting`: what began goes on,
    /// and with it the app's time in the background, until `device.wakeEnded {app, mode}`.
    func wakeApp(_ command: Command) {
        guard let app = command.message["app"]?.string, let manifest = installed(app),
            let mode = command.message["mode"]?.string, Self.backgroundModes.contains(mode)
        else { return refuse(command, "'app' and 'mode' are needed: say who is woken by what (app-lifecycle.md 6)") }
        let lasts = command.message["lasting"]?.bool ?? false
        guard manifest.infoPlist["UIBackgroundModes"]?.strings.contains(mode) ?? false else {
            return refuse(command, "\(app) does not declare '\(mode)' in UIBackgroundModes")
        }
        guard !lasts || Self.lasting.contains(mode) else { return refuse(command, "'\(mode)' is no kind that lasts") }
        guard let person = session.activePerson else { return refuse(command, "nobody is signed in") }
        let bar = Barred(person: person, app: app)
        guard !manifest.exitsOnSuspend else {
            return refuse(command, "\(app) does without the background (Info.plist)")
        }
        let isLet = barred.contains(bar) && Self.passesBar.contains(mode)
        if isLet { barred.removeAll { $0 == bar } }
        defer { if isLet { barred.append(bar) } }
        guard launchInBackground(app, person: person, reason: mode), let launch = running(person, app: app).last?.launch
        else { return refuse(command, "\(app) was quit: it runs again when the person opens it") }
        if lasts, runs[launch]?.modes.contains(mode) == false { runs[launch]?.modes.append(mode) }
        giveEvent(Message("app.wake", ["mode": .string(mode)]), to: launch)
        done(command)
    }

    /// What lasted is over: the app is suspended like any other.
    func wakeEnded(_ command: Command) {
        for launch in runs.keys where runs[launch]?.identity.app == command.message["app"]?.string {
            runs[launch]?.modes.removeAll { $0 == command.message["mode"]?.string }
        }
        needsSettling = true
        done(command)
    }

    // MARK: Local notifications

    /// Of one app and person, waiting or shown; of those shown the newest. Source: Apple's limit for waiting ones; for shown ones ASSUMED.
    private static let notificationsMax = 64

    /// `app.notifyLocally {text, after}`: the system shows the text when its time has come, whether the app runs or not.
    func scheduleNotification(_ message: Message, _ app: AppIdentity) -> Value {
        guard let text = message["text"]?.string, let after = message["after"]?.int, after >= 0 else {
            return LinkError.malformed("app.notifyLocally needs 'text' and 'after', nanoseconds from now").body
        }
        let waiting = localNotifications.count { $0.app == app.app && $0.person == app.person }
        guard waiting < Self.notificationsMax else {
            return LinkError.cocoa(512, "an app may schedule 64 local notifications").body
        }
        localNotifications.append(
            LocalNotification(
                app: app.app, person: app.person, text: text,
                due: now + Span(nanoseconds: min(after, Span.hours(24 * 365).nanoseconds))))
        timers.set(.localNotification, at: localNotifications.map(\.due).min() ?? now)
        return .empty
    }

    /// In front of the person the app is told instead; else it is shown (S148).
    func notificationsDue() {
        for notification in localNotifications where notification.due <= now {
            let front = foreground.flatMap { runs[$0] }
            if let front, front.identity.app == notification.app, front.identity.person == notification.person,
                front.phase == .active
            {
                giveEvent(
                    Message("app.localNotification", ["text": .string(notification.text)]), to: front.identity.launch)
            } else if session.person == notification.person {
                show(notification)
            }
        }
        localNotifications.removeAll { $0.due <= now }
        if let next = localNotifications.map(\.due).min() { timers.set(.localNotification, at: next) }
    }

    private func show(_ notification: LocalNotification) {
        shownNotifications.append(notification)
        let own = shownNotifications.indices.filter {
            shownNotifications[$0].app == notification.app && shownNotifications[$0].person == notification.person
        }
        if own.count > Self.notificationsMax { shownNotifications.remove(at: own[0]) }
    }

    /// `device.notifications`: what the person finds on the screen: `{shown: [{app, text}]}`.
    func listNotifications(_ command: Command) {
        let shown = shownNotifications.filter { $0.person == session.activePerson }
        reply(["shown": .array(shown.map { ["app": .string($0.app), "text": .string($0.text)] })], to: command)
    }
}

/// A text that an app wants to be shown later. ASSUMED: gone with a restart.
struct LocalNotification: Hashable {
    var app: AppName
    var person: Person
    var text: String
    var due: Instant
}
