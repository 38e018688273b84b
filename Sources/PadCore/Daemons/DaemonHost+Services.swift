import FleetModel
import Storage

/// What daemons may ask of the iPad: each question goes to the service that knows.
extension DaemonHost: PadServices {
    var deviceClock: Int64 { kernel.state.device.clock.reading(at: now) }
    var switches: PadSwitches { kernel.spec.switches }
    var isDesktop: Bool { kernel.spec.isDesktop }

    var people: [Person] { pad.residents.people }
    func volume(of person: Person) -> Volume? { pad.storage.volume(of: person) }
    func reaches(_ path: String, _ app: AppIdentity) -> Bool { pad.storage.files.reaches(path, app) }

    var accounts: [Person] { pad.accounts.accounts }
    func keepsSyncing(_ account: Person) -> Bool { pad.accounts.keepsSyncing(account) }
    func identity(of person: Person) -> String? { pad.accounts.identity(of: person) }
    func accountStatus(of person: Person) -> Int { pad.accounts.accountStatus(of: person) }

    var isProtectedDataAvailable: Bool { pad.protection.isProtectedDataAvailable }
    func hasUnlocked(_ person: Person) -> Bool { pad.protection.hasUnlocked(person) }
    func hasPasscode(_ person: Person) -> Bool { pad.protection.hasPasscode(person) }

    var suitsDiscretionary: Bool { pad.network.suitsDiscretionary }
    func canReachNetwork(as person: Person) -> Bool { pad.network.canReachNetwork(as: person) }
    func hasAccount(_ person: Person) -> Bool { pad.network.hasAccount(person) }
    func send(_ request: HTTPRequest, task: NetworkTask, cause: String, timeout: Span?) {
        pad.network.send(request, task: task, cause: cause, timeout: timeout)
    }
    func isOnItsWay(_ task: NetworkTask) -> Bool { pad.network.isOnItsWay(task) }
    func forget(_ task: NetworkTask) { pad.network.forget(task) }

    func using(_ account: Person, app: AppName?) -> [AppIdentity] { pad.apps.using(account, app: app) }
    func running(_ person: Person, app: AppName?) -> [AppIdentity] { pad.apps.running(person, app: app) }
    func phase(of app: AppIdentity) -> AppPhase { pad.apps.phase(of: app) }
    func isInBackground(_ app: AppIdentity) -> Bool { pad.apps.isInBackground(app) }
    func post(_ message: Message, exchange: UInt64, to app: AppIdentity) {
        pad.apps.post(message, exchange: exchange, to: app)
    }
    @discardableResult func launchInBackground(_ app: AppName, person: Person, reason: String) -> Bool {
        pad.apps.launchInBackground(app, person: person, reason: reason)
    }

    var packageExtensions: [String] { pad.catalogue.packageExtensions }
    func manifest(of app: AppName) -> AppManifest? { pad.catalogue.manifest(of: app) }
    func entitlements(of app: AppIdentity) -> Entitlements { pad.catalogue.entitlements(of: app) }

    func isCaring(_ app: AppIdentity) -> Bool { pad.copies.isCaring(app) }
    func arrived(_ tokens: [Token]) { pad.copies.arrived(tokens) }
}
