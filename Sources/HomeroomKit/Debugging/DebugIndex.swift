import FleetModel

/// When each turn of a run ended: how a moment that people name becomes a turn. Turn 0 is the moment before anything happens.
struct DebugIndex {
    /// One turn: its moment, and how many messages and lines of the trace there are after it.
    struct Entry: Hashable {
        var time: Int64
        var events: Int
        /// Without the header.
        var lines: Int
    }
    /// The turn of the first entry.
    let first: Int
    private(set) var entries: [Entry]
    /// How many have been written out.
    private var written = 0

    init(first: Int, entries: [Entry] = []) { (self.first, self.entries) = (first, entries) }

    var last: Int { first + entries.count - 1 }
    subscript(turn: Int) -> Entry? { entries.indices.contains(turn - first) ? entries[turn - first] : nil }
    mutating func append(_ entry: Entry) { entries.append(entry) }

    /// The last turn that is not after a moment; everything of that moment has happened then.
    func turn(at time: Instant) -> Int { first + max(0, place { $0.time > time.nanoseconds } - 1) }
    /// The first turn after which so many messages have been delivered, or the last.
    func turn(ofEvent number: Int) -> Int { min(last, first + place { $0.events >= number }) }
    /// The first turn that has written this line of the trace file, whose first is the header; or the last.
    func turn(ofLine number: Int) -> Int { min(last, first + place { $0.lines + 1 >= number }) }

    /// Of entries that grow: the place of the first for which it holds.
    private func place(_ holds: (Entry) -> Bool) -> Int {
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = (low + high) / 2
            if holds(entries[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }

    // MARK: Between processes

    /// What has come since the last call, each as its distance from the one before.
    mutating func takeNew() -> [UInt8] {
        var writer = ByteWriter(reserving: (entries.count - written) * 4)
        for index in written..<entries.count {
            let before = index > 0 ? entries[index - 1] : Entry(time: 0, events: 0, lines: 0)
            writer.varint(UInt64(entries[index].time - before.time))
            writer.varint(UInt64(entries[index].events - before.events))
            writer.varint(UInt64(entries[index].lines - before.lines))
        }
        written = entries.count
        return writer.bytes
    }
    mutating func add(_ bytes: [UInt8]) throws {
        var reader = ByteReader(bytes)
        while reader.offset < bytes.count {
            let before = entries.last ?? Entry(time: 0, events: 0, lines: 0)
            entries.append(
                Entry(
                    time: before.time + Int64(try reader.varint()), events: before.events + Int(try reader.varint()),
                    lines: before.lines + Int(try reader.varint())))
        }
    }
}
