import CDispatchLoop
import CInterpose
import Foundation
import Testing

@testable import DeterministicRuntime

/// In a process of its own each: the thread that drives loops is chosen once.
@Suite("Steps on fibers", .timeLimit(.minutes(20))) struct FiberTests {
    @Test("What waits keeps its order on fibers as on threads of the pool")
    func waits() async {
        await #expect(processExitsWith: .success) {
            hd_drive_here()
            let waits = DispatchWaitTests()
            waits.anyOrder()
            waits.semaphore()
            waits.blockedMain()
            waits.group()
            waits.workItem()
            waits.locks()
            waits.readersAndWriters()
            waits.distant()
            waits.target()
            waits.releasedWaits()
            waits.kill()
            waits.released()
        }
    }

    @Test("Queues, timers and operations keep their order on fibers as on threads of the pool")
    func queues() async {
        await #expect(processExitsWith: .success) {
            hd_drive_here()
            let queues = DispatchQueueTests()
            queues.main()
            queues.serial()
            queues.concurrent()
            queues.sync()
            queues.target()
            queues.suspension()
            queues.after()
            queues.perform()
            queues.shared()
            let timers = DispatchTimerTests()
            timers.source()
            timers.suspended()
            timers.joined()
            timers.data()
            timers.operations()
            timers.asynchronous()
            timers.mixed()
        }
    }

    @Test("A step that does not wait needs no thread; one that does needs them until its code is through")
    func threads() async {
        await #expect(processExitsWith: .success) {
            hd_drive_here()
            let run = AppRun()
            run.play(seconds: 1) { log in DispatchQueue.global().async { log.add("ran") } }
            #expect(run.log.lines == ["0 ran"])
            #expect(hd_stacks() == 0)
            run.play(seconds: 1) { log in
                Thread.sleep(forTimeInterval: 5)
                log.add("slept")
            }
            #expect(run.loop.waiting == 1)
            #expect(hd_stacks() == 1)
            run.step(seconds: 10)
            #expect(run.log.lines == ["0 ran", "6000 slept"])
            #expect(run.loop.waiting == 0)
        }
    }

    @Test("What a task has of its own outlives a wait on a fiber, in which the tasks of another app run")
    func taskLocals() async {
        await #expect(processExitsWith: .success) {
            hd_drive_here()
            let (one, other) = (AppRun(), AppRun())
            one.play(seconds: 1) { log in
                Local.$name.withValue("one") {
                    Thread.sleep(forTimeInterval: 5)
                    log.add(Local.name)
                }
            }
            other.play(seconds: 1) { log in
                log.add(Local.name)
                Local.$name.withValue("other") { log.add(Local.name) }
            }
            one.step(seconds: 10)
            #expect(one.log.lines == ["5000 one"])
            #expect(other.log.lines == ["0 none", "0 other"])
        }
    }

    @Test(
        "Bad input: a recursive lock in a static, held by an app that waits, does not let in another app"
    )
    func heldElsewhere() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            hd_drive_here()
            let (one, other) = (AppRun(), AppRun())
            one.play(seconds: 1) { _ in
                Local.lock.lock()
                Thread.sleep(forTimeInterval: 60)
            }
            other.play(seconds: 1) { _ in
                Local.lock.lock()
                print("both are in")
                exit(0)
            }
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("a static must not hold one across a wait"))
    }

    @Test("A child of a process whose app waits goes on with it")
    func forked() async {
        await #expect(processExitsWith: .success) {
            hd_drive_here()
            let run = AppRun()
            run.play(seconds: 1) { log in
                Local.lock.lock()
                Thread.sleep(forTimeInterval: 5)
                log.add("slept")
                Local.lock.unlock()
            }
            let child = hr_fork_bound()
            run.step(seconds: 10)
            let isRight = run.log.lines == ["5000 slept"]
            if child == 0 { _exit(isRight ? 0 : 1) }
            #expect(isRight)
            #expect(hr_wait(child, 1) == 0)
        }
    }
}

private enum Local {
    @TaskLocal static var name = "none"
    static let lock = NSRecursiveLock()
}
