import CCurl
import CInterpose
import FleetModel
import Run

/// HTTP over libcurl's multi interface: many requests at once on connections that are used again, on the caller's own thread.
///
/// A request that certainly was not sent ends as `.unreachable`, everything else that breaks as `.connectionLost`: curl may send a
/// request again by itself on a fresh connection when the one it used before was closed, so only one of which not a byte left counts as
/// unsent. Redirects are not followed; proxies of the environment are not used.
final class HTTPClient {
    private let multi: UnsafeMutableRawPointer
    /// Scheme, host and port.
    private let base: String
    private let patience: Patience
    /// PEM file of the certificates that are trusted instead of the machine's.
    private let certificate: String?
    private var transfers: [UnsafeMutableRawPointer: Transfer] = [:]
    private var refused: [(exchange: UInt64, payload: Payload)] = []
    /// Why the last request that broke did, for who asks a person to mend it.
    private(set) var trouble: (words: String, isUntrusted: Bool)?

    /// To be called before a process is forked that uses a client: the children share what it sets up.
    static func prepare() { _ = prepared }
    private static let prepared = curl_global_init(Int(CURL_GLOBAL_DEFAULT))

    /// When a request counts as lost, and its connection is given up.
    enum Patience {
        /// So long after its beginning, whatever has come.
        case whole(milliseconds: Int)
        /// A GET, or a body from 64 KiB on, when nothing moved for so long: on a slow network a file takes the time it takes
        /// (`timeoutIntervalForRequest`, app-lifecycle.md 7); the iPad has limits of its own for the whole. All else so long after its
        /// beginning: whoever watches what moves wakes every second, and a long poll would.
        case silence(seconds: Int)
    }

    init(base: String, patience: Patience, certificate: String? = nil) throws(RunEnd) {
        Self.prepare()
        guard let multi = curl_multi_init() else { throw RunEnd.harness("libcurl cannot start: run homeroom doctor") }
        self.multi = multi
        self.base = base
        self.patience = patience
        self.certificate = certificate
    }
    deinit {
        for easy in transfers.keys {
            curl_multi_remove_handle(multi, easy)
            curl_easy_cleanup(easy)
        }
        curl_multi_cleanup(multi)
    }

    var isBusy: Bool { !transfers.isEmpty || !refused.isEmpty }

    /// Starts a request with the next `finished`, for which `wait` does not wait then; its end comes out of `finished`.
    ///
    /// Sending does no work: what had come for others would be taken in, and nobody would look for it before something else happens.
    func send(_ request: HTTPRequest, exchange: UInt64) {
        guard request.isSendable, let easy = curl_easy_init() else {
            return refused.append((exchange, .failure(.unreachable)))
        }
        let transfer = Transfer(exchange: exchange)
        transfers[easy] = transfer
        transfer.configure(easy, request, url: base + request.target, patience)
        if let certificate { hr_curl_set_text(easy, CURLOPT_CAINFO, certificate) }
        curl_multi_add_handle(multi, easy)
    }

    /// Waits until a request goes on or one of the descriptors can be used.
    func wait(for descriptors: [curl_waitfd], milliseconds: Int32) {
        var descriptors = descriptors
        let wait = refused.isEmpty ? milliseconds : 0
        curl_multi_poll(multi, &descriptors, UInt32(descriptors.count), wait, nil)
    }

    /// Goes on with what can go on, and takes what has ended: a response or a failure each.
    func finished() -> [(exchange: UInt64, payload: Payload)] {
        work()
        var ended = refused
        refused = []
        var left: Int32 = 0
        while let message = curl_multi_info_read(multi, &left) {
            guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle else { continue }
            let result = message.pointee.data.result
            if result != CURLE_OK {
                let words = String(cString: curl_easy_strerror(result))
                trouble = (words, isUntrusted: result == CURLE_PEER_FAILED_VERIFICATION)
            }
            if let transfer = transfers.removeValue(forKey: easy) {
                ended.append((transfer.exchange, transfer.end(easy, result)))
            }
            curl_multi_remove_handle(multi, easy)
            curl_easy_cleanup(easy)
        }
        return ended
    }
    private func work() {
        var running: Int32 = 0
        curl_multi_perform(multi, &running)
    }

    /// One request, waited for.
    func fetch(_ request: HTTPRequest) -> Payload {
        send(request, exchange: 0)
        while isBusy {
            if let end = finished().first { return end.payload }
            wait(for: [], milliseconds: 1000)
        }
        return .failure(.unreachable)
    }
}

/// One request under way.
private final class Transfer {
    let exchange: UInt64
    private var headers = HTTPHeaders()
    private var body: [UInt8] = []
    private var list: UnsafeMutablePointer<curl_slist>?
    /// Longer answers are broken off: nothing that the service sends comes near.
    private static let bodyBytesMax = 1 << 30

    init(exchange: UInt64) { self.exchange = exchange }
    deinit { curl_slist_free_all(list) }

