import DeterministicRuntime
import Foundation
import Testing

@Suite("Dispatch queues", .timeLimit(.minutes(20))) struct DispatchQueueTests {
    @Test("Main queue: runs after the code that filled it, on the main thread, in order")
    func main() {
        let lines = AppRun.lines { log in
            DispatchQueue.main.async {
                dispatchPrecondition(condition: .onQueue(.main))
                log.add("one \(Thread.isMainThread)")
            }
            DispatchQueue.main.async { MainActor.assumeIsolated { log.add("two") } }
            Task { @MainActor in log.add("three") }
            DispatchQueue.main.async { log.add("four") }
            log.add("zero")
        }
        #expect(lines == ["0 zero", "0 one true", "0 two", "0 three", "0 four"])
    }

    @Test("Serial queue: one after the other, never on the main thread; a waiting item holds the next")
    func serial() {
        let lines = AppRun.lines { log in
            let queue = DispatchQueue(label: "school.serial")
            queue.async {
                Thread.sleep(forTimeInterval: 2)
                log.add("first \(Thread.isMainThread)")
            }
            queue.async { log.add("second") }
            DispatchQueue.global().async { log.add("elsewhere") }
        }
        #expect(lines == ["0 elsewhere", "2000 first false", "2000 second"])
    }

    @Test(
        "Concurrent queue: items wait at the same time; a barrier waits for them, and those behind it for the barrier")
    func concurrent() {
        let lines = AppRun.lines { log in
            let queue = DispatchQueue(label: "school.concurrent", attributes: .concurrent)
            for (name, pause) in [("a", 3.0), ("b", 1.0)] {
                queue.async {
                    Thread.sleep(forTimeInterval: pause)
                    log.add(name)
                }
            }
            queue.async(flags: .barrier) {
                log.add("barrier begins")
                Thread.sleep(forTimeInterval: 1)
                log.add("barrier ends")
            }
            queue.async { log.add("c") }
        }
        #expect(lines == ["1000 b", "3000 a", "3000 barrier begins", "4000 barrier ends", "4000 c"])
    }

    @Test("sync: at once on a free queue, after what is there on a busy one, on the main thread for the main queue")
    func sync() {
        let lines = AppRun.lines { log in
            let queue = DispatchQueue(label: "school.sync")
            log.add("value \(queue.sync { 42 })")
            queue.async {
                Thread.sleep(forTimeInterval: 1)
                log.add("busy")
            }
            queue.async { log.add("behind") }
            DispatchQueue.global().async {
                queue.sync { log.add("in turn") }
                DispatchQueue.main.sync { log.add("on main \(Thread.isMainThread)") }
                log.add("global again \(Thread.isMainThread)")
            }
        }
        #expect(
            lines == [
                "0 value 42", "1000 busy", "1000 behind", "1000 in turn", "1000 on main true",
                "1000 global again false",
            ])
    }

    @Test("Target: queues that share a serial one exclude each other and know its specifics")
    func target() {
        let lines = AppRun.lines { log in
            let key = DispatchSpecificKey<String>()
            let base = DispatchQueue(label: "school.base")
            base.setSpecific(key: key, value: "base")
            let left = DispatchQueue(label: "school.left", target: base)
            let right = DispatchQueue(label: "school.right", target: base)
            right.setSpecific(key: key, value: "right")
            left.async {
                dispatchPrecondition(condition: .onQueue(base))
                Thread.sleep(forTimeInterval: 1)
                log.add("left \(DispatchQueue.getSpecific(key: key) ?? "none")")
            }
            right.async { log.add("right \(DispatchQueue.getSpecific(key: key) ?? "none")") }
            DispatchQueue.global().async { log.add("global \(DispatchQueue.getSpecific(key: key) ?? "none")") }
        }
        #expect(lines == ["0 global none", "1000 left base", "1000 right right"])
    }

    @Test("Suspension: a suspended or inactive queue keeps its items until it is resumed or activated")
    func suspension() {
        let lines = AppRun.lines { log in
            let queue = DispatchQueue(label: "school.suspended")
            queue.suspend()
            queue.async { log.add("resumed") }
            let lazy = DispatchQueue(label: "school.inactive", attributes: .initiallyInactive)
            lazy.async { log.add("activated") }
            DispatchQueue.main.asyncAfter(deadline: .now() + 1) { queue.resume() }
            DispatchQueue.main.asyncAfter(deadline: .now() + 2) { lazy.activate() }
        }
        #expect(lines == ["1000 resumed", "2000 activated"])
    }

    @Test("asyncAfter: in virtual time, by either clock, earlier deadlines first, never for a distant future")
    func after() {
        let lines = AppRun.lines { log in
            DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(3)) { log.add("three") }
            DispatchQueue.main.asyncAfter(wallDeadline: .now() + 1.5) { log.add("one and a half") }
            DispatchQueue.main.asyncAfter(deadline: .now() + .milliseconds(250)) { log.add("a quarter") }
            DispatchQueue.main.asyncAfter(deadline: .distantFuture) { log.add("never") }
        }
        #expect(lines == ["250 a quarter", "1500 one and a half", "3000 three"])
    }

    @Test("concurrentPerform: every iteration before it returns")
    func perform() {
        let lines = AppRun.lines { log in
            DispatchQueue.concurrentPerform(iterations: 3) { log.add("\($0)") }
            log.add("done")
        }
        #expect(lines == ["0 0", "0 1", "0 2", "0 done"])
    }

    @Test("A queue in a static serves two apps of one process and joins nothing of them")
    func shared() {
        enum Shared { static let queue = DispatchQueue(label: "school.shared") }
        let runs = (0..<2).map { _ in AppRun() }
        for run in runs {
            run.play(seconds: 0) { log in
                Shared.queue.async {
                    Thread.sleep(forTimeInterval: 1)
                    log.add("waited")
                }
                Shared.queue.async { log.add("behind") }
            }
        }
        for run in runs { run.step(seconds: 2) }
        for run in runs { #expect(run.log.lines == ["1000 waited", "1000 behind"]) }
    }

    @Test("Outside every loop the real library answers, also for a queue that an app has made")
    func outside() async {
        nonisolated(unsafe) var made: DispatchQueue?
        let run = AppRun()
        run.play { log in
            made = DispatchQueue(label: "school.outside")
            made?.async { log.add("inside") }
        }
        #expect(run.log.lines == ["0 inside"])
        let queue = made
        let text = await withCheckedContinuation { done in
            queue?.async { done.resume(returning: "outside") }
        }
        #expect(text == "outside")
        #expect(queue?.sync { 7 } == 7)
        let group = DispatchGroup()
        DispatchQueue.global().async(group: group) {}
        #expect(group.wait(timeout: .now() + 60) == .success)
        let semaphore = DispatchSemaphore(value: 0)
        DispatchQueue(label: "school.own").async { semaphore.signal() }
        #expect(semaphore.wait(timeout: .now() + 60) == .success)
    }
}
