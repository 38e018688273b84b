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

    @Test("Locks: a thread outside of the app that reads is waited for as everywhere")
    func readerOutside() {
        nonisolated(unsafe) let lock = UnsafeMutablePointer<pthread_rwlock_t>.allocate(capacity: 1)
        pthread_rwlock_init(lock, nil)
        pthread_rwlock_rdlock(lock)
        let thread = Thread {
            usleep(200_000)
            pthread_rwlock_unlock(lock)
        }
        thread.start()
        let lines = AppRun.lines { log in
            pthread_rwlock_wrlock(lock)
            log.add("written")
            pthread_rwlock_unlock(lock)
        }
        #expect(lines == ["0 written"])
    }

    @Test(
        "Locks: one that another app holds in a wait, or held when it was killed, ends the run",
        arguments: [false, true])
    func heldElsewhere(isKilled: Bool) async {
        await #expect(processExitsWith: .failure) { [isKilled] in
            let lock = NSLock()
            let (first, second) = (AppRun(), AppRun())
            first.play(seconds: 1) { _ in
                DispatchQueue.global().async {
                    lock.lock()
                    Thread.sleep(forTimeInterval: 60)
                    lock.unlock()
                }
            }
            if isKilled { first.loop.end() }
            second.play(seconds: 1) { _ in DispatchQueue.global().async { lock.lock() } }
        }
    }

    @Test("Locks: a reader of another app that waits ends the run of the writer")
    func readElsewhere() async {
        await #expect(processExitsWith: .failure) {
            nonisolated(unsafe) let lock = UnsafeMutablePointer<pthread_rwlock_t>.allocate(capacity: 1)
            pthread_rwlock_init(lock, nil)
            let (first, second) = (AppRun(), AppRun())
            first.play(seconds: 1) { _ in
                DispatchQueue.global().async {
                    pthread_rwlock_rdlock(lock)
                    Thread.sleep(forTimeInterval: 60)
                    pthread_rwlock_unlock(lock)
                }
            }
            second.play(seconds: 1) { _ in DispatchQueue.global().async { pthread_rwlock_wrlock(lock) } }
        }
    }

    @Test(
        "Waits of the C library for a distant date, which nanoseconds in 64 bits do not reach, last until they are ended"
    )
    func distant() {
        // Foundation's own NSCondition traps for such a date (Swift 6.3.1).
        let lines = AppRun.lines { log in
            nonisolated(unsafe) let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
            nonisolated(unsafe) let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
            pthread_mutex_init(mutex, nil)
            pthread_cond_init(condition, nil)
            DispatchQueue.global().async {
                pthread_mutex_lock(mutex)
                var until = timespec(tv_sec: 30_000_000_000, tv_nsec: 0)
                log.add("\(pthread_cond_timedwait(condition, mutex, &until))")
                pthread_mutex_unlock(mutex)
            }
            DispatchQueue.global().async {
                var span = timespec(tv_sec: 30_000_000_000, tv_nsec: 0)
                nanosleep(&span, nil)
                log.add("must not go on")
            }
            DispatchQueue.main.asyncAfter(deadline: .now() + 1) { pthread_cond_broadcast(condition) }
        }
        #expect(lines == ["1000 0"])
    }

    @Test("Sync: a queue that gets another target meanwhile leaves the one on which it began")
    func target() {
        let lines = AppRun.lines { log in
            let (first, second) = (DispatchQueue(label: "school.first"), DispatchQueue(label: "school.second"))
            let queue = DispatchQueue(label: "school.moving", target: first)
            queue.sync { queue.setTarget(queue: second) }
            first.async { log.add("first") }
            second.async { log.add("second") }
        }
        #expect(lines == ["0 first", "0 second"])
    }

    @Test("Kill: what is released gets its turn on a queue, and is left where it waits for ever")
    func releasedWaits() {
        final class Asks: Sendable {
            let queue = DispatchQueue(label: "school.asked")
            let log: Log
            init(_ log: Log) { self.log = log }
            deinit {
                queue.suspend()
                log.add("asks")
                log.add("got \(queue.sync { 7 })")
            }
        }
        final class Waits: Sendable {
            let log: Log
            init(_ log: Log) { self.log = log }
            deinit {
                log.add("waits")
                let condition = NSCondition()
                condition.lock()
                while true { condition.wait() }
            }
        }
        let run = AppRun()
        run.play(seconds: 1) { log in
            let (asks, waits) = (Asks(log), Waits(log))
            DispatchQueue.main.asyncAfter(deadline: .now() + 50) { _ = waits }
            DispatchQueue.main.asyncAfter(deadline: .now() + 51) { _ = asks }
        }
        run.loop.end()
        #expect(run.log.lines == ["1000 waits", "1000 asks", "1000 got 7"])
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