    func configure(
        _ easy: UnsafeMutableRawPointer, _ request: HTTPRequest, url: String, _ patience: HTTPClient.Patience
    ) {
        hr_curl_set_text(easy, CURLOPT_URL, url)
        hr_curl_set_long(easy, CURLOPT_PATH_AS_IS, 1)
        hr_curl_set_long(easy, CURLOPT_NOSIGNAL, 1)
        hr_curl_set_long(easy, CURLOPT_TCP_NODELAY, 1)
        hr_curl_set_text(easy, CURLOPT_PROXY, "")
        hr_curl_set_text(easy, CURLOPT_PROTOCOLS_STR, "http,https")
        hr_curl_set_long(easy, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1)
        hr_curl_send_little_ahead(easy)
        wait(easy, for: request, patience)
        hr_curl_set_text(easy, CURLOPT_CUSTOMREQUEST, request.method)
        if request.method == "HEAD" {
            // No body follows, whatever length is told.
            hr_curl_set_long(easy, CURLOPT_NOBODY, 1)
        } else if !request.body.isEmpty || request.method != "GET" {
            hr_curl_set_size(easy, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(request.body.count))
            request.body.withUnsafeBytes { bytes in
                // An empty body has no address, and without one curl would wait for a body to read.
                let start = bytes.baseAddress.map { UnsafeMutableRawPointer(mutating: $0) }
                if let start, !bytes.isEmpty {
                    hr_curl_set_pointer(easy, CURLOPT_COPYPOSTFIELDS, start)
                } else {
                    hr_curl_set_text(easy, CURLOPT_COPYPOSTFIELDS, "")
                }
            }
        }
        // As given: curl adds a form's type and asks for leave to send large bodies unless told not to.
        if request.headers["Content-Type"] == nil { list = curl_slist_append(list, "Content-Type:") }
        list = curl_slist_append(list, "Expect:")
        for field in request.headers.fields {
            // A field without a value has a form of its own.
            list = curl_slist_append(list, field.value.isEmpty ? "\(field.name);" : "\(field.name): \(field.value)")
        }
        hr_curl_set_list(easy, CURLOPT_HTTPHEADER, list)
        let owner = Unmanaged.passUnretained(self).toOpaque()
        hr_curl_set_pointer(easy, CURLOPT_HEADERDATA, owner)
        hr_curl_set_receiver(easy, CURLOPT_HEADERFUNCTION) { bytes, size, count, owner in
            Transfer.of(owner)?.takeHeader(bytes, size * count) ?? 0
        }
        hr_curl_set_pointer(easy, CURLOPT_WRITEDATA, owner)
        hr_curl_set_receiver(easy, CURLOPT_WRITEFUNCTION) { bytes, size, count, owner in
            Transfer.of(owner)?.takeBody(bytes, size * count) ?? 0
        }
    }

    /// Bodies from this size on are files.
    private static let fileBytesMin = 64 << 10

    private func wait(
        _ easy: UnsafeMutableRawPointer, for request: HTTPRequest, _ patience: HTTPClient.Patience
    ) {
        switch patience {
        case .whole(let milliseconds): hr_curl_set_long(easy, CURLOPT_TIMEOUT_MS, milliseconds)
        case .silence(let seconds) where request.method == "GET" || request.body.count >= Self.fileBytesMin:
            hr_curl_set_long(easy, CURLOPT_CONNECTTIMEOUT, seconds)
            hr_curl_set_long(easy, CURLOPT_LOW_SPEED_LIMIT, 1)
            hr_curl_set_long(easy, CURLOPT_LOW_SPEED_TIME, seconds)
        case .silence(let seconds): hr_curl_set_long(easy, CURLOPT_TIMEOUT, seconds)
        }
    }

    private static func of(_ owner: UnsafeMutableRawPointer?) -> Transfer? {
        owner.map { Unmanaged<Transfer>.fromOpaque($0).takeUnretainedValue() }
    }
    private func takeHeader(_ bytes: UnsafeMutablePointer<CChar>?, _ count: Int) -> Int {
        let line = String(decoding: UnsafeRawBufferPointer(start: bytes, count: count), as: UTF8.self)
        // Another answer begins: the one before was only a "go on".
        if line.hasPrefix("HTTP/") { headers = [:] }
        guard let colon = line.firstIndex(of: ":") else { return count }
        var value = line[line.index(after: colon)...].drop(while: \.isWhitespace)
        while value.last?.isWhitespace ?? false { value.removeLast() }
        headers[String(line[..<colon])] = String(value)
        return count
    }
    private func takeBody(_ bytes: UnsafeMutablePointer<CChar>?, _ count: Int) -> Int {
        guard body.count + count <= Self.bodyBytesMax else { return 0 }
        body += UnsafeRawBufferPointer(start: bytes, count: count)
        return count
    }

    func end(_ easy: UnsafeMutableRawPointer, _ result: CURLcode) -> Payload {
        guard result == CURLE_OK else {
            return .failure(hr_curl_long(easy, CURLINFO_REQUEST_SIZE) == 0 ? .unreachable : .connectionLost)
        }
        let status = hr_curl_long(easy, CURLINFO_RESPONSE_CODE)
        return .response(HTTPResponse(status: status, headers: headers, body: body))
    }
}

extension HTTPRequest {
    /// Whether it is one request to the service and nothing else: an app may have written parts of it.
    fileprivate var isSendable: Bool {
        func isPlain(_ text: String) -> Bool { text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f } }
        return target.hasPrefix("/") && isPlain(target) && !target.utf8.contains(0x20) && !method.isEmpty
            && method.utf8.allSatisfy { (65...90).contains($0) }
            && headers.fields.allSatisfy { isPlain($0.name) && isPlain($0.value) && !$0.name.utf8.contains(0x3a) }
    }
}
