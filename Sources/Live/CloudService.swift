import CInterpose
import FleetModel
import Glibc
import Run

/// The iCloud of a live run: a server process of its own, or one that is there already.
public struct CloudAddress: Hashable, Sendable {
    /// Scheme, host and port, where commands of the run go.
    public var origin: String
    /// What an administrator shows.
    public var token: String
    /// File of the certificate by which to trust it; nil: those of the machine.
    public var certificate: String?
    /// Where iPads find it, when that is another way: through a proxy.
    public var way: String?

    /// From its parts; nothing is asked yet.
    public init(origin: String, token: String, certificate: String? = nil, way: String? = nil) {
        self.origin = origin
        self.token = token
        self.certificate = certificate
        self.way = way
    }

    /// What `homeroom-cloud` announces in `server.json` of its data folder; nil for anything else.
    public init?(announced value: Value) {
        guard let origin = value["origin"]?.string, let token = value["token"]?.string else { return nil }
        self.init(origin: origin, token: token, certificate: value["certificate"]?.string)
    }
}

/// Starts, crashes and asks the server of a live run.
final class CloudService {
    enum Source {
        /// A program to start, the folder of its data, the file for what it prints, and what is set of it by name.
        case program(String, data: String, log: String, settings: Value = .empty)
        case given(CloudAddress)
    }
    private let source: Source
    private(set) var address: CloudAddress?
    private var port: Int32 = 0
    private var pid: pid_t = 0
    private(set) var client: HTTPClient?
    /// Where a server that has been started tells its address, and what has come of it; -1 when none is awaited.
    private var ear: Int32 = -1
    private var heard: [UInt8] = []
    /// Whether a Cloud was there, and not only an address that could be wrong.
    var hasAnswered = false
    /// Number of the last event of the history that was fetched.
    var historyRead: Int64 = 0

    /// So long a server may take to answer for the first time.
    private static let patience: Int64 = 60_000_000_000
    private static let timeoutMilliseconds = 30_000

    init(_ source: Source) { self.source = source }

    /// Where its URLs begin. Known after `start`.
    var origin: String { address?.origin ?? "http://127.0.0.1:\(port)" }
    /// The same for iPads, and the certificate that they trust.
    var way: (base: String, certificate: String?) { (address?.way ?? origin, address?.certificate) }
    /// `HOST:PORT` of that; nil where it is https, which nobody on the way can look into.
    var plainTarget: String? {
        let plain = "http://"
        guard way.base.hasPrefix(plain) else { return nil }
        let host = String(way.base.dropFirst(plain.count))
        // Colons in brackets are the address's own (RFC 3986 3.2.2).
        return host.split(separator: "]", omittingEmptySubsequences: false).last?.contains(":") == true
            ? host : host + ":80"
    }
    /// Of the server that we have started; nil while it is down.
    var process: pid_t? { pid > 0 ? pid : nil }
    /// Whether a crash can be made: only of what we have started.
    var isOurs: Bool { if case .program = source { true } else { false } }

    // MARK: Life

    /// Starts the server without waiting for it; the first question does.
    func start() throws {
        switch source {
        case .given(let address):
            try connect(to: address)
        case .program(let program, let data, let log, let settings):
            if port == 0 { port = hr_free_port() }
            guard port > 0 else { throw RunEnd.input("no port is free on 127.0.0.1; end what listens there") }
            address = nil
            stopListening()
            var ends: [Int32] = [-1, -1]
            guard hr_pipe(&ends) == 0 else {
                throw RunEnd.noFile("no pipe for the Cloud's server")
            }
            ear = ends[0]
            let sides = (settings.object?.pairs ?? []).flatMap { ["--set", "\($0.key)=\($0.value.string ?? "")"] }
            let arguments =
                ["--data", data, "--port", String(port), "--testbed"] + sides + ["--announce-to", String(ends[1])]
            pid = Self.spawn(program, ["serve"] + arguments, log, keeping: ends[1])
            close(ends[1])
            guard pid > 0 else {
                throw RunEnd.noProcess("\(program)")
            }
        }
    }
    private static func spawn(
        _ program: String, _ arguments: [String], _ log: String, keeping descriptor: Int32
    ) -> pid_t {
        var pointers = ([program] + arguments).map { strdup($0) } + [nil]
        defer { for pointer in pointers { free(pointer) } }
        return hr_spawn_bound(program, &pointers, log, descriptor)
    }
    private func stopListening() {
        if ear >= 0 { close(ear) }
        (ear, heard) = (-1, [])
    }

