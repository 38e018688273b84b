import Foundation
import PadApp

/// A request with settings and callbacks. It starts when it is added to a database or container; there are no queues.
open class CKOperation: @unchecked Sendable {
    public typealias ID = String

    /// Names the operation for the system; unique for each operation of this person and app.
    public internal(set) lazy var operationID: ID = UUID().uuidString
    public var configuration: Configuration! = Configuration()
    /// Says what `configuration` does not.
    public var group: CKOperationGroup?
    public var isLongLived: Bool {
        get { configuration.isLongLived }
        set { configuration.isLongLived = newValue }
    }
    public var qualityOfService: QualityOfService {
        get { configuration.qualityOfService }
        set { configuration.qualityOfService = newValue }
    }
    public var timeoutIntervalForRequest: TimeInterval {
        get { configuration.timeoutIntervalForRequest }
        set { configuration.timeoutIntervalForRequest = newValue }
    }
    public var timeoutIntervalForResource: TimeInterval {
        get { configuration.timeoutIntervalForResource }
        set { configuration.timeoutIntervalForResource = newValue }
    }
    public var container: CKContainer? {
        get { configuration.container }
        set { configuration.container = newValue }
    }
    /// The system has taken the operation over: from now on it goes on without the app.
    public var longLivedOperationWasPersistedBlock: (() -> Void)?
    /// Called last.
    public var completionBlock: (() -> Void)?
    public var isCancelled: Bool { requests.isCancelled }
    public private(set) var isFinished = false

    public init() {}

    /// What was not sent is not sent any more; what was may still happen. Ends the operation with `operationCancelled`.
    public func cancel() { requests.cancel() }
    let requests = CloudRequests()

    /// What counts for this operation: its own words, else its group's, else the defaults.
    var settings: Configuration { configuration.over(group?.defaultConfiguration) }

    func start() {}
    /// Ends the operation once; false when it has ended already.
    func finish(_ callbacks: () -> Void) {
        guard !isFinished else { return }
        isFinished = true
        callbacks()
        completionBlock?()
    }
    /// What an operation's last callback is given.
    func result(_ error: (any Error)?) -> Result<Void, any Error> {
        if isCancelled { return .failure(Self.cancelled) }
        return error.map { .failure($0) } ?? .success(())
    }
    static var cancelled: CKError {
        CKError(.operationCancelled, message: "cancelled; what was sent may have happened")
    }
}

/// An operation on one database.
open class CKDatabaseOperation: CKOperation, @unchecked Sendable {
    public var database: CKDatabase?
    /// What the system keeps of an operation of an earlier launch (`ck.longLived`): ask for its results instead of sending.
    var kept: Value?

    /// The database's way to the daemon, with what counts for this operation.
    var link: CloudLink? {
        guard var link = database?.link else { return nil }
        link.settings = settings.members
        link.requests = requests
        return link
    }

    /// Sends the one message of an operation that may be long-lived, or asks for the results of an earlier launch.
    func ask(_ name: String, _ members: Value, answered: @escaping (Result<Value, CKError>) -> Void) {
        guard let link else { return }
        if kept != nil { return link.ask("ck.attach", op: operationID, answered: answered) }
        guard settings.isLongLived else { return link.ask(name, members, answered: answered) }
        if link.handOver(name, members, op: operationID, answered: answered) { longLivedOperationWasPersistedBlock?() }
    }
}
