import FleetModel
import Storage

/// Runs the daemons: carries to them what apps ask, what the network answers and what happens on the iPad, each in the name by which the daemon
/// knows people (`Daemon.isOfAccount`).
final class DaemonHost: PadService {
    let kernel: Kernel
    /// In a fixed order. A new one is one folder and one line in `systemDaemons`.
    private let daemons: [any Daemon]
    private let daemonOf: [String: any Daemon]

    init(_ kernel: Kernel, _ daemons: [any Daemon]) {
        self.kernel = kernel
        self.daemons = daemons
        daemonOf = Dictionary(daemons.map { (type(of: $0).service, $0) }, uniquingKeysWith: { first, _ in first })
    }
    static func systemDaemons() -> [any Daemon] {
        [KeyValueDaemon(), RecordDaemon(), DocumentDaemon(), TransferDaemon(), HTTPDaemon(), KeychainDaemon()]
    }

    var documents: DocumentDaemon? { daemonOf["docs"] as? DocumentDaemon }

    // MARK: Apps and network

    /// - Returns: nil when no daemon has a service of that name.
    func call(_ message: Message, from app: AppIdentity) -> Value? {
        guard let daemon = daemonOf[message.service] else { return nil }
        return daemon.call(message, from: known(app, to: daemon), self).body
    }
    /// - Returns: whether there is a daemon for it.
    func post(_ message: Message, exchange: UInt64, from app: AppIdentity) -> Bool {
        guard let daemon = daemonOf[message.service] else { return false }
        daemon.post(message, exchange: exchange, from: known(app, to: daemon), self)
        return true
    }
    func reply(_ reply: NetworkReply, to task: NetworkTask) {
        daemonOf[task.service]?.reply(reply, to: task, self)
    }
    func pushed(_ message: Message, to service: String, _ account: Account) {
        daemonOf[service]?.pushed(message, person: account, self)
    }
    private func known(_ app: AppIdentity, to daemon: any Daemon) -> AppIdentity {
        type(of: daemon).isOfAccount ? inAccount(app) : app
    }
    /// A launch as the daemons of an account know it.
    func inAccount(_ app: AppIdentity, _ account: Account? = nil) -> AppIdentity {
        var app = app
        app.account = account ?? pad.apps[app.launch]?.account ?? app.account
        return app
    }

    // MARK: Time

    func boot() {
        for daemon in daemons { daemon.boot(self) }
    }
    func wake(after: () -> Void) {
        for daemon in daemons {
            guard let wake = daemon.nextWake, wake <= now else { continue }
            daemon.wake(self)
            after()
        }
    }
    var nextWake: Instant? {
        // A daemon that has just been woken and still wants this very instant waits a little: time must pass.
        daemons.compactMap { $0.nextWake }.map { $0 > now ? $0 : now + .milliseconds(1) }.min()
    }

    // MARK: What happens

    /// - Parameter account: the one in which the launch works that the event is about; nil: the run knows it.
    func tell(_ event: SystemEvent, in account: Account? = nil) {
        for daemon in daemons {
            daemon.observe(type(of: daemon).isOfAccount ? ofAccount(event, account) : event, self)
        }
        kernel.report(.system(event))
        kernel.needsSettling = true
    }
    private func ofAccount(_ event: SystemEvent, _ account: Account?) -> SystemEvent {
        switch event {
        case .signedIn(let person): .signedIn(pad.accounts.account(of: person))
        case .signedOut(let person): .signedOut(pad.accounts.account(of: person))
        case .appEntered(let app, let phase): .appEntered(inAccount(app, account), phase)
        case .appEnded(let app, let forced): .appEnded(inAccount(app, account), forced: forced)
        case .pushHandled(let app, let hadNews): .pushHandled(inAccount(app, account), hadNews: hadNews)
        default: event
        }
    }
    /// The person of the session is signed in to another account now.
    func accountChanged(from previous: Account, to account: Account) {
        for daemon in daemons where type(of: daemon).isOfAccount {
            daemon.observe(.signedOut(previous), self)
            daemon.observe(.signedIn(account), self)
        }
    }

    // MARK: Queues

    /// What waits of all of a person's accounts. What only an app can take waits for its account to come back, and so for nothing here.
    func pending(of person: Person) -> [PendingItem] {
        pad.accounts.accounts(of: person).flatMap { account in
            daemons.flatMap { $0.pending(of: account) }.filter { pad.accounts.isPresent(account) || !$0.isForApp }
        }
    }
    /// How much the daemon of a task still has to do for the task's account.
    func waiting(of task: NetworkTask) -> Int { daemonOf[task.service]?.pending(of: task.person).count ?? 0 }
    func queuedTokens(of account: Account) -> [Token] {
        var queued: [Token] = []
        for daemon in daemons {
            for token in daemon.queuedTokens(of: account) where !queued.contains(token) { queued.append(token) }
        }
        return queued
    }
    /// What an app cannot show yet; nil: nothing is missing.
    func missing(for app: AppIdentity) -> String? {
        daemons.lazy.compactMap { $0.missing(for: self.known(app, to: $0), self) }.first
    }
    func unheard(of person: Person) -> [PendingItem] {
        pad.accounts.accounts(of: person).filter(pad.accounts.isPresent).flatMap { account in
            daemons.flatMap { $0.unheard(of: account, self) }
        }
    }
    /// Whether an app is in the middle of a coordinated write.
    func holdsDocument(_ app: AppIdentity) -> Bool {
        documents?.isHeld(by: inAccount(app)) ?? false
    }
}

extension DaemonHost {
    func checkInvariants() throws(BrokenInvariant) {
        for daemon in daemons { try daemon.checkInvariants() }
    }
}
