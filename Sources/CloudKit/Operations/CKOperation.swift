import Foundation
import PadApp

/// A request with settings and callbacks. It starts when it is added to a database, a container or an `OperationQueue`, and all its
/// dependencies have ended.
///
/// Foundation's `Operation`, so that dependencies, priorities and queues are Foundation's own. What a database or container is given starts
/// without a queue (decision 0020).
open class CKOperation: Operation, @unchecked Sendable {
    /// A name of an operation; a UUID's text here.
    public typealias ID = String

    /// Names the operation for the system; unique for each operation of this person and app.
    public internal(set) lazy var operationID: ID = UUID().uuidString
    /// What this operation says of its own. Set it before the operation starts.
    public var configuration: Configuration! = Configuration()
    /// Says what `configuration` does not.
    public var group: CKOperationGroup?
    /// The system has taken the operation over: from now on it goes on without the app.
    public var longLivedOperationWasPersistedBlock: (() -> Void)?
    /// Called last.
    open override var completionBlock: (@Sendable () -> Void)? {
        get { lastBlock }
        // Not Foundation's, which would call it on a queue, and after those that depend on the operation.
        set { lastBlock = newValue }
    }
    private var lastBlock: (@Sendable () -> Void)?

    private enum Phase { case waiting, executing, finished }
    private var phase = Phase.waiting
    /// What waits for the end of this operation.
    private var followers: [() -> Void] = []
    let requests = CloudRequests()

    public override init() { super.init() }
    /// Counts the operations of a launch.
    private let number = AppLink.ifRunning.map { $0.singleton { OperationCounter() }.next() } ?? 0
    // Foundation's own would be an address, which is another one in each run.
    open override var hash: Int { number }
    open override var description: String { "<\(type(of: self)): \(number)>" }

    // MARK: Settings

    /// `configuration.isLongLived`.
    public var isLongLived: Bool {
        get { configuration.isLongLived }
        set { configuration.isLongLived = newValue }
    }
    open override var qualityOfService: QualityOfService {
        get { configuration.qualityOfService }
        set { configuration.qualityOfService = newValue }
    }
    /// `configuration.timeoutIntervalForRequest`, in seconds.
    public var timeoutIntervalForRequest: TimeInterval {
        get { configuration.timeoutIntervalForRequest }
        set { configuration.timeoutIntervalForRequest = newValue }
    }
    /// `configuration.timeoutIntervalForResource`, in seconds.
    public var timeoutIntervalForResource: TimeInterval {
        get { configuration.timeoutIntervalForResource }
        set { configuration.timeoutIntervalForResource = newValue }
    }
    /// `configuration.allowsCellularAccess`.
    public var allowsCellularAccess: Bool {
        get { configuration.allowsCellularAccess }
        set { configuration.allowsCellularAccess = newValue }
    }
    /// `configuration.container`.
    public var container: CKContainer? {
        get { configuration.container }
        set { configuration.container = newValue }
    }
    /// What counts for this operation: its own words, else its group's, else the defaults.
    var settings: Configuration { configuration.over(group?.defaultConfiguration) }

    // MARK: Life

    open override var isAsynchronous: Bool { true }
    open override var isExecuting: Bool { phase == .executing }
    open override var isFinished: Bool { phase == .finished }

    /// What was not sent is not sent any more; what was may still happen. Ends the operation with `operationCancelled`.
    open override func cancel() {
        super.cancel()
        requests.cancel()
    }
    /// For queues. A cancelled operation starts too, and ends with `operationCancelled`.
    open override func start() {
        guard phase == .waiting else { return }
        change("isExecuting") { phase = .executing }
        begin()
    }
    /// Starts when the operations that it depends on have ended, also without a queue. One that is not CloudKit's tells only a queue of its
    /// end.
    func startWhenReady() {
        let awaited = dependencies.filter { !$0.isFinished }
        guard let next = awaited.first else { return start() }
        if let next = next as? CKOperation {
            next.followers.append { self.startWhenReady() }
        } else {
            AppLink.current.singleton { OperationQueue() }.addOperation(self)
        }
    }
    /// What the operation does, up to `finish`.
    func begin() { finish {} }
    /// Ends the operation once; does nothing when it has ended already.
    func finish(_ callbacks: () -> Void) {
        guard phase != .finished else { return }
        callbacks()
        change("isExecuting") { change("isFinished") { phase = .finished } }
        lastBlock?()
        let waiting = followers
        followers = []
        for follower in waiting { follower() }
    }
    /// Tells queues and those that depend on this operation.
    private func change(_ key: String, _ body: () -> Void) {
        willChangeValue(forKey: key)
        body()
        didChangeValue(forKey: key)
    }

    static var cancelled: CKError {
        CKError(.operationCancelled, message: "cancelled; what was sent may have happened")
    }
}

/// Numbers the operations of a launch.
private final class OperationCounter {
    private var count = 0
    func next() -> Int {
        count += 1
        return count
    }
}

/// An operation on one database.
open class CKDatabaseOperation: CKOperation, @unchecked Sendable {
    /// Nil until it is added: then the one it was added to. In a queue it is the private one of the operation's container.
    public var database: CKDatabase?
    /// What the system keeps of an operation of an earlier launch (`ck.longLived`): ask for its results instead of sending.
    var kept: Value?

    open override func start() {
        if database == nil { database = (settings.container ?? .default()).privateCloudDatabase }
        super.start()
    }

    /// The database's way to the daemon, with what counts for this operation.
    var link: CloudLink? {
        guard var link = database?.link else { return nil }
        link.settings = settings.over(database?.configuration).members
        link.requests = requests
        return link
    }

    /// Sends the one message of an operation that may be long-lived, or asks for the results of an earlier launch.
    func ask(_ name: String, _ members: Value, answered: @escaping (Result<Value, CKError>) -> Void) {
        guard let link else { return }
        if kept != nil { return link.ask(RecordMessages.Attach.name, op: operationID, answered: answered) }
        guard settings.isLongLived else { return link.ask(name, members, answered: answered) }
        if link.handOver(name, members, op: operationID, answered: answered) { longLivedOperationWasPersistedBlock?() }
    }
}
