import FleetModel
import Storage

/// One system service of the emulated iPadOS. A new daemon is one folder and one line in `DaemonHost.systemDaemons`.
///
/// All state that must survive lives in the person's volume (`PadServices.volume`); what a daemon keeps in memory is a cache that
/// `boot` can rebuild. A daemon serves every person of the iPad at once: its queues go on when the app or the person is gone.
protocol Daemon: AnyObject, InvariantHolder {
    /// What it holds is an iCloud account's, not the person's: it hears of accounts where others hear of people, and the launches that it
    /// hears of have the account that they work in.
    static var isOfAccount: Bool { get }
    /// Prefix of the messages it takes: `kvs` for `kvs.set`.
    static var service: String { get }
    /// Reads the queues of every volume that is on the iPad. Called at start and after a power cut.
    func boot(_ pad: any PadServices)
    /// Answers a synchronous call of an app. Malformed arguments are answered with an error, never a trap.
    func call(_ message: Message, from app: AppIdentity, _ pad: any PadServices) -> Message
    /// Takes a post of an app; what is answered goes through `pad.post`.
    func post(_ message: Message, exchange: UInt64, from app: AppIdentity, _ pad: any PadServices)
    /// The network's answer to `pad.send(task:)`.
    func reply(_ reply: NetworkReply, to task: NetworkTask, _ pad: any PadServices)
    /// A push of this daemon's service arrived for a person of this iPad.
    func pushed(_ message: Message, person: Person, _ pad: any PadServices)
    /// Called at every step whose time has reached the instant returned by `nextWake`.
    func wake(_ pad: any PadServices)
    /// When to be woken if nothing happens before.
    var nextWake: Instant? { get }
    /// What happened to apps and people.
    func observe(_ event: SystemEvent, _ pad: any PadServices)
    /// What this person's queues still hold; empty means synced.
    func pending(of person: Person) -> [PendingItem]
    /// Tokens in this person's queues: `observed` notes are made of them.
    func queuedTokens(of person: Person) -> [Token]
    /// What an app cannot show yet, because the Cloud has not answered for it and can still be asked; nil: nothing is missing.
    /// Of what an app asks for by itself it knows that, and says whether its state is complete.
    func missing(for app: AppIdentity, _ pad: any PadServices) -> String?
    /// What was asked in vain for this person's apps and will be asked again by itself: who looks at what apps show waits for it. It keeps no
    /// edit from the Cloud, so that nobody's data wait for it.
    func unheard(of person: Person, _ pad: any PadServices) -> [PendingItem]
}

/// An app launch as daemons see it.
struct AppIdentity: Hashable {
    /// Whose session, sandbox and keychain it runs in.
    var person: Person
    /// The iCloud account that it works in. For what is the person's and no account's: always the person's own.
    var account: Account
    var app: AppName
    var bundle: String
    var launch: Int

    /// - Parameter account: nil: the person's own.
    init(person: Person, account: Account? = nil, app: AppName, bundle: String, launch: Int) {
        self.person = person
        self.account = account ?? person
        self.app = app
        self.bundle = bundle
        self.launch = launch
    }
}

/// The name of an iCloud account: that of its person, or of the person's second account (`SecondAccount`).
typealias Account = String

/// What a push is about: the members that every service's has.
struct PushTopic: FieldGroup {
    /// Whose it is: of the service's own account.
    var account: String?
    var service: String?
    /// The container or store.
    var topic: String?
    init() {}
    mutating func visit(_ fields: inout Fields) {
        fields.optional("account", &account)
        fields.optional("service", &service)
        fields.optional("topic", &topic)
    }
}

/// A request that a daemon has under way. `task` names it for the daemon; it is also part of the luck the World draws.
struct NetworkTask: Hashable {
    var service: String
    var person: Person
    /// The daemon's own name for the work, stable over retries: `upload`, `op:notebook/1/4`.
    var name: String
    /// Counts tries of this task from 0.
    var attempt: Int
}

/// How a request ended.
enum NetworkReply: Hashable {
    case response(HTTPResponse)
    case failure(NetworkFailure)
}

