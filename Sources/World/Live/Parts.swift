import CInterpose
import FleetModel

/// The other parts of a split run, as far as the Cloud's board tells of them (`cloud.board`): they meet, hand people over, and hear when one fails.
///
/// Every part leaves the same meetings behind it in the same order, because all play the same phases of the same plan: a meeting is known by its number.
final class Parts {
    let shard: Shard
    private let board: (Value) throws -> Value
    /// This machine's monotonic clock, ns.
    private let clock: () -> Int64
    /// Tells processes apart that were started as the same part.
    private let life: String
    private var entries = 0
    private var meetings = 0
    private var place = ""
    /// Who came to which meeting, and with what.
    private var arrivals: [Int: [Int: Value]] = [:]
    /// The Cloud's clock at the last word of each part, ns.
    private var heard: [Int: Int64] = [:]
    private var last: Int64 = 0
    private let began: Int64
    private var (lookedAt, signedAt): (Int64, Int64) = (0, 0)

    /// Real time between two looks at the board; between two signs of life; after which a part without one counts as ended; in which all must
    /// have been started. ns. ASSUMED.
    private static let pause: Int64 = 50_000_000
    private static let pulse: Int64 = 5_000_000_000
    private static let silence: Int64 = 60_000_000_000
    private static let patience: Int64 = 300_000_000_000

    /// - Parameter board: sends `cloud.board` and gives its answer.
    init(_ shard: Shard, clock: @escaping () -> Int64 = { hr_real_ns() }, board: @escaping (Value) throws -> Value) {
        self.shard = shard
        self.board = board
        self.clock = clock
        began = clock()
        life = String(UInt64.random(in: 0 ... .max) ^ UInt64(bitPattern: hr_wall_ns()), radix: 16)
    }

    /// Where word is left: the run's name among all that were played against this Cloud. Known when all have met for the first time.
    private(set) var run = ""
    private var lives: [Int: String] = [:]
    /// What was left for people since the last look.
    private var words: [Message] = []

    // MARK: Saying

    private func leave(_ entry: Value.Object) throws {
        entries += 1
        var entry = entry
        entry["shard"] = .string("\(shard)")
        entry["life"] = .string(life)
        try take(
            board([
                "after": .int(last), "author": .string(life), "number": .int(entries), "entry": .object(entry),
            ]))
        signedAt = clock()
    }

    /// Comes to the next meeting.
    func arrive(at what: String, _ body: Value) throws {
        meetings += 1
        place = what
        try leave(Value.Object([("meeting", .int(meetings)), ("what", .string(what)), ("body", body)]))
    }
    /// Word for people elsewhere.
    func tell(_ message: Message) throws {
        try leave(Value.Object([("name", .string(message.name)), ("body", message.body)]))
    }
    /// The others need not wait: this part has no verdict. Says nothing when the Cloud cannot be reached.
    func fail(_ reason: String) { try? leave(Value.Object([("failed", .string(reason))])) }

    // MARK: Hearing

    /// What everybody brought to the last meeting, by part; nil while somebody is missing.
    var met: [Value]? {
        guard let there = arrivals[meetings], there.count == shard.count else { return nil }
        return (1...shard.count).compactMap { there[$0] }
    }

    /// Looks at the board when it is time for it.
    /// - Returns: what was left for people here.
    /// - Throws: `HarnessProblem` when another part failed or is not heard of any more, `CloudProblem` when it is not part of this run or did not come.
    func look() throws -> [Message] {
        let now = clock()
        guard now - lookedAt >= Self.pause else { return [] }
        lookedAt = now
        if now - signedAt >= Self.pulse { try leave(Value.Object([])) }
        try take(board(["after": .int(last)]))
        defer { words = [] }
        return words
    }

    private func take(_ answer: Value) throws {
        for line in answer["entries"]?.array ?? [] {
            guard let entry = line["entry"], let at = line["at"]?.int,
                let other = entry["shard"]?.string.flatMap({ Shard($0) }), let life = entry["life"]?.string
            else {
                throw CloudProblem("the Cloud's board holds what no part of a run left: use homerooms of one version")
            }
            try take(entry, of: other, life, at: at)
        }
        last = answer["last"]?.int ?? last
        if let now = answer["now"]?.int, met == nil { try requireOthers(now) }
    }

    private func take(_ entry: Value, of other: Shard, _ life: String, at: Int64) throws {
        guard other.count == shard.count else {
            throw CloudProblem("part \(other) is there beside part \(shard): give every part the same number of parts")
        }
        guard other != shard || life == self.life, lives[other.index] ?? life == life else {
            throw CloudProblem(
                "part \(other) is there twice, or an earlier run left word in this Cloud: start each part once, and homeroom-cloud on an "
                    + "empty data folder for each run")
        }
        lives[other.index] = life
        heard[other.index] = at
        if let number = entry["meeting"]?.int.flatMap({ Int(exactly: $0) }) {
            arrivals[number, default: [:]][other.index] = entry["body"] ?? .empty
            if number == 1, other.leads { run = life }
            arrivals[number - 2] = nil
        }
        guard other != shard else { return }
        if let reason = entry["failed"]?.string { throw HarnessProblem("part \(other) has failed: \(reason)") }
        if let name = entry["name"]?.string { words.append(Message(name, entry["body"] ?? .empty)) }
    }

    /// - Parameter now: the Cloud's clock.
    private func requireOthers(_ now: Int64) throws {
        for index in 1...shard.count where arrivals[meetings]?[index] == nil {
            if let at = heard[index], now - at > Self.silence {
                throw HarnessProblem(
                    "part \(index)/\(shard.count) was not heard of for a minute, and is waited for at '\(place)': it was ended, or its machine hangs"
                )
            }
            if heard[index] == nil, clock() - began > Self.patience {
                throw CloudProblem(
                    "part \(index)/\(shard.count) did not come within five minutes: start it with the same scenario, --seed, --speed and --cloud"
                )
            }
        }
    }
}
