import Testing

@testable import Live
@testable import Run

@Suite("Cloud's counters", .timeLimit(.minutes(20))) struct CloudMetricsTests {
    @Test("Prometheus' text form: by name, labels added up; remarks and what is no number are left out")
    func text() {
        let text = """
            # TYPE homeroom_cloud_requests_total counter
            homeroom_cloud_requests_total{status="200"} 40
            homeroom_cloud_requests_total{status="503"} 2
            homeroom_cloud_commits_total 7
            homeroom_cloud_request_seconds_total 1.5
            nonsense
            worse than that
            """
        let expected = [
            "homeroom_cloud_requests_total": 42, "homeroom_cloud_commits_total": 7,
            "homeroom_cloud_request_seconds_total": 1.5,
        ]
        #expect(CloudMetrics.counters(text) == expected && CloudMetrics.counters("").isEmpty)
    }
}
