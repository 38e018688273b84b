import FleetModel

/// What others may ask about launches.
extension AppLifecycle {
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
        if run.isToldNone || present == run.account && pad.accounts.identity(of: present) == nil { return .some(.null) }
        return run.account == run.identity.person ? nil : .string(run.account)
    }
}
