import CInterpose
import FleetModel
import Glibc

extension ProxyServer {
    /// Takes new connections, and connects each to the target.
    func accept() {
        for _ in 0..<64 {
            guard live < liveMax else { return pauseAccepting("ulimit -n") }
            var from = [CChar](repeating: 0, count: 64)
            let fd = hr_accept(listener, &from, from.count)
            if let remedy = Self.remedy(for: -fd) { return pauseAccepting(remedy) }
            guard fd >= 0 else { return }
            faults.counters.connections += 1
            join(fd, from: String(decoding: from.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self))
        }
    }
    /// Which limit to raise when no more files may be open: the process's or the machine's; nil for another error.
    static func remedy(for error: Int32) -> String? {
        error == EMFILE ? "ulimit -n" : error == ENFILE ? "sysctl fs.file-max" : nil
    }
    private func pauseAccepting(_ remedy: String) {
        sayOnce(
            "\(live) connections are open, and no more files may be: the next ones wait. Raise the limit (\(remedy))")
        isAccepting = false
        _ = hr_watch(poller, listener, Key.listener, 0, 1)
    }

    private func join(_ client: Int32, from source: String) {
        guard let target = connected() else { return hr_tear_down(client) }
        let pad = faults.sources[source] ?? 0
        let connection = add(client: client, target: target)
        if faults.needsMessages {
            connection.conversation = Conversation(pad: pad)
        } else {
            connection.stream = Stream(pad: pad)
        }
        settle(connection)
    }
    private func connected() -> Int32? {
        let fd = withUnsafePointer(to: address) { hr_connect($0) }
        if fd < 0 { targetFailed(-fd) }
        return fd < 0 ? nil : fd
    }
    /// The client sees what it would see without us: nobody there.
    func targetFailed(_ error: Int32) {
        let reason = String(cString: strerror(error))
        if let remedy = Self.remedy(for: error) {
            return sayOnce("no more files may be open (\(reason)): clients are refused. Raise the limit (\(remedy))")
        }
        sayOnce(
            "\(setup.target) does not answer (\(reason)): clients are refused until it does. Is the server running?")
    }

    /// A request comes a second time, on a connection of its own.
    func sendCopy(_ bytes: [UInt8]) {
        copyBytes -= bytes.count
        guard live < liveMax, let target = connected() else { return }
        let connection = add(client: nil, target: target)
        connection.copy = Framer(.response)
        connection.target.outbox.add(bytes, at: now)
        settle(connection)
    }
    /// Keeps a copy until its time; so many bytes at most, what comes then comes once.
    func keepCopy(_ bytes: [UInt8], until at: Instant) {
        guard copyBytes + bytes.count <= 64 << 20 else { return faults.counters.count("copies-given-up") }
        copyBytes += bytes.count
        copyNumber += 1
        copies.insert(CopyTimer(at: at, number: copyNumber, bytes: bytes))
    }

    private func add(client: Int32?, target: Int32) -> Connection {
        let slot = free.popLast() ?? connections.count
        if slot == connections.count {
            connections.append(nil)
            uses.append(0)
        }
        uses[slot] &+= 1
        let key = UInt64(uses[slot]) << 32 | UInt64(slot) << 1
        let connection = Connection(
            client: client.map { Side(fd: $0, key: key) }, target: Side(fd: target, key: key | 1), slot: slot)
        connection.target.isConnecting = true
        connections[slot] = connection
        live += 1
        return connection
    }

    func remove(_ connection: Connection) {
        connection.client?.close()
        connection.target.close()
        connections[connection.slot] = nil
        // A number that was used is not used again before its events are old: none outlives its descriptors.
        uses[connection.slot] &+= 1
        free.append(connection.slot)
        live -= 1
        if !isAccepting { goOnAccepting() }
    }
    func goOnAccepting() {
        isAccepting = true
        _ = hr_watch(poller, listener, Key.listener, UInt32(HR_READABLE), 0)
    }
}
