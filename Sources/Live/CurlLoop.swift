import CCurl
import CInterpose
import Glibc
import Run

/// libcurl's socket interface over epoll, on the caller's own thread: what is asked of the kernel grows with what happens, and not with how many
/// connections are open, as it does with `curl_multi_perform`.
///
/// Handles are the caller's: one that ended is asked again with the next `start`, with all that was set on it.
final class CurlLoop {
    private let multi: UnsafeMutableRawPointer
    private let poller: Int32
    /// What curl wants to hear of a socket, by its number; 0: nothing.
    private var wanted: [UInt32] = []
    /// What the kernel tells of a socket. It may be more than is wanted: a connection that waits in curl's cache is left as it was, because
    /// the next request wants the same.
    private var told: [UInt32] = []
    /// When curl wants to be called whatever happens, by `hr_real_ns`.
    private var due: Int64?
    private var ready = [hr_ready](repeating: hr_ready(), count: 256)

    /// - Parameter connections: as many are kept for the next request.
    /// - Throws: `RunEnd.harness` when libcurl cannot start.
    init(connections: Int) throws {
        HTTPClient.prepare()
        poller = hr_poller()
        guard poller >= 0, let multi = curl_multi_init() else {
            throw RunEnd.harness("libcurl cannot start: run homeroom doctor")
        }
        self.multi = multi
        let owner = Unmanaged.passUnretained(self).toOpaque()
        hr_curl_set_watcher(
            multi, owner,
            { _, socket, what, owner, _ in
                CurlLoop.of(owner).watch(socket, what)
                return 0
            },
            { _, milliseconds, owner in
                CurlLoop.of(owner).due = milliseconds < 0 ? nil : hr_real_ns() + Int64(milliseconds) * 1_000_000
                return 0
            }, connections)
    }
    deinit {
        curl_multi_cleanup(multi)
        close(poller)
    }
    private static func of(_ owner: UnsafeMutableRawPointer?) -> CurlLoop {
        Unmanaged<CurlLoop>.fromOpaque(owner!).takeUnretainedValue()
    }

    /// A handle that tells this loop of sockets that it closes: the kernel forgets them by itself, and their number comes again.
    func makeHandle() -> UnsafeMutableRawPointer? {
        guard let easy = curl_easy_init() else { return nil }
        hr_curl_set_closing(easy, Unmanaged.passUnretained(self).toOpaque()) { owner, socket in
            let loop = CurlLoop.of(owner)
            loop.grow(socket)
            loop.wanted[Int(socket)] = 0
            loop.told[Int(socket)] = 0
            return close(socket)
        }
        return easy
    }

    func start(_ easy: UnsafeMutableRawPointer) { curl_multi_add_handle(multi, easy) }
    /// Of one that has ended, or is no longer wanted.
    func remove(_ easy: UnsafeMutableRawPointer) { curl_multi_remove_handle(multi, easy) }

    private func watch(_ socket: Int32, _ what: Int32) {
        grow(socket)
        let place = Int(socket)
        wanted[place] = 0
        guard what != CURL_POLL_REMOVE else { return }
        if what & CURL_POLL_IN != 0 { wanted[place] |= UInt32(HR_READABLE) }
        if what & CURL_POLL_OUT != 0 { wanted[place] |= UInt32(HR_WRITABLE) }
        if told[place] != wanted[place] { tell(socket, wanted[place]) }
    }
    private func tell(_ socket: Int32, _ what: UInt32) {
        _ = hr_watch(poller, socket, UInt64(socket), what, told[Int(socket)] == 0 ? 0 : 1)
        told[Int(socket)] = what
    }
    private func grow(_ socket: Int32) {
        guard wanted.count <= Int(socket) else { return }
        let more = [UInt32](repeating: 0, count: Int(socket) + 64 - wanted.count)
        wanted += more
        told += more
    }

    /// Waits until something can go on, at most so long, lets it go on, and gives each handle that has ended.
    func turn(milliseconds: Int32, ended: (UnsafeMutableRawPointer, CURLcode) -> Void) {
        let longest = Int64(milliseconds) * 1_000_000
        let wait = due.map { min(longest, max(0, $0 - hr_real_ns())) } ?? longest
        let count = hr_wait_ready(poller, &ready, Int32(ready.count), wait)
        var running: Int32 = 0
        for index in 0..<max(0, Int(count)) {
            let (socket, seen) = (Int32(ready[index].key), ready[index].what)
            // What happens to a connection in its cache curl finds out itself.
            guard wanted[Int(socket)] != 0 else {
                tell(socket, 0)
                continue
            }
            var what: Int32 = 0
            if seen & UInt32(HR_READABLE) != 0 { what |= CURL_CSELECT_IN }
            if seen & UInt32(HR_WRITABLE) != 0 { what |= CURL_CSELECT_OUT }
            if seen & UInt32(HR_GONE) != 0 { what |= CURL_CSELECT_ERR }
            curl_multi_socket_action(multi, socket, what, &running)
        }
        if let due, due <= hr_real_ns() {
            self.due = nil
            curl_multi_socket_action(multi, CURL_SOCKET_TIMEOUT, 0, &running)
        }
        var left: Int32 = 0
        while let message = curl_multi_info_read(multi, &left) {
            guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle else { continue }
            ended(easy, message.pointee.data.result)
        }
    }
}
