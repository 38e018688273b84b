import PadDouble
import Testing
import Ubiquity

extension UbiquityTests {
    @Suite("Timer and RunLoop", .timeLimit(.minutes(20))) struct TimerTests {
        /// Seconds since the app began to say something, and what it said.
        private final class Said: @unchecked Sendable {
            var lines: [String] = []
            private let start = Date()
            func add(_ text: String) {
                lines.append("\((Date().timeIntervalSince(start) * 10).rounded() / 10) \(text)")
            }
        }
        /// What `body` said within ten seconds.
        private func lines(_ body: @escaping @MainActor @Sendable (Said) -> Void) -> [String] {
            let pad = PadDouble()
            nonisolated(unsafe) var said: Said?
            _ = pad.run {
                let made = Said()
                said = made
                body(made)
                return []
            }
            for _ in 0..<100 { pad.advance(by: .milliseconds(100)) }
            pad.kill()
            return said?.lines ?? []
        }

        @Test("Timer: fires once or again and again on the main thread, until it is invalidated")
        func fires() {
            let lines = lines { said in
                Timer.scheduledTimer(withTimeInterval: 2, repeats: false) { said.add("once \($0.isValid)") }
                nonisolated(unsafe) var count = 0
                Timer.scheduledTimer(withTimeInterval: 1.5, repeats: true) { timer in
                    count += 1
                    said.add("again \(Thread.isMainThread)")
                    if count == 3 { timer.invalidate() }
                }
                Timer.scheduledTimer(withTimeInterval: 1, repeats: false) { _ in said.add("never") }.invalidate()
                let idle = Timer(timeInterval: 1, repeats: false) { _ in said.add("added") }
                DispatchQueue.main.asyncAfter(deadline: .now() + 3) { RunLoop.main.add(idle, forMode: .common) }
            }
            #expect(lines == ["1.5 again true", "2.0 once false", "3.0 again true", "3.0 added", "4.5 again true"])
        }

        @Test("Timer: a new date is when it fires next; by hand it fires at once and keeps its time")
        func dates() {
            let lines = lines { said in
                let timer = Timer.scheduledTimer(withTimeInterval: 60, repeats: true) { _ in said.add("fires") }
                timer.fire()
                timer.fireDate = Date(timeIntervalSinceNow: 4)
            }
            #expect(lines == ["0.0 fires", "4.0 fires"])
        }

        @Test(
            "RunLoop: perform on the main one comes after the code that asked; a background one runs only when it is run"
        )
        func performs() {
            let lines = lines { said in
                RunLoop.main.perform { said.add("performed \(Thread.isMainThread)") }
                said.add("asked")
                DispatchQueue.global().async {
                    Timer.scheduledTimer(withTimeInterval: 1, repeats: false) { _ in said.add("too late") }
                    Thread.sleep(forTimeInterval: 2)
                    said.add("slept")
                    RunLoop.current.perform { said.add("performed in the background") }
                    RunLoop.current.run(until: Date(timeIntervalSinceNow: 3))
                    said.add("ran")
                }
            }
            #expect(
                lines == [
                    "0.0 asked", "0.0 performed true", "2.0 slept", "2.0 performed in the background", "2.0 too late",
                    "5.0 ran",
                ])
        }

        @Test("RunLoop: on the main thread one turn ends with what has run, so a loop around it sees what it waits for")
        func turns() {
            let lines = lines { said in
                nonisolated(unsafe) var isDone = false
                DispatchQueue.main.asyncAfter(deadline: .now() + 1) {
                    isDone = true
                    DispatchQueue.main.async { said.add("later") }
                }
                while !isDone && RunLoop.current.run(mode: .default, before: .distantFuture) {}
                said.add("done \(Thread.isMainThread)")
            }
            #expect(lines == ["1.0 done true", "1.0 later"])
        }

        @Test("RunLoop: one of the background belongs to one item, whatever thread the next one runs on")
        func items() {
            let lines = lines { said in
                let queue = DispatchQueue(label: "school.items")
                queue.async {
                    Timer.scheduledTimer(withTimeInterval: 1, repeats: false) { _ in said.add("left behind") }
                    let before = RunLoop.current
                    Thread.sleep(forTimeInterval: 1)
                    said.add("\(RunLoop.current === before)")
                }
                queue.async {
                    let limit = Date(timeIntervalSinceNow: 2)
                    said.add("\(RunLoop.current.run(mode: .default, before: limit))")
                }
            }
            #expect(lines == ["1.0 true", "1.0 false"])
        }

        @Test("RunLoop: run by hand on the main thread, everything else of that thread runs meanwhile")
        func nested() {
            let lines = lines { said in
                DispatchQueue.main.async { said.add("main queue") }
                Task { @MainActor in said.add("main actor") }
                Timer.scheduledTimer(withTimeInterval: 1, repeats: false) { _ in said.add("timer") }
                RunLoop.main.run(until: Date(timeIntervalSinceNow: 2))
                said.add("goes on \(Thread.isMainThread)")
            }
            #expect(lines == ["0.0 main queue", "0.0 main actor", "1.0 timer", "2.0 goes on true"])
        }
    }
}
