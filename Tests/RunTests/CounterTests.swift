import FleetModel
import Nemesis
import Testing

@testable import Run

@Suite("Counters of the nemesis", .timeLimit(.minutes(20))) struct CounterTests {
    private func names(_ acts: [HopCounter.Act]) -> [String] {
        acts.map { act in
            switch act {
            case .command(let message): message.name
            case .kill(let reason): reason.rawValue
            }
        }
    }

    @Test("Messages: what is added falls due once, after so many, in the order in which it was added")
    func hops() {
        var counter = HopCounter()
        #expect(counter.isEmpty && names(counter.count()) == [])
        counter.add(.kill(.crash), after: 2)
        counter.add(.command(Message("device.lock")), after: 2)
        counter.add(.kill(.kill), after: 1)
        #expect(names(counter.count()) == ["kill"])
        #expect(!counter.isEmpty)
        #expect(names(counter.count()) == ["crash", "device.lock"])
        #expect(counter.isEmpty && names(counter.count()) == [])
    }

    @Test("Calls: only those of the name count, and only from when it was added")
    func calls() {
        var counter = CallCounter()
        let cut = FaultAct.powerCut(pad: 1, seed: 1, outage: .zero)
        let kill = FaultAct.killApp(pad: 1, afterHops: 0, reason: .kill)
        #expect(counter.count("file.write") == [])
        counter.add(cut, after: 2, "file.write")
        counter.add(kill, after: 1, "file.sync")
        #expect(counter.count("file.write") == [])
        #expect(counter.count("file.remove") == [])
        #expect(counter.count("file.sync") == [kill])
        #expect(counter.count("file.write") == [cut])
        #expect(counter.isEmpty)
    }
}
