import ArgumentParser
import FleetModel
import Live
import Load
import Run

/// `homeroom bench requests URL`
struct RequestBenchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "requests",
        abstract: "What the load generator's own HTTP client can do against one plain URL, to stand beside wrk.",
        discussion: "One process, one thread. Exit status 0; 3 for bad input, 4 when a request was not answered by 2xx."
    )

    @Argument(help: "http://HOST:PORT/PATH, such as that of a homeroom-cloud with the path /health.") var url: String
    @Option(parsing: .unconditional, help: "Requests under way at any time, 1 to 1000.") var connections = 64
    @Option(parsing: .unconditional, help: "Seconds, 1 to 3600.") var seconds = 5

    func validate() throws {
        guard (1...1000).contains(connections), (1...3600).contains(seconds) else {
            throw ValidationError("--connections takes 1 to 1000, --seconds 1 to 3600")
        }
    }

    func run() throws {
        let scheme = "http://"
        guard url.hasPrefix(scheme), url.utf8.count > scheme.utf8.count else {
            throw RunEnd.input("'\(url)' is no URL of plain HTTP; give http://HOST:PORT/PATH")
        }
        let place = url.dropFirst(scheme.count)
        let host = place.prefix { $0 != "/" }
        let path = place.dropFirst(host.count)
        let load = try PlainLoad(
            base: scheme + host, path: path.isEmpty ? "/" : String(path), flights: connections,
            lasting: .seconds(Int64(seconds)))
        guard load.answered > 0 else {
            throw RunEnd.input("nobody answers 2xx at \(url): start the server, or correct the address")
        }
        var histogram = LatencyHistogram()
        for latency in load.latencies { histogram.record(latency) }
        func short(_ part: Double) -> String { histogram.quantile(part)?.short ?? "-" }
        say(
            "\(FigureTable.short(load.perSecond)) requests/s  p50 \(short(0.5))  p99 \(short(0.99))  max \(histogram.max.short)  "
                + "\(load.answered) answered, \(load.failed) failed")
        guard load.failed == 0 else { throw RunEnd.harness("\(load.failed) requests were not answered by 2xx") }
    }
}
