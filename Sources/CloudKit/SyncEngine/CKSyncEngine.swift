import Foundation
import PadApp
import Ubiquity

/// Keeps the records of an app and of a database in step: it subscribes, fetches, sends, tries again, and tells its delegate.
///
/// Built on the database's own requests (`CKSyncEngine+Fetch.swift`, `CKSyncEngine+Send.swift`); what it knows is `SyncState`, when it acts
/// `SyncSchedule`. Events come one after the other, and a sync waits for the one before it. Source: CKSyncEngine; cloudkit-framework.md 17.
public final class CKSyncEngine: @unchecked Sendable {
    /// What an engine is made with. Make it at every launch, before the app's own work.
    public struct Configuration: Sendable {
        /// The database to keep in step; a public one traps.
        public var database: CKDatabase
        /// From the last `stateUpdate`; nil the first time.
        public var stateSerialization: State.Serialization?
        /// Held for the engine's whole life.
        public var delegate: any CKSyncEngineDelegate
        /// False: nothing is fetched and sent but by `fetchChanges` and `sendChanges`.
        public var automaticallySync = true
        /// Name of a database subscription that the app has already; nil: the engine makes its own.
        public var subscriptionID: CKSubscription.ID?

        /// With automatic sync, and a subscription of the engine's own.
        public init(
            database: CKDatabase, stateSerialization: State.Serialization?, delegate: any CKSyncEngineDelegate
        ) {
            self.database = database
            self.stateSerialization = stateSerialization
            self.delegate = delegate
        }
    }

    /// The database of its configuration.
    public var database: CKDatabase { configuration.database }
    /// What has to be sent and how far it has fetched: the app adds its changes here.
    public let state: State
    let configuration: Configuration
    private let turns = SyncTurns()
    private var schedule = SyncSchedule()
    /// Cancels the syncs that are called for from now on, and those before them until `cancelOperations`.
    private var requests = CloudRequests()
    /// The same of the sync whose turn it is.
    private var current = CloudRequests()
    /// The task that is in the delegate.
    private var handler: Int?
    /// How many events with fetched changes the delegate has had.
    var fetchedEvents = 0

    /// Traps for a public database, which has no changes to fetch.
    public init(_ configuration: Configuration) {
        precondition(
            configuration.database.databaseScope != .public,
            "CKSyncEngine syncs a private or shared database; fetch a public one with CKQueryOperation")
        self.configuration = configuration
        state = State(configuration.stateSerialization)
        state.engine = self
        listen()
        if configuration.automaticallySync { want(state.value.hasPendingChanges ? [.fetch, .send] : .fetch) }
    }

    private func listen() {
        let link = AppLink.current
        link.listen(AppMessages.IdentityChanged.name) { [weak self] _ in self?.accountMayHaveChanged() }
        guard configuration.automaticallySync else { return }
        // A push may be lost: an app that comes to the screen looks (ASSUMED).
        link.listen(AppMessages.DidBecomeActive.name) { [weak self] _ in self?.want(.fetch) }
        link.singleton { PushWork() }.add { [weak self] payload in await self?.pushed(payload) ?? false }
    }

    // MARK: By hand

    /// Fetches what changed, and returns when the delegate has dealt with it.
    /// - Throws: the first error; what was fetched before it is done.
    public func fetchChanges(_ options: FetchChangesOptions = FetchChangesOptions()) async throws {
        try await inTurn {
            try await self.lookAtAccount()
            try await self.fetch(options, .manual)
        }
    }
    /// Sends what is pending, and returns when the delegate has dealt with the answers.
    /// - Throws: the error that made the engine stop. A change that the server refused does not; the delegate hears of it.
    public func sendChanges(_ options: SendChangesOptions = SendChangesOptions()) async throws {
        try await inTurn {
            try await self.lookAtAccount()
            try await self.send(options, .manual)
        }
    }
    /// Ends what is on its way with `operationCancelled`; pending changes stay.
    public func cancelOperations() async {
        schedule.clear()
        requests.cancel()
        requests = CloudRequests()
        guard !isInDelegate else { return }
        await turns.take()
        turns.leave()
    }

    private func inTurn(_ body: () async throws -> Void) async throws {
        guard !isInDelegate else {
            throw CKError(
                .invalidArguments,
                message:
                    "fetchChanges and sendChanges cannot be called from the delegate, which they wait for; begin a Task"
            )
        }
        let mine = requests
        await turns.take()
        defer { turns.leave() }
        current = mine
        try await body()
    }
    private var isInDelegate: Bool { handler != nil && handler == Self.currentTask }
    private static var currentTask: Int? { withUnsafeCurrentTask { $0?.hashValue } }

    // MARK: By itself

