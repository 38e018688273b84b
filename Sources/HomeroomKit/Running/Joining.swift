import FleetModel
import Live
import Load
import Run
import Trace

/// What a recorded trace says of its place in a split run.
struct RecordedPart {
    let shard: Shard
    /// The same in all parts of one run.
    let run: String
    /// Messages that its iPads handled, and how long it took.
    let events: Int
    let wallMilliseconds: Int64
    let speed: Double
    /// How far its clock may be off the Cloud's, ns of a clock's time.
    let clockError: Int64
    /// What it cost, and on which machine; nil when it was not measured, or by an earlier version.
    let costs: (machine: String, costs: Costs)?
    let trace: RecordedTrace

    /// Nil for the trace of a whole run.
    init?(_ trace: RecordedTrace) {
        guard let note = trace.history.first(where: { $0.note.kind == .part })?.note,
            let shard = note.detail["shard"]?.string.flatMap({ Shard($0) }), let run = note.detail["run"]?.string
        else { return nil }
        (self.shard, self.run, self.trace) = (shard, run, trace)
        events = Int(clamping: note.detail["events"]?.int ?? 0)
        wallMilliseconds = note.detail["wallMilliseconds"]?.int ?? 0
        speed = note.detail["speed"]?.double ?? 1
        costs = note.detail["costs"].flatMap { told in
            told["of"].flatMap(Costs.init).map { (told["machine"]?.string ?? "", $0) }
        }
        clockError = trace.history.first { $0.note.kind == .clocks }?.note.detail["error"]?.int ?? 0
    }
}

/// Makes one history of the parts of a split run.
enum Joining {
    /// All notes in the order of time; equal moments by part and place. What one process finds by itself in a whole run is found here.
    static func history(_ parts: [RecordedPart]) -> [HistoryEvent] {
        let all = parts.flatMap { part in
            part.trace.history.enumerated().map { (event: $1, part: part.shard.index, place: $0) }
        }
        .filter { $0.event.note.kind != .part }
        .sorted { ($0.event.at, $0.part, $0.place) < ($1.event.at, $1.part, $1.place) }
        var book = MarkBook()
        return all.flatMap { book.events(for: $0.event) }
    }

    /// - Returns: the parts of one run in their order, each once.
    /// - Throws: `RunEnd.input` with what is missing, there twice, or of another run.
    static func ordered(_ found: [(path: String, trace: RecordedTrace)]) throws -> [RecordedPart] {
        var parts: [Int: (path: String, part: RecordedPart)] = [:]
        for (path, trace) in found {
            guard let part = RecordedPart(trace) else {
                throw RunEnd.input("\(path): is no part of a split run; 'check' judges a whole one")
            }
            if let other = parts[part.shard.index] {
                throw RunEnd.input("part \(part.shard) is given twice: \(other.path) and \(path)")
            }
            if let (other, first) = parts.values.min(by: { $0.path < $1.path }),
                first.run != part.run || first.shard.count != part.shard.count
                    || first.trace.header.scenarioText != trace.header.scenarioText
                    || first.trace.header.seed != trace.header.seed || first.trace.plan != trace.plan
                    || first.trace.faults != trace.faults
            {
                throw RunEnd.input(
                    "\(path) and \(other) are not of one run: join the parts that were played together")
            }
            parts[part.shard.index] = (path, part)
        }
        let count = parts.values.first?.part.shard.count ?? 0
        let missing = (1...max(count, 1)).filter { parts[$0] == nil }
        guard missing.isEmpty else {
            let names = missing.map { "\($0)/\(count)" }.joined(separator: ", ")
            throw RunEnd.input("part \(names) of the run is missing: nothing can be said without it")
        }
        return (1...count).compactMap { parts[$0]?.part }
    }
}
