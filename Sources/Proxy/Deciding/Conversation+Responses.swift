import FleetModel
import Nemesis

extension Conversation {
    /// Reads responses from the target.
    mutating func readResponses(
        _ input: UnsafeRawBufferPointer, _ now: Instant, _ faults: inout Faults, _ orders: inout Orders
    ) {
        var at = 0
        do throws(FramingProblem) {
            while !down.isMute {
                let method = waiting.first?.method ?? .other
                guard let piece = try down.framer.next(input, &at, answering: method) else { return }
                switch piece {
                case .head(let head, let bytes): begin(head, bytes, now, &faults, &orders)
                case .data(let range): carry(range, isData: true, now, &faults, &orders)
                case .framing(let range): carry(range, isData: false, now, &faults, &orders)
                case .end: giveAnswers(now, &orders)
                }
                if stream != nil { break }
            }
        } catch {
            faults.counters.refused += 1
            return over(.reset, at: now, .reset, &orders, now: now)
        }
        guard stream != nil, at < input.count else { return }
        let rest = UnsafeRawBufferPointer(rebasing: input[at...])
        var own = Orders()
        stream?.received(rest, from: .target, now: now, &faults, &own)
        for order in own.list { orders.add(order, from: rest) }
    }

    private mutating func begin(
        _ head: Head, _ bytes: Bytes, _ now: Instant, _ faults: inout Faults, _ orders: inout Orders
    ) {
        // `100 Continue` is no message of its own: it takes the way of the connection.
        guard !head.isInterim else { return Self.pass(bytes, to: .client, &down, now, &orders) }
        faults.counters.responses += 1
        answered = waiting.isEmpty ? Exchange() : waiting.removeFirst()
        let outcome = faults.outcome(
            Self.isPush(answered.route) ? .push : .response, pad: pad, route: answered.route, cause: answered.cause,
            run: answered.run, now: now)
        down.follow(outcome)
        switch outcome.ending {
        case .arrives, .held: break
        case .truncated(let after): down.treatment = .truncate(left: after)
        case .lost, .refused, .handshakeFailed, .answered:
            down.isMute = true
            return giveUp(faults.patience, now, &orders)
        case .reset: return over(.reset, at: now + outcome.latency, .reset, &orders, now: now)
        }
        Self.pass(bytes, to: .client, &down, now, &orders)
        if head.length == .upgrade { becomeStream() }
    }

    private mutating func carry(
        _ range: Range<Int>, isData: Bool, _ now: Instant, _ faults: inout Faults, _ orders: inout Orders
    ) {
        guard case .truncate(let left) = down.treatment else {
            return Self.pass(.input(range), to: .client, &down, now, &orders)
        }
        guard isData, range.count > left else {
            if isData { down.treatment = .truncate(left: left - range.count) }
            return Self.pass(.input(range), to: .client, &down, now, &orders)
        }
        faults.counters.cutShort()
        Self.pass(.input(range.prefix(left)), to: .client, &down, now, &orders)
        over(.orderly, at: down.lane.last, .reset, &orders, now: now)
    }

    /// What a long poll brings is a push of the reference iCloud, to a browser or to an iPad (Docs/cloud-api.md).
    private static func isPush(_ route: String) -> Bool {
        route.hasPrefix("/webcourier/") || route == "/push/v1/poll"
    }
}
