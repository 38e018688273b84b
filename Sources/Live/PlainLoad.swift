import CInterpose
import FleetModel
import Run

/// One request again and again, so many at a time, by the client that iPads of live use: what the load generator itself can do, beside
/// a tool that does nothing else.
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
        let client = try HTTPClient(base: base, patience: .whole(milliseconds: 10_000))
        var begun: [UInt64: Int64] = [:]
        var next: UInt64 = 0
        let start = hr_real_ns()
        func send() {
            next += 1
            begun[next] = hr_real_ns()
            client.send(HTTPRequest("GET", path), exchange: next)
        }
        for _ in 0..<max(1, flights) { send() }
        while client.isBusy {
            let ended = client.finished()
            let now = hr_real_ns()
            for end in ended {
                if case .response(let response) = end.payload, response.isSuccess {
                    answered += 1
                    latencies.append(Span(nanoseconds: now - (begun[end.exchange] ?? now)))
                } else {
                    failed += 1
                }
                begun[end.exchange] = nil
                // Nobody there: asking on would only turn in a circle.
                if now - start < span.nanoseconds, answered > 0 { send() }
            }
            if ended.isEmpty { client.wait(for: [], milliseconds: 1000) }
        }
        took = Span(nanoseconds: hr_real_ns() - start)
    }
}
