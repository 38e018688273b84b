import FleetModel
import Nemesis

extension Conversation {
    /// Reads requests from the client.
    /// - Returns: how many bytes were used; the others wait until something is answered.
    mutating func requests(
        _ input: UnsafeRawBufferPointer, _ now: Instant, _ faults: inout Faults, _ orders: inout Orders
    ) -> Int {
        var at = 0
        do throws(FramingProblem) {
            while !up.isMute, up.framer.isInside || !isFull {
                guard let piece = try up.framer.next(input, &at) else { return at }
                switch piece {
                case .head(let head, let bytes): begin(head, bytes, input, now, &faults, &orders)
                case .data(let range): carry(range, isData: true, input, now, &faults, &orders)
                case .framing(let range): carry(range, isData: false, input, now, &faults, &orders)
                case .end: end(&orders)
                }
            }
        } catch {
            refuse(error, now, &faults, &orders)
        }
        return up.isMute ? input.count : at
    }

    private mutating func begin(
        _ head: Head, _ bytes: Bytes, _ input: UnsafeRawBufferPointer, _ now: Instant, _ faults: inout Faults,
        _ orders: inout Orders
    ) {
        faults.counters.requests += 1
        if let told = head.pad { pad = told }
        let cause = head.cause ?? ""
        let outcome = faults.outcome(
            .request, pad: pad, route: head.route, cause: cause, run: head.scenario, now: now)
        up.follow(outcome)
        let exchange = Exchange(
            method: head.method, route: head.route, cause: cause, run: head.scenario,
            asksUpgrade: head.asksUpgrade || head.method == .connect)
        switch outcome.ending {
        case .arrives, .held:
            expect(exchange)
            copy = outcome.ending == .arrives ? outcome.duplicate.map { ([], $0) } : nil
        case .truncated(let after):
            expect(exchange)
            up.treatment = .truncate(left: after)
        case .lost:
            up.isMute = true
            giveUp(faults.patience, now, &orders)
        case .refused: return over(.reset, at: now + outcome.latency, .orderly, &orders, now: now)
        case .handshakeFailed: return over(.orderly, at: now + outcome.latency, .orderly, &orders, now: now)
        case .reset: return over(.reset, at: now + outcome.latency, .reset, &orders, now: now)
        case .answered(let response):
            return answer(response, head, exchange, at: now + outcome.latency * 2, now, &orders)
        }
        guard !up.isMute else { return }
        copyOn(bytes, input)
        Self.pass(bytes, to: .target, &up, now, &orders)
    }
    /// A response will come for it; where nothing comes through any more nobody waits.
    private mutating func expect(_ exchange: Exchange) { if !down.isMute { waiting.append(exchange) } }

    /// The proxy answers in place of the target, which hears nothing of it.
    private mutating func answer(
        _ response: HTTPResponse, _ head: Head, _ exchange: Exchange, at: Instant, _ now: Instant,
        _ orders: inout Orders
    ) {
        up.treatment = .swallow
        // Whoever waits for `100 Continue` may send its body or not: what follows cannot be told apart any more.
        let closes = head.expectsContinue
        var exchange = exchange
        exchange.answer = (response.wireBytes(to: head.method, closes: closes), at, closes)
        expect(exchange)
        giveAnswers(now, &orders)
    }
    /// Gives the answers whose turn it is.
    mutating func giveAnswers(_ now: Instant, _ orders: inout Orders) {
        while !down.framer.isInside, !down.isMute, let answer = waiting.first?.answer {
            waiting.removeFirst()
            let at = down.lane.release(now: max(now, answer.at))
            orders.send(.client, .own(answer.bytes), at: at)
            guard answer.closes else { continue }
            up.isMute = true
            down.isMute = true
            orders.finish(.client, .orderly, at: at)
            orders.finish(.target, .orderly, at: up.lane.release(now: now))
        }
    }

    private mutating func carry(
        _ range: Range<Int>, isData: Bool, _ input: UnsafeRawBufferPointer, _ now: Instant, _ faults: inout Faults,
        _ orders: inout Orders
    ) {
        switch up.treatment {
        case .swallow: return
        case .pass:
            copyOn(.input(range), input)
            Self.pass(.input(range), to: .target, &up, now, &orders)
        case .truncate(let left):
            guard isData, range.count > left else {
                if isData { up.treatment = .truncate(left: left - range.count) }
                return Self.pass(.input(range), to: .target, &up, now, &orders)
            }
            faults.counters.cutShort()
            Self.pass(.input(range.prefix(left)), to: .target, &up, now, &orders)
            over(.orderly, at: up.lane.last, .orderly, &orders, now: now)
        }
    }
    private mutating func copyOn(_ bytes: Bytes, _ input: UnsafeRawBufferPointer) {
        guard let soFar = copy?.bytes.count else { return }
        guard soFar + bytes.count <= Self.copyBytesMax else { return copy = nil }
        switch bytes {
        case .input(let range): copy?.bytes.append(contentsOf: input[range])
        case .own(let own): copy?.bytes.append(contentsOf: own)
        }
    }
    private mutating func end(_ orders: inout Orders) {
        if let copy { orders.again(copy.bytes, at: up.lane.last + copy.later) }
        copy = nil
        up.treatment = .pass
    }

    /// Something that cannot be split for certain goes no further: 400, and the end of the connection.
    private mutating func refuse(
        _ problem: FramingProblem, _ now: Instant, _ faults: inout Faults, _ orders: inout Orders
    ) {
        faults.counters.refused += 1
        let wasInside = up.framer.isInside
        up.isMute = true
        copy = nil
        guard !down.isMute else { return }
        let response = HTTPResponse(
            status: problem.status, headers: ["Content-Type": "text/plain; charset=utf-8"],
            body: Array("homeroom proxy: \(problem.message); nothing was handed on\n".utf8))
        var exchange = Exchange()
        exchange.answer = (response.wireBytes(to: .other, closes: true), now, true)
        if wasInside, case .pass = up.treatment, !waiting.isEmpty {
            // Its head is on the way already: the target must not take the part for the whole.
            waiting.removeLast()
            orders.finish(.target, .reset, at: now)
        }
        waiting.append(exchange)
        giveAnswers(now, &orders)
    }
}
