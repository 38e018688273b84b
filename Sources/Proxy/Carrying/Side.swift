import CInterpose
import FleetModel
import Glibc

/// One socket of a proxied connection.
final class Side {
    let fd: Int32
    /// What events of this socket are called.
    let key: UInt64
    var outbox = Outbox()
    var isConnecting = false
    /// The socket takes no more for now.
    var isBlocked = false
    /// The peer sends no more.
    var hasEnded = false
    /// We send no more.
    var isFinished = false
    /// The socket is closed.
    private(set) var isGone = false
    private var watched: UInt32 = 0

    init(fd: Int32, key: UInt64) {
        self.fd = fd
        self.key = key
    }

    /// Whether nothing can come or go any more.
    var isOver: Bool { isGone || hasEnded && isFinished }

    func watch(_ what: UInt32, _ poller: Int32) {
        guard what != watched, !isGone else { return }
        _ = hr_watch(poller, fd, key, what, watched == 0 ? 0 : 1)
        watched = what
    }

    func send(_ bytes: UnsafeRawBufferPointer) -> Int {
        let count = hr_send(fd, bytes.baseAddress, bytes.count)
        if count == -Int(EAGAIN) || count >= 0 && count < bytes.count { isBlocked = true }
        return count == -Int(EAGAIN) ? 0 : count
    }
    /// Sends what is due.
    /// - Returns: false when the connection broke.
    func flush(now: Instant) -> Bool {
        guard !isConnecting, !isGone, !isFinished else { return true }
        isBlocked = false
        guard outbox.flush(now: now, send) >= 0 else { return false }
        guard !isBlocked, let finish = outbox.finishDue(now: now) else { return true }
        isFinished = true
        if finish == .reset { tearDown() } else { hr_end_writing(fd) }
        return true
    }

    /// The peer sees an ordinary end; or a reset, if it has sent what nobody read.
    func close() {
        guard !isGone else { return }
        isGone = true
        Glibc.close(fd)
    }
    func tearDown() {
        guard !isGone else { return }
        isGone = true
        hr_tear_down(fd)
    }
}
