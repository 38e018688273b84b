import CInterpose
import FleetModel
import Glibc

extension ProxyServer {
    /// A socket has something for us.
    func happened(_ what: UInt32, at end: End, of connection: Connection) {
        guard let side = connection[end], !side.isGone else { return }
        if side.isConnecting {
            let error = hr_socket_error(side.fd)
            guard error == 0 else {
                targetFailed(-error)
                side.tearDown()
                connection.client?.tearDown()
                return settle(connection)
            }
            side.isConnecting = false
            said.removeAll()
        }
        if what & UInt32(HR_READABLE | HR_GONE) != 0, !side.hasEnded, connection.wants(end) {
            read(end, side, connection)
        } else if what & UInt32(HR_GONE) != 0, side.hasEnded {
            broke(end, side, connection)
        } else {
            settle(connection)
        }
    }
    /// The connection broke at this end; what is still meant for it goes nowhere.
    private func broke(_ end: End, _ side: Side, _ connection: Connection) {
        side.tearDown()
        orders.removeAll()
        connection.failed(end, now: now, &orders)
        perform(connection, UnsafeRawBufferPointer(start: nil, count: 0))
    }

    private func read(_ end: End, _ side: Side, _ connection: Connection) {
        let count = hr_receive(side.fd, buffer.baseAddress, buffer.count)
        guard count != -Int(EAGAIN) else { return settle(connection) }
        let input = UnsafeRawBufferPointer(start: buffer.baseAddress, count: max(0, count))
        if end == .client { faults.counters.bytesUp += input.count } else { faults.counters.bytesDown += input.count }
        if count > 0, handsOn(input, end, connection) { return }
        guard count >= 0 else { return broke(end, side, connection) }
        orders.removeAll()
        if count > 0 {
            connection.received(input, from: end, now: now, &faults, &orders)
        } else {
            side.hasEnded = true
            connection.ended(end, now: now, &orders)
        }
        perform(connection, input)
    }

    /// The short way of bytes that nobody wants to look into, while no fault is active and nothing waits.
    private func handsOn(_ input: UnsafeRawBufferPointer, _ end: End, _ connection: Connection) -> Bool {
        guard faults.isQuiet, connection.stream?.isClear(end, now: { now }) == true, let other = connection[end.other],
            other.outbox.isEmpty, !other.isConnecting, !other.isBlocked
        else { return false }
        sendNow(input, other)
        if !other.outbox.isEmpty { settle(connection) }
        return true
    }

    /// Does what was decided.
    /// - Parameter input: what the orders' ranges are of.
    func perform(_ connection: Connection, _ input: UnsafeRawBufferPointer) {
        for order in orders.list {
            switch order {
            case .send(let end, let bytes, let at): send(bytes, of: input, to: connection[end], at: at)
            case .finish(let end, let how, let at): connection[end]?.outbox.end(how, at: at)
            case .again(let bytes, let at): keepCopy(bytes, until: at)
            }
        }
        settle(connection)
    }
    private func send(_ bytes: Bytes, of input: UnsafeRawBufferPointer, to side: Side?, at: Instant) {
        guard let side, !side.isFinished, !side.isGone else { return }
        guard at <= now, side.outbox.isEmpty, !side.isConnecting, !side.isBlocked else {
            switch bytes {
            case .own(let own): side.outbox.add(own, at: at)
            case .input(let range): side.outbox.add(Array(input[range]), at: at)
            }
            return
        }
        switch bytes {
        case .own(let own): own.withUnsafeBytes { sendNow($0, side) }
        case .input(let range): sendNow(UnsafeRawBufferPointer(rebasing: input[range]), side)
        }
    }
    /// Sends at once; what the socket does not take waits. A broken connection is noticed when it is read.
    private func sendNow(_ bytes: UnsafeRawBufferPointer, _ side: Side) {
        let sent = max(0, side.send(bytes))
        if sent < bytes.count { side.outbox.add(Array(bytes[sent...]), at: now) }
    }

    /// Sends what is due, watches for what comes next, and ends the connection when nothing can.
    func settle(_ connection: Connection) {
        for end in End.allCases {
            guard let side = connection[end], !side.outbox.isEmpty, !side.flush(now: now) else { continue }
            return broke(end, side, connection)
        }
        if connection.client?.isOver == true {
            connection.target.outbox.end(.orderly, at: now)
            _ = connection.target.flush(now: now)
        }
        guard !connection.isOver else { return remove(connection) }
        for end in End.allCases { watch(end, connection) }
        setTimer(connection)
    }
    private func watch(_ end: End, _ connection: Connection) {
        guard let side = connection[end], !side.isGone else { return }
        var what: UInt32 = 0
        if side.isConnecting || side.isBlocked { what |= UInt32(HR_WRITABLE) }
        if !side.hasEnded, !side.isConnecting, connection.wants(end) { what |= UInt32(HR_READABLE) }
        // Who sends no more and waits for us is watched too: it may go away.
        if side.hasEnded { what |= UInt32(HR_GONE) }
        side.watch(what, poller)
    }
    private func setTimer(_ connection: Connection) {
        for end in End.allCases {
            // What waits for an end that broke is due for ever.
            guard let side = connection[end], !side.isGone, !side.isBlocked, !side.isConnecting, !side.isFinished,
                let due = side.outbox.due, connection.armed.map({ due < $0 }) ?? true
            else { continue }
            connection.armed = due
            timers.insert(Timer(at: due, slot: connection.slot, use: uses[connection.slot]))
        }
    }
}
