import FleetModel

/// Texts that apps want to be shown later (S148).
final class LocalNotifications: PadService {
    let kernel: Kernel
    private(set) var localNotifications: [LocalNotification] = []
    private(set) var shownNotifications: [LocalNotification] = []

    init(_ kernel: Kernel) { self.kernel = kernel }

    // MARK: Local notifications

    /// Of one app and person, waiting or shown; of those shown the newest. Source: Apple's limit for waiting ones; for shown ones ASSUMED.
    private static let notificationsMax = 64

    /// `app.notifyLocally {text, after}`: the system shows the text when its time has come, whether the app runs or not.
    func scheduleNotification(_ message: Message, _ app: AppIdentity) -> Value {
        guard let wish = try? AppMessages.NotifyLocally(message), wish.after >= 0 else {
            return LinkError.malformed("app.notifyLocally needs 'text' and 'after', nanoseconds from now").body
        }
        let waiting = localNotifications.count { $0.app == app.app && $0.person == app.person }
        guard waiting < Self.notificationsMax else {
            return LinkError.cocoa(512, "an app may schedule 64 local notifications").body
        }
        localNotifications.append(
            LocalNotification(
                app: app.app, person: app.person, text: wish.text,
                due: now + Span(nanoseconds: min(wish.after, Span.hours(24 * 365).nanoseconds))))
        kernel.timers.set(.localNotification, at: localNotifications.map(\.due).min() ?? now)
        return .empty
    }

    /// In front of the person the app gets it instead; else it is shown (S148).
    func notificationsDue() {
        for notification in localNotifications where notification.due <= now {
            let front = pad.apps.screen.foreground.flatMap { pad.apps[$0] }
            if let front, front.identity.app == notification.app, front.identity.person == notification.person,
                front.phase == .active
            {
                pad.apps.giveEvent(
                    AppMessages.LocalNotification { $0.text = notification.text }.message, to: front.identity.launch)
            } else if pad.sessions.person == notification.person {
                show(notification)
            }
        }
        localNotifications.removeAll { $0.due <= now }
        if let next = localNotifications.map(\.due).min() { kernel.timers.set(.localNotification, at: next) }
    }

    private func show(_ notification: LocalNotification) {
        shownNotifications.append(notification)
        let own = shownNotifications.indices.filter {
            shownNotifications[$0].app == notification.app && shownNotifications[$0].person == notification.person
        }
        if own.count > Self.notificationsMax { shownNotifications.remove(at: own[0]) }
    }

    func ends(_ ending: Ending) {
        guard case .account(let person) = ending else { return }
        localNotifications.removeAll { $0.person == person }
        shownNotifications.removeAll { $0.person == person }
    }
    /// The app is off the iPad.
    func forget(_ app: AppName) {
        localNotifications.removeAll { $0.app == app }
        shownNotifications.removeAll { $0.app == app }
    }

    /// `device.notifications`: what the person finds on the screen: `{shown: [{app, text}]}`.
    func listNotifications(_ command: Command) {
        let shown = shownNotifications.filter { $0.person == pad.sessions.activePerson }
        let entries = shown.map { one in
            PadCommand.ListNotifications.Entry { ($0.app, $0.text) = (one.app, one.text) }
        }
        reply(PadCommand.ListNotifications.Answer { $0.shown = entries }, to: command)
    }
}

/// A text that an app wants to be shown later. ASSUMED: gone with a restart.
struct LocalNotification: Hashable {
    var app: AppName
    var person: Person
    var text: String
    var due: Instant
}

extension LocalNotifications {
    func checkInvariants() throws(BrokenInvariant) {
        guard !kernel.isDown else { return }
        try invariant(
            localNotifications.isEmpty || kernel.timers.next(.localNotification) != nil,
            "\(localNotifications.count) local notifications wait, and no timer shows them")
    }
}
