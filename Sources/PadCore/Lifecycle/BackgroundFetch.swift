import FleetModel

/// When an app is to fetch next, and how much the system thinks of it.
///
/// Source: app-lifecycle.md 6.2: opportunistic, the interval a minimum and never a promise. ASSUMED: at most every 15 minutes; each fetch
/// that brought nothing doubles the pause, up to 4 hours, and so does one that failed or did not return; one with new data takes it back to
/// the interval. No luck is drawn: what an app does decides when it is next.
struct FetchPlan: Hashable, FieldGroup {
    var app: AppName
    /// The least time between two; what the app set.
    var interval: Span
    /// Fetches in a row that brought nothing.
    private(set) var misses = 0
    /// Not before.
    private(set) var next: Instant

    static let shortest = Span.minutes(15)
    private static let longest = Span.hours(4)

    init(app: AppName, interval: Span, now: Instant) {
        (self.app, self.interval) = (app, interval)
        next = now + max(interval, Self.shortest)
    }
    var pause: Span {
        let least = max(interval, Self.shortest)
        return max(least, min(least * Int64(1 << min(misses, 8)), Self.longest))
    }
    /// It was fetched, or cannot be now: it waits its time.
    mutating func passed(at now: Instant) { next = now + pause }
    mutating func ended(_ brought: Bool, at now: Instant) {
        misses = brought ? 0 : misses + 1
        next = now + pause
    }

    init() { self.init(app: "", interval: .zero, now: .zero) }
    mutating func visit(_ fields: inout Fields) {
        fields.required("app", &app)
        fields.required("interval", &interval)
        fields.required("misses", &misses)
        fields.required("next", &next)
    }
}

/// Background fetch: apps that declare `fetch` look for something new while nobody uses them (app-lifecycle.md 6, 6.2; S147).
extension BackgroundWakes {
    /// `app.fetchInterval {interval: ns | null}`; null: never.
    func setFetchInterval(_ message: Message, _ app: AppIdentity) -> Value {
        guard let index = kernel.state.index(of: app.person) else { return .empty }
        guard let wish = AppMessages.FetchInterval(lenient: message.body).interval, wish >= 0 else {
            kernel.state.residents[index].fetches.removeAll { $0.app == app.app }
            return .empty
        }
        let interval = Span(nanoseconds: min(wish, Span.hours(24 * 365).nanoseconds))
        if let plan = kernel.state.residents[index].fetches.firstIndex(where: { $0.app == app.app }) {
            guard kernel.state.residents[index].fetches[plan].interval != interval else { return .empty }
            kernel.state.residents[index].fetches.remove(at: plan)
        }
        kernel.state.residents[index].fetches.append(FetchPlan(app: app.app, interval: interval, now: now))
        watchFetches()
        return .empty
    }

    /// Sets the timer for whoever is signed in: nobody's apps run in somebody else's session.
    func watchFetches() {
        guard let person = pad.sessions.activePerson, let next = kernel.state[person]?.fetches.map(\.next).min() else {
            return kernel.timers.cancel(.fetch)
        }
        kernel.timers.set(.fetch, at: max(now, next))
    }

    func fetchesDue() {
        guard let person = pad.sessions.activePerson, let index = kernel.state.index(of: person) else { return }
        for plan in kernel.state.residents[index].fetches.indices
        where kernel.state.residents[index].fetches[plan].next <= now {
            kernel.state.residents[index].fetches[plan].passed(at: now)
            fetch(kernel.state.residents[index].fetches[plan].app, person)
        }
        watchFetches()
    }
    /// Not for an app on the screen, without a network, or against the bar of a force-quit.
    private func fetch(_ app: AppName, _ person: Person) {
        guard pad.catalogue.manifest(of: app)?.infoPlist["UIBackgroundModes"]?.strings.contains("fetch") ?? false,
            !kernel.state.device.isAirplaneMode,
            pad.apps.running(person, app: app).allSatisfy({ pad.apps.phase(of: $0) == .suspended }),
            pad.apps.launchInBackground(app, person: person, reason: "fetch"),
            let launch = pad.apps.running(person, app: app).last?.launch
        else { return }
        pad.apps.giveEvent(AppMessages.PerformFetch().message, to: launch)
    }

    func fetchEnded(_ message: Message, _ app: AppIdentity) {
        guard let index = kernel.state.index(of: app.person),
            let plan = kernel.state.residents[index].fetches.firstIndex(where: { $0.app == app.app })
        else { return }
        kernel.state.residents[index].fetches[plan].ended(
            AppMessages.Returned(lenient: message.body).result == "newData", at: now)
        watchFetches()
    }
}
