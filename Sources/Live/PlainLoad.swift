import CCurl
import CInterpose
import FleetModel
import Run

/// One request again and again, so many at a time: what the load generator itself can do, next to a tool that does nothing else.
///
/// The library is that of the iPads of live. Each request under way has one handle, which is set up once; of an answer only the status is looked at,
/// and its body is not copied.
public struct PlainLoad {
    /// Requests that were answered with 2xx.
    public private(set) var answered = 0
    /// No answer, or one that is none of 2xx.
    public private(set) var failed = 0
    /// Of each answered request, in the order of their ends.
    public private(set) var latencies: [Span] = []
    /// Real time from the first request to the end of the last.
    public private(set) var took = Span.zero

    /// Answered requests in a second of `took`.
    public var perSecond: Double { Double(answered) * 1e9 / Double(max(1, took.nanoseconds)) }

    /// Asks until the time is over, and waits for what is under way then.
    /// - Parameters:
    ///   - base: scheme, host and port.
    ///   - flights: requests under way at any time; as many connections.
    /// - Throws: `RunEnd.harness` when libcurl cannot start.
    public init(base: String, path: String, flights: Int, lasting span: Span) throws {
        let flights = max(1, flights)
        let loop = try CurlLoop(connections: flights)
        var begun: [UnsafeMutableRawPointer: Int64] = [:]
        for _ in 0..<flights {
            guard let easy = loop.makeHandle() else {
                throw RunEnd.harness("libcurl cannot start: run homeroom doctor")
            }
            begun[easy] = 0
            Self.configure(easy, url: base + path)
        }
        let handles = Array(begun.keys)
        defer {
            for easy in handles {
                loop.remove(easy)
                curl_easy_cleanup(easy)
            }
        }
        latencies.reserveCapacity(1 << 16)
        let start = hr_real_ns()
        var flying = flights
        for easy in handles {
            begun[easy] = start
            loop.start(easy)
        }
        while flying > 0 {
            loop.turn(milliseconds: 1000) { easy, result in
                let now = hr_real_ns()
                if result == CURLE_OK, (200..<300).contains(hr_curl_long(easy, CURLINFO_RESPONSE_CODE)) {
                    answered += 1
                    latencies.append(Span(nanoseconds: now - (begun[easy] ?? now)))
                } else {
                    failed += 1
                }
                loop.remove(easy)
                // Nobody there: asking on would only turn in a circle.
                if now - start < span.nanoseconds, answered > 0 {
                    begun[easy] = now
                    loop.start(easy)
                } else {
                    flying -= 1
                }
            }
        }
        took = Span(nanoseconds: hr_real_ns() - start)
    }

    private static func configure(_ easy: UnsafeMutableRawPointer, url: String) {
        hr_curl_set_text(easy, CURLOPT_URL, url)
        hr_curl_set_long(easy, CURLOPT_PATH_AS_IS, 1)
        hr_curl_set_long(easy, CURLOPT_NOSIGNAL, 1)
        hr_curl_set_long(easy, CURLOPT_TCP_NODELAY, 1)
        hr_curl_set_text(easy, CURLOPT_PROXY, "")
        hr_curl_set_text(easy, CURLOPT_PROTOCOLS_STR, "http,https")
        hr_curl_set_long(easy, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1)
        hr_curl_set_long(easy, CURLOPT_TIMEOUT_MS, 10_000)
        hr_curl_set_receiver(easy, CURLOPT_WRITEFUNCTION) { _, size, count, _ in size * count }
    }
}
