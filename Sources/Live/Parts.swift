import CInterpose
import FleetModel
import Run

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
    private var last: Int64 = 0

    private var meetings = 0
    private var place = ""
    /// Who came to which meeting, and with what.
    private var arrivals: [Int: [Int: Value]] = [:]

    /// The other parts' lives, the Cloud's clock at the last word of each in ns, and who is done.
    private var lives: [Int: String] = [:]
    private var heard: [Int: Int64] = [:]
    private var done: Set<Int> = []

    /// Word for people elsewhere that has not gone, and what was left for people here since the last look.
    private var outgoing: [Value] = []
    private var incoming: [Message] = []

    private let began: Int64
    private var (lookedAt, signedAt): (Int64, Int64)

    /// Real time between two looks at the board; between two signs of life; after which a part without one counts as ended; in which all must
    /// have been started. ns. ASSUMED.
    private static let pause: Int64 = 50_000_000
    private static let pulse: Int64 = 5_000_000_000
    private static let silence: Int64 = 60_000_000_000
    private static let patience: Int64 = 300_000_000_000
    /// Words of one entry: the board takes entries of 64 KiB. ASSUMED.
    private static let wordsMax = 100

    /// - Parameter board: sends `cloud.board` and gives its answer.
    init(_ shard: Shard, clock: @escaping () -> Int64 = { hr_real_ns() }, board: @escaping (Value) throws -> Value) {
        self.shard = shard
        self.board = board
        self.clock = clock
        life = String(UInt64.random(in: 0 ... .max) ^ UInt64(bitPattern: hr_wall_ns()), radix: 16)
        began = clock()
        (lookedAt, signedAt) = (began &- Self.pause, began)
    }

    /// The run's name among all that were played against this Cloud. Known when all have met for the first time.
    private(set) var run = ""

    // MARK: Saying

    /// Comes to the next meeting.
    /// - Throws: `RunEnd.input` when this part is there already: then nothing was said, and the others are not disturbed.
    func arrive(at what: String, _ body: Value) throws {
        if meetings == 0 { try requireRoom() }
        meetings += 1
        place = what
        try leave(["meeting": .int(meetings), "what": .string(what), "body": body])
    }
    /// Word for people elsewhere; it goes with the next look.
    func tell(_ message: Message) { outgoing.append(["name": .string(message.name), "body": message.body]) }
    /// The others need not listen any more.
    func end() throws { try leave(["done": true]) }
    /// The others need not wait: this part has no verdict. Says nothing when the Cloud cannot be reached, and nothing as a second start of a part
    /// that is there: the others know that one.
    func fail(_ end: RunEnd) {
        do {
            if entries == 0 { try requireRoom() }
            try leave(["failed": end.body])
        } catch {}
    }

    private func leave(_ entry: Value) throws {
        entries += 1
        var entry = entry
        entry["shard"] = .string("\(shard)")
        entry["life"] = .string(life)
        let answer = try board([
            "after": .int(last), "author": .string(life), "number": .int(entries), "entry": entry,
        ])
        signedAt = clock()
        try take(answer)
    }

    /// A second start of the same part must not end a run that is under way.
    private func requireRoom() throws {
        for line in try board(["after": 0])["entries"]?.array ?? [] where line["entry"]?["shard"]?.string == "\(shard)"
        {
            throw RunEnd.input(
                "part \(shard) is there already, or an earlier run left word in this Cloud: start each part once, and homeroom-cloud on an "
                    + "empty data folder for each run")
        }
    }

    // MARK: Hearing

    /// What everybody brought to the last meeting, by part; nil while somebody is missing.
    var met: [Value]? {
        guard let there = arrivals[meetings], there.count == shard.count else { return nil }
        return (1...shard.count).compactMap { there[$0] }
    }

    /// Looks at the board, and leaves word there, when it is time for it.
    /// - Returns: what was left for people here.
    /// - Throws: `RunEnd.harness` when another part failed or is not heard of any more, `RunEnd.input` when it is not part of this run or did not come.
    func look() throws -> [Message] {
        let now = clock()
        guard now - lookedAt >= Self.pause else { return [] }
        lookedAt = now
        if !outgoing.isEmpty || now - signedAt >= Self.pulse {
            let words = Array(outgoing.prefix(Self.wordsMax))
            outgoing.removeFirst(words.count)
            try leave(["words": .array(words)])
        } else {
            try take(board(["after": .int(last)]))
        }
        defer { incoming = [] }
        return incoming
    }

    private func take(_ answer: Value) throws {
        for line in answer["entries"]?.array ?? [] {
            guard let entry = line["entry"], let at = line["at"]?.int,
                let other = entry["shard"]?.string.flatMap({ Shard($0) }), let life = entry["life"]?.string
            else {
                throw RunEnd.input("the Cloud's board holds what no part of a run left: use homerooms of one version")
            }
            try take(entry, of: other, life, at: at)
        }
        last = answer["last"]?.int ?? last
        if let now = answer["now"]?.int { try requireOthers(now) }
    }

    private func take(_ entry: Value, of other: Shard, _ life: String, at: Int64) throws {
        guard other.count == shard.count else {
            throw RunEnd.input("part \(other) is there beside part \(shard): give every part the same number of parts")
        }
        guard other != shard || life == self.life, lives[other.index] ?? life == life else {
            throw RunEnd.input("part \(other) is there twice: start each part once")
        }
        lives[other.index] = life
        heard[other.index] = at
        if let number = entry["meeting"]?.int.flatMap({ Int(exactly: $0) }), number > 0 {
            arrivals[number, default: [:]][other.index] = entry["body"] ?? .empty
            if number == 1, other.leads { run = life }
            arrivals[number - 2] = nil
        }
        if entry["done"] != nil { done.insert(other.index) }
        guard other != shard else { return }
        if let failed = entry["failed"] {
            let end = RunEnd(failed) ?? .harness(failed.string ?? "in words of another build")
            let words = "part \(other) has failed: \(end.message)"
            throw end.status == .input ? RunEnd.input(words) : .harness(words)
        }
        for word in entry["words"]?.array ?? [] {
            if let name = word["name"]?.string { incoming.append(Message(name, word["body"] ?? .empty)) }
        }
    }

    /// - Parameter now: the Cloud's clock.
    private func requireOthers(_ now: Int64) throws {
        for index in 1...shard.count where index != shard.index && !done.contains(index) {
            if let at = heard[index], now &- at > Self.silence {
                let wait = arrivals[meetings]?[index] == nil ? ", and is waited for at '\(place)'" : ""
                throw RunEnd.harness(
                    "part \(index)/\(shard.count) was not heard of for a minute\(wait): it was ended, or its machine hangs"
                )
            }
            if heard[index] == nil, clock() - began > Self.patience {
                throw RunEnd.input(
                    "part \(index)/\(shard.count) did not come within five minutes: start it with the same scenario, --seed, --speed and --cloud"
                )
            }
        }
    }
}
