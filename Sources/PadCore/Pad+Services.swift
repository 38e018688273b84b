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
    func note(_ note: Note) { emit(Output(to: .pad(spec.number), .note(note))) }

    func running(_ person: Person, app: AppName?) -> [AppIdentity] {
        runs.keys.sorted().compactMap { runs[$0]?.identity }.filter {
            $0.person == person && (app == nil || $0.app == app)
        }
    }
    func phase(of app: AppIdentity) -> AppPhase { run(of: app)?.phase ?? .notRunning }
    func isInBackground(_ app: AppIdentity) -> Bool { run(of: app)?.applicationState == .background }

    /// The run behind an identity; nil once it is gone.
    func run(of app: AppIdentity) -> AppRun? {
        guard let run = runs[app.launch], run.identity == app else { return nil }
        return run
    }

    func tell(_ event: SystemEvent) {
        for daemon in daemons { daemon.observe(event, self) }
        needsSettling = true
    }
    func pending(of person: Person) -> [PendingItem] { daemons.flatMap { $0.pending(of: person) } }
    func isSynced(_ person: Person) -> Bool { daemons.allSatisfy { $0.pending(of: person).isEmpty } }
}
