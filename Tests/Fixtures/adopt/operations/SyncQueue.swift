import CloudKit
import Foundation
import SystemConfiguration

/// Every step of a sync is an operation; a queue runs them one by one.
class AsyncOperation: Operation {
    private let stateLock = NSRecursiveLock()
    private var _executing = false
    private var _finished = false

    override var isAsynchronous: Bool { true }
    override var isExecuting: Bool {
        stateLock.lock(); defer { stateLock.unlock() }
        return _executing
    }
    override var isFinished: Bool {
        stateLock.lock(); defer { stateLock.unlock() }
        return _finished
    }

    override func start() {
        if isCancelled { finish(); return }
        willChangeValue(forKey: "isExecuting")
        stateLock.lock(); _executing = true; stateLock.unlock()
        didChangeValue(forKey: "isExecuting")
        main()
    }

    func finish() {
        willChangeValue(forKey: #keyPath(Operation.isFinished))
        stateLock.lock(); _executing = false; _finished = true; stateLock.unlock()
        didChangeValue(forKey: #keyPath(Operation.isFinished))
    }
}

final class UploadOperation: AsyncOperation {
    let records: [CKRecord]
    let database: CKDatabase
    private(set) var failure: Error?

    init(records: [CKRecord], database: CKDatabase) {
        self.records = records
        self.database = database
        super.init()
        self.name = "upload"
        self.queuePriority = .high
    }

    override func main() {
        let modify = CKModifyRecordsOperation(recordsToSave: records, recordIDsToDelete: nil)
        modify.savePolicy = .ifServerRecordUnchanged
        modify.isAtomic = true
        modify.perRecordCompletionBlock = { record, error in
            if let error = error { NSLog("%@: %@", record.recordID.recordName, error.localizedDescription) }
        }
        modify.modifyRecordsCompletionBlock = { [weak self] _, _, error in
            self?.failure = error
            self?.finish()
        }
        modify.configuration.timeoutIntervalForRequest = 30
        modify.configuration.isLongLived = true
        database.add(modify)
    }
}

final class SyncQueue {
    private let queue = OperationQueue()
    private let isolation = DispatchQueue(label: "com.example.sync", attributes: .concurrent)
    private let group = DispatchGroup()
    private var timer: DispatchSourceTimer?
    private var lock = os_unfair_lock()
    private var pending: [CKRecord.ID: CKRecord] = [:]
    private let container = CKContainer(identifier: "iCloud.com.example.sync")

    init() {
        queue.maxConcurrentOperationCount = 1
        queue.qualityOfService = .utility
        queue.underlyingQueue = isolation
        schedule(every: 60)
    }

    func enqueue(_ record: CKRecord) {
        os_unfair_lock_lock(&lock)
        pending[record.recordID] = record
        os_unfair_lock_unlock(&lock)
        isolation.async(flags: .barrier) { self.flush() }
    }

    private func flush() {
        autoreleasepool {
            let upload = UploadOperation(records: Array(pending.values), database: container.privateCloudDatabase)
            let check = BlockOperation { [unowned upload] in
                if let error = upload.failure as? CKError, let after = error.retryAfterSeconds {
                    Thread.sleep(forTimeInterval: after)
                }
            }
            check.addDependency(upload)
            queue.addOperations([upload, check], waitUntilFinished: false)
        }
    }

    private func schedule(every seconds: Int) {
        let timer = DispatchSource.makeTimerSource(queue: isolation)
        timer.schedule(deadline: .now(), repeating: .seconds(seconds), leeway: .seconds(1))
        timer.setEventHandler { [weak self] in self?.flush() }
        timer.resume()
        self.timer = timer
    }

    func waitForAll() -> Bool {
        group.enter()
        queue.addBarrierBlock { self.group.leave() }
        return group.wait(timeout: .now() + .milliseconds(Int(2 * NSEC_PER_SEC / NSEC_PER_MSEC))) == .success
    }

    var isReachable: Bool {
        var flags = SCNetworkReachabilityFlags()
        guard let target = SCNetworkReachabilityCreateWithName(nil, "icloud.com") else { return false }
        SCNetworkReachabilityGetFlags(target, &flags)
        return flags.contains(.reachable)
    }

    static func measure(_ work: () -> Void) -> Double {
        let start = CFAbsoluteTimeGetCurrent()
        work()
        return CFAbsoluteTimeGetCurrent() - start
    }
}
