import DeterministicRuntime
import Foundation
import Testing

@Suite("Timers and operations of an app", .timeLimit(.minutes(20))) struct DispatchTimerTests {
    @Test("Timer source: fires at its deadline and after each interval, says its data, and stops when it is cancelled")
    func source() {
        let lines = AppRun.lines { log in
            let queue = DispatchQueue(label: "school.timer")
            let timer = DispatchSource.makeTimerSource(queue: queue)
            timer.schedule(deadline: .now() + 3, repeating: 1)
            nonisolated(unsafe) var ticks = 0
            timer.setEventHandler {
                dispatchPrecondition(condition: .onQueue(queue))
                ticks += 1
                log.add("tick \(ticks) \(timer.data)")
                if ticks == 2 { timer.suspend() }
                if ticks == 3 { timer.cancel() }
            }
            timer.setCancelHandler { log.add("cancelled \(timer.isCancelled)") }
            timer.resume()
            DispatchQueue.main.asyncAfter(deadline: .now() + 7.5) { timer.resume() }
        }
        #expect(lines == ["3000 tick 1 1", "4000 tick 2 1", "7500 tick 3 3", "7500 cancelled true"])
    }

    @Test("Timers of a suspended app: what was missed is one event, and its clock is that of the first step afterwards")
    func suspended() {
        let run = AppRun()
        run.play(seconds: 0) { log in
            let timer = DispatchSource.makeTimerSource(queue: .global())
            timer.schedule(deadline: .now() + 0.001, repeating: .milliseconds(1))
            timer.setEventHandler { log.add("\(timer.data) ticks") }
            timer.resume()
            DispatchQueue.main.asyncAfter(deadline: .now() + 1) { log.add("after") }
        }
        run.loop.run(until: 3_600_000_500_000)
        #expect(run.log.lines == ["3600000 3600000 ticks", "3600000 after"])
        #expect(run.loop.nextTimer == 3_600_001_000_002)
    }

    @Test("Data: what was made outside of the app and what was made inside can be joined")
    func joined() {
        nonisolated(unsafe) var outside = [1, 2].withUnsafeBytes { DispatchData(bytes: $0) }
        outside.append([3].withUnsafeBytes { DispatchData(bytes: $0) })
        nonisolated(unsafe) let made = outside
        let lines = AppRun.lines { log in
            var data = [4].withUnsafeBytes { DispatchData(bytes: $0) }
            data.append(made)
            let numbers = Data(data).withUnsafeBytes { Array($0.bindMemory(to: Int.self)) }
            log.add("\(numbers)")
        }
        #expect(lines == ["0 [4, 1, 2, 3]"])
    }

    @Test("Data source: adds up what came since the last event")
    func data() {
        let lines = AppRun.lines { log in
            let source = DispatchSource.makeUserDataAddSource(queue: .main)
            source.setEventHandler { log.add("\(source.data)") }
            source.activate()
            source.add(data: 2)
            source.add(data: 3)
            DispatchQueue.main.asyncAfter(deadline: .now() + 1) { source.add(data: 4) }
        }
        #expect(lines == ["0 5", "1000 4"])
    }

    @Test("Operations: dependencies, a limit of how many run at a time, a barrier, and completion blocks")
    func operations() {
        let lines = AppRun.lines { log in
            let queue = OperationQueue()
            queue.maxConcurrentOperationCount = 2
            func operation(_ name: String, _ pause: Double) -> BlockOperation {
                BlockOperation {
                    Thread.sleep(forTimeInterval: pause)
                    log.add(name)
                }
            }
            let (a, b, c, d) = (operation("a", 2), operation("b", 1), operation("c", 1), operation("d", 0))
            d.addDependency(a)
            d.completionBlock = { DispatchQueue.main.async { log.add("d is complete") } }
            queue.addOperations([d, a, b, c], waitUntilFinished: false)
            queue.addBarrierBlock { log.add("barrier") }
            OperationQueue.main.addOperation { log.add("main operation \(Thread.isMainThread)") }
        }
        #expect(
            lines == [
                "0 main operation true", "1000 b", "2000 a", "2000 d", "2000 d is complete", "2000 c", "2000 barrier",
            ])
    }

    @Test(
        "Operations: an asynchronous one, and waiting until all are finished in the background and on the main thread")
    func asynchronous() {
        let lines = AppRun.lines { log in
            let queue = OperationQueue()
            let slow = SlowOperation(log: log)
            let after = BlockOperation { log.add("after") }
            after.addDependency(slow)
            queue.addOperations([after, slow], waitUntilFinished: true)
            log.add("main goes on")
            DispatchQueue.global().async {
                queue.addOperation { Thread.sleep(forTimeInterval: 1) }
                queue.waitUntilAllOperationsAreFinished()
                log.add("all are finished")
            }
        }
        #expect(lines == ["2000 slow", "2000 after", "2000 main goes on", "3000 all are finished"])
    }

    @Test("Swift's own concurrency and Dispatch: continuations, sleeps and queues on one loop, the same in every run")
    func mixed() {
        func once() -> [String] {
            AppRun.lines { log in
                let serial = DispatchQueue(label: "school.mixed")
                Task.detached {
                    await withCheckedContinuation { done in serial.asyncAfter(deadline: .now() + 1) { done.resume() } }
                    log.add("resumed")
                    try? await Task.sleep(for: .seconds(1))
                    log.add("slept \(Int.random(in: 0..<1_000_000))")
                }
                // The classic mistake: a task that waits for a callback. It holds up itself only.
                Task.detached {
                    blockingWait(serial)
                    log.add("waited")
                }
                for number in 0..<3 {
                    serial.async { Task { @MainActor in log.add("task \(number)") } }
                }
            }
        }
        let first = once()
        #expect(first.map { $0.split(separator: " ")[1] } == ["task", "task", "task", "resumed", "waited", "slept"])
        for _ in 0..<100 { #expect(once() == first) }
    }
}

private func blockingWait(_ queue: DispatchQueue) {
    let came = DispatchSemaphore(value: 0)
    queue.asyncAfter(deadline: .now() + 1.5) { came.signal() }
    came.wait()
}

/// Asynchronous as operations of CloudKit are.
private final class SlowOperation: Operation, @unchecked Sendable {
    private var (isUnderWay, isDone) = (false, false)
    private let log: Log
    init(log: Log) { self.log = log }
    override var isAsynchronous: Bool { true }
    override var isExecuting: Bool { isUnderWay }
    override var isFinished: Bool { isDone }
    override func start() {
        willChangeValue(forKey: "isExecuting")
        isUnderWay = true
        didChangeValue(forKey: "isExecuting")
        DispatchQueue.global().asyncAfter(deadline: .now() + 2) { [self] in
            log.add("slow")
            willChangeValue(forKey: "isExecuting")
            willChangeValue(forKey: "isFinished")
            (isUnderWay, isDone) = (false, true)
            didChangeValue(forKey: "isFinished")
            didChangeValue(forKey: "isExecuting")
        }
    }
}
