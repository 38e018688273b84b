import FleetModel

/// The first matches in a query's order, out of any number that are looked at. What is kept does not grow with what is
/// looked at: places, and of small records the row, so that it need not be read again.
struct QuerySelection {
    struct Match {
        var place: RecordOrder.Place
        /// Nil for a record that is large: it is read again when it is shown.
        var row: RecordRow?
    }
    let order: RecordOrder
    /// Matches that are wanted.
    let limit: Int
    /// More than `limit` at times, in no order; see `sorted`.
    private(set) var matches: [Match] = []
    /// Nothing at or after it is wanted.
    private var worst: RecordOrder.Place?

    private static let keptBytesMax = 4096

    init(_ order: RecordOrder, limit: Int) {
        self.order = order
        self.limit = limit
    }

    /// A record may come twice: it counts once.
    mutating func add(_ row: RecordRow, at place: RecordOrder.Place) {
        if let worst, !order.isBefore(place, worst) { return }
        matches.append(Match(place: place, row: row.json.count <= Self.keptBytesMax ? row : nil))
        if matches.count >= 2 * limit + 16 { cut() }
    }
    var isFull: Bool { matches.count >= limit }

    /// The matches in their order.
    mutating func sorted() -> [Match] {
        cut()
        return matches
    }
    private mutating func cut() {
        matches.sort { order.isBefore($0.place, $1.place) }
        var kept: [Match] = []
        kept.reserveCapacity(matches.count)
        for match in matches where kept.last.map({ order.isBefore($0.place, match.place) }) ?? true {
            kept.append(match)
        }
        matches = Array(kept.prefix(limit))
        if matches.count == limit { worst = matches.last?.place }
    }
}

/// What one answer holds at most: however large records are, nobody's request takes the memory of all
/// (cloudkit-web-services.md 10 limits the records of a response; of its bytes ASSUMED). The rest comes with the next page.
struct AnswerBudget {
    static let bytesMax = 16 << 20
    /// How many more records.
    var records: Int
    private var bytes: Int

    init(records: Int, _ policy: CloudPolicy) { (self.records, bytes) = (records, policy.answerBytesMax) }

    var isSpent: Bool { records <= 0 || bytes <= 0 }
    mutating func spend(records: Int, bytes: Int) {
        self.records -= records
        self.bytes -= bytes
    }
}

/// Rows that are read at once: many small ones, few large ones.
struct ChunkSize {
    private(set) var rows = 64
    private static let (bytesFew, bytesMany, rowsMin, rowsMax) = (1 << 20, 4 << 20, 4, 256)

    mutating func learn(from rows: [RecordRow]) {
        let bytes = rows.reduce(0) { $0 + $1.json.count }
        if bytes > Self.bytesMany {
            self.rows = max(Self.rowsMin, self.rows / 4)
        } else if bytes < Self.bytesFew {
            self.rows = min(Self.rowsMax, self.rows * 2)
        }
    }
}
