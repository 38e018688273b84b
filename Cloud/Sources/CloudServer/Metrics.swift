import Synchronization

/// What `GET /metrics` shows, in Prometheus' text form.
public final class Metrics: Sendable {
    private struct State {
        var requests: [Int: Int] = [:]
        var microseconds = 0
        var commits = 0
        var committed = 0
    }
    private let state = Mutex(State())

    func committed(requests: Int) {
        state.withLock {
            $0.commits += 1
            $0.committed += requests
        }
    }
    func answered(status: Int, after duration: Duration) {
        let (seconds, attoseconds) = duration.components
        state.withLock {
            $0.requests[status, default: 0] += 1
            $0.microseconds += Int(seconds) * 1_000_000 + Int(attoseconds / 1_000_000_000_000)
        }
    }

    public var text: String {
        let now = state.withLock { $0 }
        var lines = [
            "# HELP homeroom_cloud_requests_total Requests answered, by status.",
            "# TYPE homeroom_cloud_requests_total counter",
        ]
        for (status, count) in now.requests.sorted(by: { $0.key < $1.key }) {
            lines.append("homeroom_cloud_requests_total{status=\"\(status)\"} \(count)")
        }
        lines += [
            "# HELP homeroom_cloud_request_seconds_total Time from the last byte of a request to its answer.",
            "# TYPE homeroom_cloud_request_seconds_total counter",
            "homeroom_cloud_request_seconds_total \(Double(now.microseconds) / 1_000_000)",
            "# HELP homeroom_cloud_commits_total Transactions.", "# TYPE homeroom_cloud_commits_total counter",
            "homeroom_cloud_commits_total \(now.commits)",
            "# HELP homeroom_cloud_committed_requests_total Requests in those transactions.",
            "# TYPE homeroom_cloud_committed_requests_total counter",
            "homeroom_cloud_committed_requests_total \(now.committed)",
        ]
        return lines.joined(separator: "\n") + "\n"
    }
}
