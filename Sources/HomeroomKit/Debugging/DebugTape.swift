import FleetModel
import Trace

/// The lines of a run that is played again: where they first differ from the recording, and those of the present turn.
final class DebugTape: TraceSink {
    /// The first line that is not the recorded one.
    struct Difference: Hashable {
        /// In the trace file, whose first line is the header.
        var line: Int
        var recorded: String
        var played: String
        var body: Value { ["line": .int(line), "recorded": .string(recorded), "played": .string(played)] }
    }
    private let recorded: [[UInt8]]
    private(set) var difference: Difference?
    /// Lines of the present turn.
    private(set) var fresh: [[UInt8]] = []
    /// The message that was delivered last.
    private(set) var lastMessage: [UInt8]?

    init(recorded: [[UInt8]]) { self.recorded = recorded }

    func take(_ line: [UInt8], number: Int) {
        fresh.append(line)
        if line.starts(with: Self.message) { lastMessage = line }
        guard difference == nil else { return }
        let expected = number <= recorded.count ? recorded[number - 1] : nil
        guard expected.map({ line.dropLast().elementsEqual($0) }) != true else { return }
        difference = Difference(
            line: number + 1,
            recorded: expected.map { String(decoding: $0, as: UTF8.self) } ?? "(the recording has ended)",
            played: String(decoding: line.dropLast(), as: UTF8.self))
    }
    private static let message = Array("{\"b\":".utf8)

    func beginTurn() { fresh.removeAll(keepingCapacity: true) }
}
