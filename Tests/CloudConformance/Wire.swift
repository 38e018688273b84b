import CloudCore
import FleetModel
import Storage

/// The way to one iCloud: to the core in this process, or over HTTP to a server. Checks cannot tell which.
public protocol Wire: AnyObject {
    /// Status 0 when nobody answered.
    func send(_ request: HTTPRequest) -> HTTPResponse
    /// What an administrator asks for (Docs/cloud-api.md, "Management").
    func command(_ name: String, _ body: Value) -> Value
    /// The iCloud's clock, seconds since 1970.
    var seconds: Int64 { get }
    /// Lets time pass and what was put off be done.
    func pass(_ span: Span)
}

/// Straight to the core.
public final class DirectWire: Wire {
    public let cloud: Cloud
    private var now: Instant
    private var exchange: UInt64 = 0

    /// - Parameters:
    ///   - spec: of the Cloud; lies in memory.
    ///   - start: the clock at the beginning.
    public init(spec: Value, start: Instant = .zero) throws {
        cloud = try Cloud(spec: spec, disk: .memory())
        now = start
    }
    public func send(_ request: HTTPRequest) -> HTTPResponse {
        now = now + .milliseconds(1)
        exchange += 1
        let requests = [CloudRequest(from: .people, exchange: exchange, http: request)]
        return cloud.apply(requests, now: now).first?.response ?? HTTPResponse(status: 0)
    }
    public func command(_ name: String, _ body: Value) -> Value {
        now = now + .milliseconds(1)
        return cloud.command(Message(name, body), now: now).answer
    }
    public var seconds: Int64 { (Instant.epochNanoseconds + now.nanoseconds) / 1_000_000_000 }
    public func pass(_ span: Span) {
        // As a server does it: each half second.
        for _ in 0...(span.nanoseconds / 500_000_000) {
            now = now + .milliseconds(500)
            cloud.settle(now: now)
        }
    }
}
