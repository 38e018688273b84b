import ArgumentParser
import FleetModel
import Nemesis
import Proxy
import Run
import Workload

/// `homeroom proxy --listen HOST:PORT --to HOST:PORT [--faults FILE]`
struct ProxyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "proxy",
        abstract:
            "A school's network in front of any server: carries bytes, and breaks what a fault file says (Docs/proxy.md).",
        discussion: """
            The file has `faults:` as a scenario has them; times count from the start of the proxy. Ends with a line of counters on \
            Ctrl-C or SIGTERM, exit status 0; 3 for bad input.

            Of the counters, up= and down= are bytes read from clients and from the server: all that TCP brings, heads and TLS too, also of \
            what a fault then lost. Answers and copies of requests that the proxy itself sends are not in them.
            """)

    @Option(help: "HOST:PORT to listen on; port 0: any free one, which is printed.") var listen: String
    @Option(help: "HOST:PORT of the server that is asked.") var to: String
    @Option(help: "A file with `faults:`; a scenario will do.") var faults: String?
    @Option(parsing: .unconditional, help: "Seed of all draws.") var seed: UInt64 = 1
    @Option(
        parsing: .unconditional,
        help: "Run seconds in a second: all times of the file, latencies too, are divided by it (more than 0 to 1000).")
    var speed = 1.0
    @Flag(help: "Print the last line only.") var quiet = false

    func validate() throws {
        try OwnCloudOptions.validate(speed: speed)
    }

    func run() throws {
        let target = try endpoint(to, "--to")
        guard target.port > 0 else {
            throw RunEnd.input("--to needs the port of a server, 1 to 65535; 0 is none")
        }
        var setup = ProxyServer.Setup(
            listen: try endpoint(listen, "--listen"), to: target, faults: try readFaults())
        setup.speed = speed
        // A line is worth more than its buffer: somebody waits for the port.
        let isQuiet = quiet
        setup.say = { line in if !isQuiet { printNow(line) } }
        let server = try Self.told { () throws(ProxyProblem) in try ProxyServer(setup) }
        Interruption.install(waking: server.waker)
        if !quiet {
            printNow("listening on \(Endpoint(host: setup.listen.host, port: server.port)) for \(setup.target)")
        }
        try Self.told { () throws(ProxyProblem) in try server.run() }
        say(server.faults.counters.summary)
    }

    private static func told<T>(_ work: () throws(ProxyProblem) -> T) throws -> T {
        do throws(ProxyProblem) { return try work() } catch { throw RunEnd.input("proxy: \(error.message)") }
    }
    private func endpoint(_ text: String, _ option: String) throws -> Endpoint {
        guard let endpoint = Endpoint(text) else {
            throw RunEnd.input("\(option) takes HOST:PORT, such as 127.0.0.1:8080, not '\(text.prefix(60))'")
        }
        return endpoint
    }

    private func readFaults() throws -> Faults {
        let still = LinkModel(least: .zero, most: .zero, bytesPerSecond: 0)
        guard let path = faults else { return try Faults(specs: [], link: still, seed: seed) }
        guard Folders.exists(path) else { throw RunEnd.input("\(path): no such file") }
        let file = try ScenarioFiles.faults(try Folders.read(path), file: path)
        if !quiet { warn(file) }
        var faults = try Faults(specs: file.faults, link: file.network ?? still, seed: seed, sources: file.sources)
        faults.scenario = file.scenario
        return faults
    }
    /// What a proxy cannot do is said, not done in silence.
    private func warn(_ file: FaultFile) {
        let idle = file.faults.filter { FaultRegistry.named($0.kind)?.reach == .elsewhere }.map(\.id)
        guard !idle.isEmpty else { return }
        printNow("no faults of a network, and passed over here: \(idle.joined(separator: ", "))")
    }
}
