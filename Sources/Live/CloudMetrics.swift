import CInterpose
import FleetModel

/// The Cloud's own counters (`GET /metrics`), asked for without waiting: whoever measures a load must not stand in its way.
public final class CloudMetrics {
    /// By name, statuses added up.
    public typealias Counters = [String: Double]

    private let client: HTTPClient
    private var answers: [Counters] = []

    /// - Returns: nil before the Cloud has an address.
    init?(_ cloud: CloudService) {
        guard let origin = cloud.address?.origin,
            let client = try? HTTPClient(
                base: origin, patience: .whole(milliseconds: 10_000), certificate: cloud.address?.certificate)
        else { return nil }
        self.client = client
    }

    /// Asks; the answer comes out of `next`.
    public func ask() {
        client.send(HTTPRequest("GET", "/metrics"), exchange: 0)
        goOn()
    }

    /// Counters that have come, the oldest first.
    /// - Parameter milliseconds: how long to wait for those that have not.
    public func next(waiting milliseconds: Int32 = 0) -> Counters? {
        goOn()
        if answers.isEmpty, client.isBusy, milliseconds > 0 {
            let end = hr_real_ns() + Int64(milliseconds) * 1_000_000
            while answers.isEmpty, client.isBusy, hr_real_ns() < end {
                client.wait(for: [], milliseconds: milliseconds)
                goOn()
            }
        }
        return answers.isEmpty ? nil : answers.removeFirst()
    }
    /// To be called again and again: nothing happens by itself.
    public func goOn() {
        guard client.isBusy else { return }
        for end in client.finished() {
            guard case .response(let response) = end.payload, response.isSuccess else { continue }
            answers.append(Self.counters(String(decoding: response.body, as: UTF8.self)))
        }
    }

    /// Reads Prometheus' text form: `name{labels} number`.
    static func counters(_ text: String) -> Counters {
        var counters: Counters = [:]
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            guard let blank = line.lastIndex(of: " "), let number = Double(line[line.index(after: blank)...]) else {
                continue
            }
            counters[String(line.prefix { $0 != "{" && $0 != " " }), default: 0] += number
        }
        return counters
    }
}
