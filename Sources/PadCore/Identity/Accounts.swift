import FleetModel
import Storage

/// The iCloud accounts on this iPad: each person's own one, and the second account of those who were signed in to it (identity.md 3).
///
/// The session, the sandbox, the keychain and background transfers are the person's, whose Managed Apple Account signed in to the iPad
/// (shared-ipad.md 1). What an app has from iCloud - pairs, records, documents - is the account's: these daemons keep what they hold by the
/// account's name (`Daemon.isOfAccount`), and a launch works in the account that it was told of last.
///
/// ASSUMED: what a daemon took over for an account goes on while another is signed in, as it does after a sign-out (shared-ipad.md 4); its
/// apps get nothing more of it.
final class Accounts: PadService {
    let kernel: Kernel

    init(_ kernel: Kernel) { self.kernel = kernel }

    /// The account that a person on this iPad is signed in to, or was last.
    func account(of person: Person) -> Account {
        kernel.state[person]?.usesSecond == true ? SecondAccount.name(of: person) : person
    }
    /// The person on whose volume an account's data lie.
    func holder(of account: Account) -> Person {
        kernel.state[account] == nil ? SecondAccount.user(of: account) : account
    }
    func isSecond(_ account: Account) -> Bool { holder(of: account) != account }
    /// All accounts with data here.
    var accounts: [Account] { pad.residents.people.flatMap(accounts(of:)) }
    func accounts(of person: Person) -> [Account] {
        kernel.state[person]?.secondToken == nil ? [person] : [person, SecondAccount.name(of: person)]
    }

    /// Bearer token at the Cloud; empty before the first request of a second account, which gets one as after a revocation.
    func bearer(of account: Account) -> String? {
        let resident = kernel.state[holder(of: account)]
        return isSecond(account) ? resident?.secondToken : resident?.token
    }
    func setBearer(_ token: String, of account: Account) {
        guard let index = kernel.state.index(of: holder(of: account)) else { return }
        if isSecond(account) {
            kernel.state.residents[index].secondToken = token
        } else {
            kernel.state.residents[index].token = token
        }
    }

    /// Whether it is the one that its person is signed in to, or was last.
    func isPresent(_ account: Account) -> Bool { self.account(of: holder(of: account)) == account }

    /// Whether what waits in queues of pairs may go: the account can be used, or another one has its place and only the queue is left.
    func keepsSyncing(_ account: Account) -> Bool {
        accountStatus(of: account) == 1 || !isPresent(account)
    }

    /// `identity.taken {identity}`: the launch has heard of a change. What it asks from now on is asked in that account; of the old one it
    /// gets nothing more, and its open containers are out of reach (identity.md 3).
    func takeIdentity(_ message: Message, _ app: AppIdentity) -> Value {
        guard let run = pad.apps[app.launch] else { return .empty }
        // Without a token there is nothing to tell it by: signed out or not, it is the account that was there last.
        let told = IdentityMessages.Taken(lenient: message.body).identity
        pad.apps.know(.init(name: run.account, isNone: told == nil), app.launch)
        let known = [app.person, SecondAccount.name(of: app.person)].first { token(of: $0) == told }
        let account = known ?? account(of: app.person)
        guard account != run.account else { return .empty }
        pad.daemons.tell(.accountLeft(run.identity(in: run.account)))
        pad.apps.know(.init(name: account, isNone: told == nil), app.launch)
        pad.storage.files.close(app.launch)
        pad.daemons.tell(.accountEntered(run.identity(in: account)))
        mark(.accountChanged)
        return .empty
    }
}

extension AppRun {
    /// As the daemons of an account know the launch.
    func identity(in account: Account) -> AppIdentity {
        var identity = identity
        identity.account = account
        return identity
    }
}
