import World

/// Runs that are played side by side, each in a process of its own and with what it is for.
struct Flights<Purpose> {
    struct Flight {
        var purpose: Purpose
        var runner: Runner
        fileprivate var worker: RunningWorker
    }
    private var flying: [Flight] = []

    var count: Int { flying.count }
    var isEmpty: Bool { flying.isEmpty }

    /// - Throws: what `Runner.start` throws.
    mutating func start(_ runner: Runner, for purpose: Purpose) throws {
        flying.append(Flight(purpose: purpose, runner: runner, worker: try runner.start()))
    }

    /// Those that have ended since the last look, the last one that was started first; waits a little for the first of all.
    mutating func landed() -> [(flight: Flight, end: WorkerEnd)] {
        var landed: [(flight: Flight, end: WorkerEnd)] = []
        for index in flying.indices.reversed() {
            let wait: Int32 = index == 0 ? 20 : 0
            guard
                let end = flying[index].worker.poll(
                    waitMilliseconds: wait, limitMilliseconds: flying[index].runner.limitMilliseconds)
            else { continue }
            landed.append((flying.remove(at: index), end))
        }
        return landed
    }

    /// Ends those of some purposes in the midst of their runs.
    mutating func stop(where isOver: (Purpose) -> Bool = { _ in true }) {
        for flight in flying where isOver(flight.purpose) { flight.worker.stop() }
        flying.removeAll { isOver($0.purpose) }
    }
}
