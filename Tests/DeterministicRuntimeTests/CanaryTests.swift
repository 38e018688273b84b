import DeterministicRuntime
import Foundation
import Testing

/// A program that races with itself in every way that ordinary app code does; its digest shows any order that leaks in.
private actor Ledger {
    private(set) var text = ""
    private var inside = 0
    func add(_ part: String) async {
        inside += 1
        await Task.yield()
        text += "\(part)/\(inside) "
        inside -= 1
    }
}

@MainActor private func race(_ ledger: Ledger) async {
    async let left: Void = ledger.add("left \(Int.random(in: 0..<1000))")
    async let right: Void = ledger.add("right \(UUID().uuidString)")
    Task { await ledger.add("task \(Date().timeIntervalSince1970)") }
    Task.detached {
        try? await Task.sleep(for: .milliseconds(Int.random(in: 1..<20)))
        await ledger.add("detached \(Date().timeIntervalSince1970)")
    }
    await withTaskGroup(of: Int.self) { group in
        for index in 0..<6 {
            group.addTask(priority: index % 2 == 0 ? .high : .background) {
                try? await Task.sleep(nanoseconds: UInt64(Int.random(in: 0..<3)) * 1_000_000)
                await ledger.add("group \(index)")
                return index
            }
        }
        for await index in group { await ledger.add("done \(index)") }
    }
    let (stream, feed) = AsyncStream.makeStream(of: Int.self)
    for number in 0..<3 { feed.yield(number) }
    feed.finish()
    for await number in stream { await ledger.add("stream \(number)") }
    _ = await (left, right)
    let set = Set((0..<8).map { "member \($0)" })
    for member in set.sorted() { await ledger.add(member) }
    let clock = ContinuousClock()
    let start = clock.now
    try? await Task.sleep(for: .seconds(3))
    await ledger.add("slept \(start.duration(to: clock.now))")
}

private func runOnce(seed: UInt64) -> String {
    let loop = AppLoop(seed: seed, epochNanoseconds: 1_788_249_600_000_000_000)
    let ledger = Ledger()
    nonisolated(unsafe) var seen = ""
    loop.start { await race(ledger) }
    loop.run(until: 0)
    while let next = loop.nextTimer { loop.run(until: next) }
    loop.start { seen = await ledger.text }
    loop.run(until: loop.now)
    return "\(seen)entropy \(loop.entropy)"
}

@Suite("Canary", .serialized, .timeLimit(.minutes(20))) struct CanaryTests {
    @Test("Racy program: one seed, one outcome (1,000 runs)")
    func oneOutcome() {
        let first = runOnce(seed: 42)
        #expect(first.contains("slept 3.0 seconds"))
        #expect(first.contains("detached 17882"))
        for _ in 1..<1000 { #expect(runOnce(seed: 42) == first) }
    }

    @Test("Racy program: another seed, another outcome")
    func otherSeed() { #expect(runOnce(seed: 42) != runOnce(seed: 43)) }

    @Test("A test process: its own sleep, outside every loop, is the machine's, as a time limit needs it")
    func outside() async throws {
        _ = runOnce(seed: 42)
        try await Task.sleep(for: .milliseconds(1))
    }

    @Test("Loops: two apps interleaved in one process do not disturb each other")
    func interleaved() {
        let alone = runOnce(seed: 7)
        let loops = (0..<3).map { _ in AppLoop(seed: 7, epochNanoseconds: 1_788_249_600_000_000_000) }
        let ledgers = loops.map { _ in Ledger() }
        for (loop, ledger) in zip(loops, ledgers) { loop.start { await race(ledger) } }
        for loop in loops { loop.run(until: 0) }
        while let next = loops.compactMap(\.nextTimer).min() { for loop in loops { loop.run(until: next) } }
        for (loop, ledger) in zip(loops, ledgers) {
            nonisolated(unsafe) var seen = ""
            loop.start { seen = await ledger.text }
            loop.run(until: loop.now)
            #expect("\(seen)entropy \(loop.entropy)" == alone)
        }
    }
}