/// What the system tells its daemons.
enum SystemEvent: Hashable {
    case signedIn(Person)
    /// The session ended; queues go on.
    case signedOut(Person)
    /// The person's volume is gone: forget all of it.
    case removed(Person)
    case appEntered(AppIdentity, AppPhase)
    /// The process is gone. `forced`: by the person's force-quit.
    case appEnded(AppIdentity, forced: Bool)
    /// Local data of one app was purged.
    case purged(Person, app: AppIdentity)
    /// The iCloud identity of a person on this iPad changed; nil: signed out of iCloud, or Documents & Data are off.
    /// `isAccount`: there is an account where there was none or another. An outage, a restriction or that switch is none (identity.md 3).
    case identityChanged(Person, token: String?, isAccount: Bool)
    /// The launch works in another account from now on: nothing of this one reaches it any more.
    case accountLeft(AppIdentity)
    /// And which that is.
    case accountEntered(AppIdentity)
    /// The network may be worth a new try (airplane mode off, boot).
    case networkReturned
    /// Power or Wi-Fi came or went: what is discretionary waits for both.
    case suitsDiscretionary
    /// An app has handled a silent push; whether it brought new data.
    case pushHandled(AppIdentity, hadNews: Bool)
}

/// The five states of app-lifecycle.md 1.
enum AppPhase: String, Hashable {
    case notRunning, inactive, active, background, suspended
}

/// Something that waits in a queue.
struct PendingItem: Hashable {
    /// `kvs upload of 3 keys`.
    var what: String
    /// `network`, `retry at 12m`, `answer`.
    var waitsFor: String
    var tokens: [Token]
    /// Only the app can end the waiting: it must run.
    var isForApp = false
}

/// What the iPad gives to its daemons.
protocol PadServices: ProblemReporter {
    var now: Instant { get }
    /// The device's own clock, nanoseconds since 1970, skewed by faults: what stamps are made of.
    var deviceClock: Int64 { get }
    /// The person's storage on this iPad; nil when the person is not cached here.
    func volume(of person: Person) -> Volume?
    /// People cached on this iPad, in order of first sign-in.
    var people: [Person] { get }
    /// iCloud accounts with data on this iPad.
    var accounts: [Person] { get }
    /// Launches that work in an account, of one app or all.
    func using(_ account: Person, app: AppName?) -> [AppIdentity]
    /// Whether pairs of the account may go to and fro.
    func keepsSyncing(_ account: Person) -> Bool
    /// Whether requests can leave at all (airplane mode off). A guest's too: what needs an account asks `hasAccount`.
    func canReachNetwork(as person: Person) -> Bool
    /// Sides that are taken where the sources differ.
    var switches: PadSwitches { get }
    /// Whether the person has an account: a guest has none (shared-ipad.md 2).
    func hasAccount(_ person: Person) -> Bool
    /// Whether the iPad has power and Wi-Fi (app-lifecycle.md 7, isDiscretionary).
    var suitsDiscretionary: Bool { get }
    /// Whether the app's code finds itself in the background: `UIApplication.State.background`.
    func isInBackground(_ app: AppIdentity) -> Bool
    /// The iCloud identity token that apps see; nil: no account.
    func identity(of person: Person) -> String?
    /// `CKAccountStatus` that apps see: 0 could not determine, 1 available, 2 restricted, 3 no account, 4 temporarily unavailable.
    func accountStatus(of person: Person) -> Int
    /// Whether files of the classes `complete` and `completeUnlessOpen` can be read now (app-lifecycle.md 10).
    var isProtectedDataAvailable: Bool { get }
    /// Whether the person has entered the passcode since the iPad started and has not signed out since: else the keys of the person's
    /// protection classes are not there (shared-ipad.md 2).
    func hasUnlocked(_ person: Person) -> Bool
    /// Everybody but a guest (shared-ipad.md 2).
    func hasPasscode(_ person: Person) -> Bool
    /// Whether a file belongs to the app: in its home, or in a ubiquity container that this launch has opened, and downloaded.
    func reaches(_ path: String, _ app: AppIdentity) -> Bool
    /// Sends with the person's account token; the answer comes to `Daemon.reply`. The daemon owns retries.
    /// `cause`: an edit's token found in the bytes, else the task's name. `timeout`: nil for the network stack's own.
    func send(_ request: HTTPRequest, task: NetworkTask, cause: String, timeout: Span?)
    /// Whether the request has left, and may do what it asks for: not one that waits for a new token.
    func isOnItsWay(_ task: NetworkTask) -> Bool
    /// Drops an answer that is still awaited, and a request that has not left.
    func forget(_ task: NetworkTask)
    /// Posts to an app launch; queued while it is suspended, dropped when it is gone.
    func post(_ message: Message, exchange: UInt64, to app: AppIdentity)
    /// Launches of this person that are alive (suspended ones included), of one app or all.
    func running(_ person: Person, app: AppName?) -> [AppIdentity]
    func phase(of app: AppIdentity) -> AppPhase
    /// Starts the app in the background when it is not running and may be launched; false when it may not (force-quit, other session).
    @discardableResult func launchInBackground(_ app: AppName, person: Person, reason: String) -> Bool
    func manifest(of app: AppName) -> AppManifest?
    func entitlements(of app: AppIdentity) -> Entitlements
    /// Extensions of folders that are documents (`LSTypeIsPackage` of the installed apps).
    var packageExtensions: [String] { get }
    /// The storage of a desktop computer: every document is kept here complete.
    var isDesktop: Bool { get }
    func note(_ note: Note)
    /// Notes of one moment, in their order.
    func noteAll(_ notes: [Note])
    /// Whether the app has edits in its care that no service answers for.
    func isCaring(_ app: AppIdentity) -> Bool
    /// The app hears that an upload with these edits has arrived: its files may go.
    func arrived(_ tokens: [Token])
}

