import CloudKit
import FleetModel
import PadApp
import Testing

/// `CKOperation` as Foundation's `Operation`. Queues run on the app's loop, like the app (decision 0019).
@Suite("CKOperation and Operation", .timeLimit(.minutes(20))) struct OperationQueueTests {
    @MainActor private static func save(_ name: String, _ story: Story) -> CKModifyRecordsOperation {
        let operation = CKModifyRecordsOperation(recordsToSave: [record(name)])
        operation.modifyRecordsResultBlock = { result in
            if case .success = result { story.add("saved \(name)") } else { story.add("failed \(name)") }
        }
        return operation
    }

    @Test("It is an Operation: state, priority, name, dependencies; finished only after its blocks")
    func states() {
        let pad = ScriptedPad { savesAll($0) }
        let story = Story()
        pad.run {
            let operation = CKModifyRecordsOperation(recordsToSave: [record()])
            let plain: Operation = operation
            plain.name = "first"
            plain.queuePriority = .high
            #expect(plain.isReady && !plain.isExecuting && !plain.isFinished && plain.isAsynchronous)
            operation.modifyRecordsResultBlock = { _ in
                story.add("block \(operation.isExecuting) \(operation.isFinished)")
            }
            await withCheckedContinuation { continuation in
                plain.completionBlock = {
                    story.add("completion \(operation.isExecuting) \(operation.isFinished)")
                    continuation.resume()
                }
                database.add(operation)
                story.add("added \(operation.isExecuting)")
            }
            // Started once more it does nothing.
            plain.start()
        }
        #expect(story.lines == ["added true", "block true false", "completion false true"] && pad.asked.count == 1)
    }

    @Test("Dependencies: an operation starts when those before it have ended, also one that failed")
    func dependencies() {
        let pad = ScriptedPad { message in
            message["save"]?.array?.first?["recordName"] == "n1" ? ["error": failure(4)] : savesAll(message)
        }
        let story = Story()
        pad.run {
            let operations = ["n1", "n2", "n3"].map { Self.save($0, story) }
            operations[2].addDependency(operations[1])
            operations[2].addDependency(operations[0])
            operations[1].addDependency(operations[0])
            await withCheckedContinuation { continuation in
                operations[2].completionBlock = { continuation.resume() }
                for operation in operations.reversed() { database.add(operation) }
                #expect(!operations[1].isReady && !operations[1].isExecuting)
            }
        }
        #expect(story.lines == ["failed n1", "saved n2", "saved n3"])
        #expect(pad.asked.map { $0["save"]?.array?.first?["recordName"] } == ["n1", "n2", "n3"])
    }

    @Test(
        "In a queue it is the queue that starts it, after what it depends on: on the private database of its container")
    func queue() {
        let pad = ScriptedPad { savesAll($0) }
        let story = Story()
        pad.run {
            let own = Self.save("n1", story)
            let other = Self.save("n2", story)
            other.container = CKContainer(identifier: "iCloud.com.example.other")
            let queue = OperationQueue()
            queue.maxConcurrentOperationCount = 1
            let prepare = BlockOperation { story.add("prepared") }
            own.addDependency(prepare)
            other.addDependency(own)
            await withCheckedContinuation { continuation in
                let report = BlockOperation {
                    story.add("reported \(own.isFinished) \(other.isFinished)")
                    continuation.resume()
                }
                report.addDependency(other)
                queue.addOperations([report, other, own, prepare], waitUntilFinished: false)
            }
        }
        #expect(story.lines == ["prepared", "saved n1", "saved n2", "reported true true"])
        #expect(
            pad.asked.map { $0["container"] } == ["iCloud.com.example.notebook", "iCloud.com.example.other"])
        #expect(pad.asked.allSatisfy { $0["database"] == "private" })
    }

    @Test("Cancelled before its turn: it ends with its error, and those that wait for it go on")
    func cancelled() {
        let pad = ScriptedPad { savesAll($0) }
        let story = Story()
        pad.run {
            let (first, second) = (Self.save("n1", story), Self.save("n2", story))
            second.addDependency(first)
            first.cancel()
            #expect(first.isCancelled && !first.isFinished)
            await withCheckedContinuation { continuation in
                second.completionBlock = { continuation.resume() }
                database.add(second)
                database.add(first)
            }
        }
        #expect(story.lines == ["failed n1", "saved n2"])
    }

    @Test("No thread is started by any of it")
    func threads() throws {
        let before = try Foundation.FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count
        let pad = ScriptedPad { savesAll($0) }
        pad.run {
            let story = Story()
            for number in 0..<50 {
                let (first, second) = (Self.save("a\(number)", story), Self.save("b\(number)", story))
                second.addDependency(first)
                database.add(second)
                database.add(first)
                second.cancel()
            }
        }
        let after = try Foundation.FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count
        // Other tests run at the same time; a hundred operations on queues would be dozens of threads.
        #expect(after - before < 12, "\(before) threads before, \(after) after")
    }
}