    /// Ends it as a failing machine would. Nothing happens to a server that is not ours.
    func crash() {
        guard pid > 0 else { return }
        kill(pid, SIGKILL)
        _ = hr_wait(pid, 1)
        pid = 0
        address = nil
        stopListening()
    }

    /// - Throws: `RunEnd.harness` when it has ended by itself; `RunEnd.input` when it ended before it could serve: somebody else has its
    ///   port, its folder is full.
    func check() throws {
        var status: Int32 = 0
        guard pid > 0, hr_has_ended(pid, &status) != 0 else { return }
        pid = 0
        if case .program(_, _, let log, _) = source, ear >= 0, !hasAnnounced() { throw neverBegan(log, status) }
        stopListening()
        throw RunEnd.harness("the Cloud's server ended by itself: \(WaitStatus.words(for: status))")
    }

    /// Waits until it answers.
    /// - Throws: `RunEnd.input` when nobody can be reached or somebody else answers.
    func awaitReady() throws {
        guard case .program(_, _, let log, _) = source, address == nil, ear >= 0 else { return }
        let end = hr_real_ns() + Self.patience
        while true {
            let left = (end - hr_real_ns()) / 1_000_000
            guard left > 0 else {
                throw RunEnd.input("the Cloud's server does not answer after a minute: look into \(log)")
            }
            var wait = pollfd(fd: ear, events: Int16(POLLIN), revents: 0)
            guard poll(&wait, 1, Int32(clamping: left)) > 0 else { continue }
            let isOpen = hear()
            if let value = try? Value(json: heard), let announced = CloudAddress(announced: value) {
                stopListening()
                return try connect(to: announced)
            }
            guard isOpen else {
                // Who is on the way out keeps the status it ends with.
                kill(pid, SIGKILL)
                let status = hr_wait(pid, 1)
                pid = 0
                throw neverBegan(log, status)
            }
        }
    }
    /// Of a server that has ended: whether it told its address before, and nobody listened. It is not there to be waited for.
    private func hasAnnounced() -> Bool {
        var wait = pollfd(fd: ear, events: Int16(POLLIN), revents: 0)
        while poll(&wait, 1, 0) > 0, hear() {}
        return (try? Value(json: heard)).flatMap(CloudAddress.init(announced:)) != nil
    }
    /// - Returns: false when nothing more will come.
    private func hear() -> Bool {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = hr_read_some(ear, &buffer, buffer.count)
        heard += buffer.prefix(max(0, count))
        return count > 0
    }
    /// Nobody can announce anything any more: it has ended, or is a program that does other things.
    private func neverBegan(_ log: String, _ status: Int32) -> RunEnd {
        stopListening()
        let how = WaitStatus.words(for: status)
        let last =
            Self.lastLine(of: log) ?? "it printed nothing: it is no homeroom-cloud, or there is no room for its log"
        return RunEnd.input("the Cloud's server does not start: \(how): \(last)")
    }
    private func connect(to address: CloudAddress) throws {
        self.address = address
        client = try HTTPClient(
            base: address.origin, patience: .whole(milliseconds: Self.timeoutMilliseconds),
            certificate: address.certificate)
    }
    private static func lastLine(of file: String) -> String? {
        (contents(of: file) ?? []).split(separator: UInt8(ascii: "\n")).last.map { String(decoding: $0, as: UTF8.self) }
    }
    /// The beginning of a small file.
    private static func contents(of path: String) -> [UInt8]? {
        let fd = open(path, O_RDONLY | O_CLOEXEC)
        guard fd >= 0 else { return nil }
        defer { close(fd) }
        let size = 1 << 16
        return [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            count = max(0, hr_read_some(fd, buffer.baseAddress, size))
        }
    }
}