extension Daemon {
    func checkInvariants() throws(BrokenInvariant) {}
    static var isOfAccount: Bool { false }
    func missing(for app: AppIdentity, _ pad: any PadServices) -> String? { nil }
    func unheard(of person: Person, _ pad: any PadServices) -> [PendingItem] { [] }
}

extension PadServices {
    /// Own accounts only.
    var accounts: [Person] { people }
    func using(_ account: Person, app: AppName?) -> [AppIdentity] { running(account, app: app) }
    func keepsSyncing(_ account: Person) -> Bool { accountStatus(of: account) == 1 }
    /// Available with an identity, no account without: right as long as no restriction or outage of the account is emulated.
    func accountStatus(of person: Person) -> Int { identity(of: person) == nil ? 3 : 1 }
    /// A home without containers.
    func reaches(_ path: String, _ app: AppIdentity) -> Bool { Pad.isPlain(path, below: [Pad.home(of: app.bundle)]) }
    func hasUnlocked(_ person: Person) -> Bool { true }
    func hasPasscode(_ person: Person) -> Bool { true }
    /// An unlocked iPad.
    var isProtectedDataAvailable: Bool { true }
    func hasAccount(_ person: Person) -> Bool { true }
    var switches: PadSwitches { PadSwitches() }
    func send(_ request: HTTPRequest, task: NetworkTask, cause: String) {
        send(request, task: task, cause: cause, timeout: nil)
    }
}

/// What can fail for reasons of the machine.
protocol ProblemReporter: AnyObject {
    /// `ipad-3`.
    var deviceName: String { get }
    /// The machine failed this iPad: a harness error, told to the World. Nothing that an app, a person or a fault can cause.
    func problem(_ what: String)
}

extension ProblemReporter {
    /// Does something that no app waits for, so that nobody can be told of its failure.
    ///
    /// - Parameter what: what it is for, as a noun; part of the problem when it fails.
    /// - Returns: false when it failed: the caller tries again later, or does without and says why it may. A failure of the machine is a
    ///   problem of the run too; a full disk, or a file that an app has put in the way, is none.
    @discardableResult func attempt(_ what: String, _ body: () throws -> Void) -> Bool {
        do {
            try body()
            return true
        } catch {
            if error.isOfMachine { problem("\(what) on \(deviceName): \(error)") }
            return false
        }
    }
}

/// One person's storage on one iPad: an encrypted volume of its own (shared-ipad.md 2).
final class Volume {
    let person: Person
    /// `person` is the name of a second account.
    let isSecond: Bool
    /// All of the person's files; app data, containers and the daemons' database lie in it.
    let disk: Disk
    /// The daemons' queues: one database a volume, tables prefixed by the service.
    let database: Database
    /// Files that are not of the default protection class (app-lifecycle.md 10).
    private(set) lazy var protection = FileProtection(database)
    /// Files that stay out of backups (app-lifecycle.md 13).
    private(set) lazy var exclusion = BackupExclusion(database) { [disk] in disk.status($0) != nil }

    init(person: Person, disk: Disk, database: Database) {
        self.person = person
        self.disk = disk
        self.database = database
        isSecond = false
    }
    /// A second account on a person's volume: queues of its own, and the same files.
    init(account: Person, on volume: Volume, database: Database) {
        person = account
        disk = volume.disk
        self.database = database
        isSecond = true
        (protection, exclusion) = (volume.protection, volume.exclusion)
    }
}