    /// The app added or removed something: its delegate gets the state, and a sync is due.
    func stateWasChangedByApp() {
        if configuration.automaticallySync, state.value.hasPendingChanges { want(.send) }
        guard state.isChanged else { return }
        Task { try? await inTurn { await self.deliverState() } }
    }
    private func want(_ work: SyncSchedule.Work) {
        if let timer = schedule.want(work) { sync(after: timer) }
    }
    private func sync(after timer: SyncSchedule.Timer) {
        Task { [weak self] in
            try? await Task.sleep(for: timer.pause)
            await self?.syncNow { $0.take(timer) }
        }
    }
    /// - Parameter take: takes the work when it is the sync's turn: the one before it may have failed, and then there is a pause.
    private func syncNow(_ take: (inout SyncSchedule) -> SyncSchedule.Work) async {
        try? await inTurn {
            var work = take(&self.schedule)
            guard !work.isEmpty else { return }
            do {
                try await self.sync(&work)
                self.schedule.succeeded()
            } catch {
                if let timer = self.schedule.failed(work, CKError(error)) { self.sync(after: timer) }
            }
        }
    }
    /// - Parameter work: loses what is done.
    private func sync(_ work: inout SyncSchedule.Work) async throws {
        try await lookAtAccount()
        try await subscribe()
        if work.contains(.fetch) {
            do { try await fetch(FetchChangesOptions(), .scheduled) } catch {
                let error = CKError(error)
                // What only the app or the account can change, like a zone that is gone, keeps nothing back that can be sent.
                if SyncFailure.isRetried(error) { throw error }
            }
        }
        work.remove(.fetch)
        try checkCancelled()
        if work.contains(.send) { try await send(SendChangesOptions(), .scheduled) }
    }
    /// - Throws: `operationCancelled` when `cancelOperations` was called since this sync was.
    func checkCancelled() throws {
        if current.isCancelled { throw CKOperation.cancelled }
    }
    /// - Returns: whether something new came.
    private func pushed(_ payload: Value) async -> Bool {
        guard let push = CKNotification(fromRemoteNotificationDictionary: payload),
            push.containerIdentifier == nil || push.containerIdentifier == database.link.container
        else { return false }
        let before = fetchedEvents
        await SyncLimit.wait(Self.pushTime) { await self.syncNow { $0.takeAtPush() } }
        return fetchedEvents > before
    }
    /// Below the 30 s that the system gives for a push (app-lifecycle.md 3): a fetch that takes longer goes on without it.
    private static let pushTime = Duration.seconds(20)
    /// A silent push for each change of the database, under one name on all of the person's devices.
    /// - Throws: `operationCancelled` only.
    private func subscribe() async throws {
        guard !state.value.hasSubscription, database.databaseScope == .private else { return }
        let name = configuration.subscriptionID ?? "cksyncengine-private-database"
        let subscription = CKDatabaseSubscription(subscriptionID: name)
        subscription.notificationInfo = CKSubscription.NotificationInfo(shouldSendContentAvailable: true)
        do {
            try await database.save(subscription, by: link(nil))
            state.change { $0.hasSubscription = true }
        } catch {
            // Without it changes come at the next launch; it is tried again with the next sync.
        }
        try checkCancelled()
    }

    // MARK: The account

    private func accountMayHaveChanged() {
        if configuration.automaticallySync { return want(state.value.hasPendingChanges ? [.fetch, .send] : .fetch) }
        Task { try? await inTurn { try await self.lookAtAccount() } }
    }
    /// Tells the delegate when another person is signed in than before, or nobody.
    /// - Throws: `notAuthenticated` when nobody is, `operationCancelled`.
    private func lookAtAccount() async throws {
        var missing: CKError?
        var user: String?
        do {
            user = try await CKContainer.userRecordID(by: link(nil)).recordName
        } catch let error as CKError {
            switch error.code {
            case .operationCancelled: throw error
            case .notAuthenticated, .managedAccountRestricted: missing = error
            // Nobody can say: the account that was there is taken to be there.
            default:
                if state.value.user == nil { throw error }
                return try checkCancelled()
            }
        }
        if let change = state.change({ $0.learn(user: user) }) {
            await deliver(.accountChange(Event.AccountChange(changeType: .init(change))))
            await deliverState()
        }
        if let missing { throw missing }
        try checkCancelled()
    }

    // MARK: The delegate

    func deliver(_ event: Event) async {
        await asDelegate { await self.configuration.delegate.handleEvent(event, syncEngine: self) }
    }
    /// Gives the delegate the state when it is another than the one it has.
    func deliverState() async {
        guard state.isChanged else { return }
        await deliver(.stateUpdate(Event.StateUpdate(stateSerialization: state.taken())))
    }
    func asDelegate<T>(_ body: () async -> T) async -> T {
        handler = Self.currentTask
        defer { handler = nil }
        return await body()
    }

    /// The database's way to the daemon, with the settings of a sync.
    func link(_ group: CKOperationGroup?) -> CloudLink {
        var link = database.link
        if let settings = group?.defaultConfiguration { link.settings = settings.over(database.configuration).members }
        link.requests = current
        return link
    }
}

extension CKSyncEngine.Event.AccountChange.ChangeType {
    init(_ change: SyncState.AccountChange) {
        func id(_ name: String) -> CKRecord.ID { CKRecord.ID(recordName: name) }
        switch change {
        case .signIn(let user): self = .signIn(currentUser: id(user))
        case .signOut(let user): self = .signOut(previousUser: id(user))
        case .switchAccounts(let before, let now):
            self = .switchAccounts(previousUser: id(before), currentUser: id(now))
        }
    }
}
