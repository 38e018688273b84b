import Foundation

/// An operation that is finished when its callback has come.
class AsynchronousOperation: Operation, @unchecked Sendable {
    private let lock = NSLock()
    private var (isUnderWay, isDone) = (false, false)
    override var isAsynchronous: Bool { true }
    override var isExecuting: Bool { lock.withLock { isUnderWay } }
    override var isFinished: Bool { lock.withLock { isDone } }

    override func start() {
        guard !isCancelled else { return finish() }
        willChangeValue(forKey: "isExecuting")
        lock.withLock { isUnderWay = true }
        didChangeValue(forKey: "isExecuting")
        begin()
    }
    /// What the operation does; it calls `finish` in the end.
    func begin() {}
    func finish() {
        willChangeValue(forKey: "isExecuting")
        willChangeValue(forKey: "isFinished")
        lock.withLock { (isUnderWay, isDone) = (false, true) }
        didChangeValue(forKey: "isFinished")
        didChangeValue(forKey: "isExecuting")
    }
}

final class SendOperation: AsynchronousOperation, @unchecked Sendable {
    private let (key, text): (String, String)
    private let send: QueueSync.Send
    private(set) var hasArrived = false
    init(_ key: String, _ text: String, send: @escaping QueueSync.Send) {
        (self.key, self.text, self.send) = (key, text, send)
    }
    override func begin() {
        send(key, text) { [self] arrived in
            hasArrived = arrived
            finish()
        }
    }
}

/// Sync with operations: prepare, send, report, each dependent on the one before; two changes at a time.
final class OperationSync: @unchecked Sendable {
    private let queue: OperationQueue = {
        let queue = OperationQueue()
        queue.name = "com.example.operations.sync"
        queue.maxConcurrentOperationCount = 2
        queue.qualityOfService = .utility
        return queue
    }()
    private let send: QueueSync.Send
    init(send: @escaping QueueSync.Send) { self.send = send }

    func add(_ key: String, _ text: String, completion: @escaping @Sendable (Bool) -> Void) {
        let prepare = BlockOperation { Thread.sleep(forTimeInterval: 0.05) }
        let sending = SendOperation(key, text, send: send)
        let report = BlockOperation { completion(sending.hasArrived) }
        sending.addDependency(prepare)
        report.addDependency(sending)
        queue.addOperations([report, sending, prepare], waitUntilFinished: false)
    }
    /// Blocks until everything is sent: for a background thread.
    func waitUntilAllAreSent() { queue.waitUntilAllOperationsAreFinished() }
}
