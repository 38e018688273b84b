import FleetModel

/// What others may ask about launches.
extension AppLifecycle {
    /// Launches in the order in which they began.
    var launches: [Int] { runs.keys.sorted() }
    subscript(launch: Int) -> AppRun? { runs[launch] }

    func running(_ person: Person, app: AppName?) -> [AppIdentity] {
        runs.keys.sorted().compactMap { runs[$0]?.identity }.filter {
            $0.person == person && (app == nil || $0.app == app)
        }
    }
    func phase(of app: AppIdentity) -> AppPhase { run(of: app)?.phase ?? .notRunning }
    func isInBackground(_ app: AppIdentity) -> Bool { run(of: app)?.applicationState == .background }

    /// The run behind an identity; nil once it is gone.
    func run(of app: AppIdentity) -> AppRun? {
        guard let run = runs[app.launch], run.identity == app || run.identity(in: run.account) == app else {
            return nil
        }
        return run
    }

    /// Launches that work in an account, as its daemons know them.
    func using(_ account: Person, app: AppName?) -> [AppIdentity] {
        runs.keys.sorted().compactMap { runs[$0] }.filter {
            $0.account == account && (app == nil || $0.identity.app == app)
        }.map { $0.identity(in: $0.account) }
    }

    /// Where an edit is made, when that is not simply the person's own account: null is none, since what is made without an identity
    /// belongs to no account yet (identity.md 3). Nil: the own one, and whatever does not lie in iCloud.
    func accountDetail(_ launch: Int) -> Value? {
        guard let run = runs[launch], let channel = pad.catalogue.manifest(of: run.identity.app)?.channel,
            [Channel.keyValue, .record, .document].contains(channel)
        else { return nil }
        let present = pad.accounts.account(of: run.identity.person)
        if run.known.isNone || present == run.account && pad.accounts.identity(of: present) == nil {
            return .some(.null)
        }
        return run.account == run.identity.person ? nil : .string(run.account)
    }
}

/// What others may do to launches.
extension AppLifecycle {
    func set(_ goal: AppRun.Goal, of launch: Int) { runs[launch]?.goal = goal }
    /// It is suspended as soon as it may.
    func hurry(_ launch: Int) { runs[launch]?.disturbance.isHurried = true }
    /// It shall open these, after what it is to open already.
    func hand(_ urls: [String], to launch: Int) { runs[launch]?.mail.urls += urls }
    /// It has heard of an account, or that there is none.
    func know(_ account: AppRun.KnownAccount, _ launch: Int) { runs[launch]?.known = account }
    /// The newest of a name says all.
    func queue(_ notice: AppMessages.Notice, to launch: Int) {
        runs[launch]?.mail.notices.removeAll { $0.notice == notice.notice }
        runs[launch]?.mail.notices.append(notice)
    }
    /// Starts the app for an event, or wakes it. Not before the person has unlocked the iPad once, by signing in (S152); never an app that
    /// the person quit, nor one that does without the background (ASSUMED for `UIApplicationExitsOnSuspend`).
    @discardableResult func launchInBackground(_ app: AppName, person: Person, reason: String) -> Bool {
        let person = pad.accounts.holder(of: person)
        guard pad.sessions.session == .active(person), !pad.management.setup.isHolding,
            let manifest = pad.catalogue.installed(app), !manifest.exitsOnSuspend,
            !isBarred(app, person)
        else { return false }
        guard let launch = running(person, app: app).last?.launch else {
            _ = start(manifest, person: person, goal: .background)
            return true
        }
        resume(launch)
        return true
    }

    /// Every launch of one app, or of all, ends.
    func endAll(of app: AppName? = nil, reason: EndReason) {
        for launch in launches where app == nil || runs[launch]?.identity.app == app { end(launch, reason: reason) }
    }
}
