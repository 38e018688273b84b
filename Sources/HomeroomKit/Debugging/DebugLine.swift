import FleetModel

/// One course of a run, from a turn to its end: the recorded one, or a branch in which something was done otherwise.
final class DebugLine {
    let name: String
    /// What was changed at its first turn; empty: nothing.
    let change: [String]
    private(set) var index: DebugIndex
    /// Where processes stand, by turn; the last one at the end of the run.
    private(set) var snapshots: [(turn: Int, process: DebugProcess)] = []
    /// The first line that differs from the recording.
    let difference: Value?
    private let last: DebugProcess
    /// The line whose processes are the ancestors of these: they live as long.
    private let parent: DebugLine?

    /// Plays it to its end.
    /// - Parameters:
    ///   - process: stands at the first turn, and goes on from there.
    ///   - every: messages from one snapshot to the next.
    init(
        _ name: String, from process: DebugProcess, at turn: Int, change: [String], every: Int,
        parent: DebugLine? = nil, progress: (Instant) -> Void = { _ in }
    ) throws {
        (self.name, self.change, self.parent) = (name, change, parent)
        var index = DebugIndex(first: turn)
        var question: Value = ["do": "play", "every": .int(every)]
        // Without a change the tape is followed to its end.
        if !change.isEmpty { question["change"] = .strings(change) }
        try process.send(question)
        var answer = try process.receive()
        while let place = answer["snapshot"]?.int {
            snapshots.append((Int(place), try process.other(in: answer)))
            try index.add(answer["index"]?.data ?? [])
            progress(Instant(nanoseconds: index.entries.last?.time ?? 0))
            answer = try process.receive()
        }
        try index.add(answer["index"]?.data ?? [])
        difference = answer["difference"]
        snapshots.append((index.last, process))
        (self.index, last) = (index, process)
    }

    /// A process that stands at the last snapshot which is not after a turn.
    func nearest(to turn: Int) -> (turn: Int, process: DebugProcess)? {
        // The one at the end has finished the run: its last turn is reached with it.
        snapshots.last { $0.turn <= turn }
    }
    /// What the checkers say of it.
    func verdict() throws -> Value { try last.ask(["do": "look", "at": "verdict"])["answer"] ?? .empty }
}
