import FleetModel
import Storage

extension Pad: PadServices {
    var deviceClock: Int64 { state.clock.reading(at: now) }
    var deviceName: String { spec.deviceName }
    var people: [Person] { state.residents.map(\.person) }

    var switches: PadSwitches { spec.switches }
    var packageExtensions: [String] { spec.apps.flatMap(\.packageExtensions) }
    var isDesktop: Bool { spec.isDesktop }
    func manifest(of app: AppName) -> AppManifest? { manifests[app] }
    func entitlements(of app: AppIdentity) -> Entitlements {
        entitlements[app.app] ?? Entitlements(nil, bundle: app.bundle)
    }
    func note(_ note: Note) { noteAll([note]) }
    func noteAll(_ notes: [Note]) {
        for note in notes { emit(Output(to: .pad(spec.number), .note(note))) }
        watchCopies(notes)
    }
    func isCaring(_ app: AppIdentity) -> Bool {
        copies.isCaring(.init(person: SecondAccount.user(of: app.person), app: app.app))
    }
    func arrived(_ tokens: [Token]) { copies.release(tokens) }
    func problem(_ what: String) { problems.append(what) }

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

    /// - Parameter account: the one in which the launch works that the event is about; nil: the run knows it.
    func tell(_ event: SystemEvent, in account: Person? = nil) {
        for daemon in daemons {
            daemon.observe(type(of: daemon).isOfAccount ? ofAccount(event, account) : event, self)
        }
        needsSettling = true
    }
    private func ofAccount(_ event: SystemEvent, _ account: Person?) -> SystemEvent {
        switch event {
        case .signedIn(let person): .signedIn(self.account(of: person))
        case .signedOut(let person): .signedOut(self.account(of: person))
        case .appEntered(let app, let phase): .appEntered(inAccount(app, account), phase)
        case .appEnded(let app, let forced): .appEnded(inAccount(app, account), forced: forced)
        case .pushHandled(let app, let hadNews): .pushHandled(inAccount(app, account), hadNews: hadNews)
        default: event
        }
    }
    /// A launch as the daemons of an account know it.
    func inAccount(_ app: AppIdentity, _ account: Person? = nil) -> AppIdentity {
        var app = app
        app.person = account ?? runs[app.launch]?.account ?? app.person
        return app
    }
    /// What waits of all of a person's accounts. What only an app can take waits for its account to come back, and so for nothing here.
    func pending(of person: Person) -> [PendingItem] {
        accounts(of: person).flatMap { account in
            daemons.flatMap { $0.pending(of: account) }.filter { isPresent(account) || !$0.isForApp }
        }
    }
    func isSynced(_ person: Person) -> Bool { pending(of: person).isEmpty }
}
