import CDispatchLoop
import DeterministicRuntime
import Foundation
import Testing

@Suite("Waits of Dispatch", .serialized, .timeLimit(.minutes(20))) struct DispatchWaitTests {
    @Test("Semaphores: waits end in the order of their signals, not of their beginnings, and last many steps")
    func anyOrder() {
        let lines = AppRun.lines { log in
            let first = DispatchSemaphore(value: 0)
            let second = DispatchSemaphore(value: 0)
            DispatchQueue(label: "school.first").async {
                first.wait()
                log.add("first came")
                second.signal()
            }
            DispatchQueue(label: "school.second").async {
                DispatchQueue.global().asyncAfter(deadline: .now() + 1) { first.signal() }
                second.wait()
                log.add("second came")
            }
            DispatchQueue.global().async {
                let own = DispatchSemaphore(value: 0)
                DispatchQueue.global().asyncAfter(deadline: .now() + 3) { own.signal() }
                own.wait()
                log.add("third came")
            }
        }
        #expect(lines == ["1000 first came", "1000 second came", "3000 third came"])
    }

    @Test("Semaphore: counts, hands each signal to the longest waiter, and times out in virtual time")
    func semaphore() {
        let lines = AppRun.lines { log in
            let two = DispatchSemaphore(value: 2)
            for number in 1...4 {
                DispatchQueue.global().async {
                    two.wait()
                    Thread.sleep(forTimeInterval: 1)
                    log.add("\(number)")
                    two.signal()
                }
            }
            DispatchQueue.global().asyncAfter(deadline: .now() + 10) {
                let none = DispatchSemaphore(value: 0)
                log.add("\(none.wait(timeout: .now() + 0.25) == .timedOut)")
                DispatchQueue.global().asyncAfter(deadline: .now() + 1) { none.signal() }
                log.add("\(none.wait(timeout: .now() + 5) == .success)")
                log.add("\(none.wait(wallTimeout: .now() + 1) == .timedOut)")
            }
        }
        #expect(
            lines == [
                "1000 1", "1000 2", "2000 3", "2000 4", "10250 true", "11250 true", "12250 true",
            ])
    }

    @Test("Main thread: blocked, it runs nothing; what waits for it goes on when it is free again")
    func blockedMain() {
        let lines = AppRun.lines { log in
            let answer = DispatchSemaphore(value: 0)
            DispatchQueue.main.async { log.add("main queue") }
            Task { @MainActor in log.add("main actor") }
            DispatchQueue.global().async {
                log.add("background")
                DispatchQueue.global().asyncAfter(deadline: .now() + 2) { answer.signal() }
                DispatchQueue.main.sync { log.add("main.sync") }
            }
            answer.wait()
            log.add("main goes on \(Thread.isMainThread)")
        }
        #expect(
            lines == [
                "0 background", "2000 main goes on true", "2000 main queue", "2000 main actor", "2000 main.sync",
            ])
    }

    @Test("Group: wait and notify come when all have left, by enter and leave as by async; a wait can time out")
    func group() {
        let lines = AppRun.lines { log in
            let group = DispatchGroup()
            for number in 1...2 {
                DispatchQueue.global().async(group: group) {
                    Thread.sleep(forTimeInterval: Double(number))
                    log.add("\(number)")
                }
            }
            group.enter()
            DispatchQueue.global().asyncAfter(deadline: .now() + 3) {
                log.add("leaves")
                group.leave()
            }
            group.notify(queue: .main) { log.add("notified") }
            DispatchQueue.global().async {
                log.add("\(group.wait(timeout: .now() + 0.5) == .timedOut)")
                group.wait()
                log.add("waited")
                group.notify(queue: .main) { log.add("at once") }
            }
        }
        #expect(
            lines == [
                "500 true", "1000 1", "2000 2", "3000 leaves", "3000 waited", "3000 notified", "3000 at once",
            ])
    }

    @Test(
        "Work item: runs once it is put on a queue, can be waited for, notifies, and is dropped when cancelled before")
    func workItem() {
        let lines = AppRun.lines { log in
            let queue = DispatchQueue(label: "school.items")
            let item = DispatchWorkItem {
                Thread.sleep(forTimeInterval: 1)
                log.add("ran")
            }
            item.notify(queue: .main) { log.add("notified") }
            queue.async(execute: item)
            let dropped = DispatchWorkItem { log.add("must not run") }
            DispatchQueue.main.asyncAfter(deadline: .now() + 2, execute: dropped)
            dropped.cancel()
            log.add("\(item.wait(timeout: .now() + 0.1) == .timedOut) \(dropped.isCancelled)")
            item.wait()
            log.add("waited")
            let barrier = DispatchWorkItem(flags: .barrier) { log.add("barrier") }
            let wide = DispatchQueue(label: "school.wide", attributes: .concurrent)
            wide.async {
                Thread.sleep(forTimeInterval: 1)
                log.add("before")
            }
            wide.async(execute: barrier)
        }
        #expect(
            lines == ["100 true true", "1000 ran", "1000 waited", "1000 notified", "2000 before", "2000 barrier"])
    }

    @Test("Locks: held across a wait they hold up others; a condition is waited for in virtual time")
    func locks() {
        let lines = AppRun.lines { log in
            let lock = NSLock()
            DispatchQueue.global().async {
                lock.lock()
                Thread.sleep(forTimeInterval: 1)
                log.add("unlocks")
                lock.unlock()
            }
            DispatchQueue.global().async { lock.withLock { log.add("locked after") } }
            let condition = NSCondition()
            nonisolated(unsafe) var isReady = false
            DispatchQueue.global().async {
                condition.lock()
                while !isReady { condition.wait() }
                log.add("condition came")
                condition.unlock()
            }
            DispatchQueue.global().async {
                condition.lock()
                log.add("\(condition.wait(until: Date(timeIntervalSinceNow: 0.5)))")
                condition.unlock()
            }
            DispatchQueue.main.asyncAfter(deadline: .now() + 2) {
                condition.lock()
                isReady = true
                condition.broadcast()
                condition.unlock()
            }
        }
        #expect(lines == ["500 false", "1000 unlocks", "1000 locked after", "2000 condition came"])
    }

    @Test("A lock for readers and writers: a writer waits for the readers, others for the writer")
    func readersAndWriters() {
        let lines = AppRun.lines { log in
            nonisolated(unsafe) let lock = UnsafeMutablePointer<pthread_rwlock_t>.allocate(capacity: 1)
            pthread_rwlock_init(lock, nil)
            for number in 1...2 {
                DispatchQueue.global().async {
                    pthread_rwlock_rdlock(lock)
                    Thread.sleep(forTimeInterval: Double(number))
                    log.add("read \(number)")
                    pthread_rwlock_unlock(lock)
                }
            }
            DispatchQueue.global().async {
                pthread_rwlock_wrlock(lock)
                Thread.sleep(forTimeInterval: 1)
                log.add("written")
                pthread_rwlock_unlock(lock)
            }
            DispatchQueue.global().asyncAfter(deadline: .now() + 2.5) {
                pthread_rwlock_rdlock(lock)
                log.add("read after")
                pthread_rwlock_unlock(lock)
            }
        }
        #expect(lines == ["1000 read 1", "2000 read 2", "3000 written", "3000 read after"])
    }

    @Test("Kill: waits of an ended loop never go on, and after many of them no thread is left over")
    func kill() {
        func killed() -> [String] {
            let run = AppRun()
            run.play(seconds: 1) { log in
                for _ in 0..<3 {
                    DispatchQueue.global().async {
                        DispatchSemaphore(value: 0).wait()
                        log.add("must not go on")
                    }
                }
                DispatchQueue.global().async {
                    Thread.sleep(forTimeInterval: 60)
                    log.add("must not go on")
                }
                DispatchSemaphore(value: 0).wait()
                log.add("must not go on")
            }
            #expect(run.loop.waiting == 5)
            run.loop.end()
            run.loop.run(until: run.loop.now + 100_000_000_000)
            return run.log.lines
        }
        func threads() throws -> Int { try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count }
        #expect(killed() == [])
        let (before, abandoned) = (hd_stacks(), hd_abandoned())
        for _ in 0..<200 { #expect(killed() == []) }
        #expect(hd_abandoned() >= abandoned + 1000)
        // Other suites may run loops of their own at the same time.
        #expect(hd_stacks() <= before + 16, "\(before) stacks before, \(hd_stacks()) after 200 kills")
    }

    @Test("Kill: what was never begun is released with what it holds")
    func released() {
        final class Held: Sendable {}
        weak var held: Held?
        let run = AppRun()
        do {
            let made = Held()
            held = made
            run.play(seconds: 1) { _ in
                let queue = DispatchQueue(label: "school.held")
                queue.suspend()
                queue.async { _ = made }
                DispatchQueue.main.asyncAfter(deadline: .now() + 50) { _ = made }
            }
        }
        #expect(held != nil)
        run.loop.end()
        #expect(held == nil)
    }
}
