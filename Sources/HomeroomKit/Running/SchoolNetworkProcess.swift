import CInterpose
import FleetModel
import Glibc
import Live
import Proxy

/// The proxy as the school's network of a live run.
enum SchoolNetworkProcess {
    /// Never returns: it ends with its run.
    @Sendable static func serve(_ plan: SchoolNetworkPlan) -> Never {
        func say(_ line: String) {
            let bytes = Array((line + "\n").utf8)
            bytes.withUnsafeBytes { _ = hr_write_all(plan.control, $0.baseAddress, $0.count) }
        }
        do {
            let proxy = try server(plan)
            say("listening \(proxy.port)")
            try proxy.run()
            _exit(0)
        } catch {
            say((error as? ProxyProblem)?.message ?? "\(error)")
            _exit(1)
        }
    }

    private static func server(_ plan: SchoolNetworkPlan) throws -> ProxyServer {
        guard let target = Endpoint(plan.target) else {
            throw ProxyProblem("'\(plan.target)' is no HOST:PORT of a Cloud; correct --cloud")
        }
        // The machine's own network is the link.
        var faults = try Faults(
            specs: plan.faults, link: LinkModel(least: .zero, most: .zero, bytesPerSecond: 0), seed: plan.seed,
            pads: plan.pads, end: plan.stormEnd)
        faults.patience = plan.patience
        var setup = ProxyServer.Setup(listen: Endpoint(host: "127.0.0.1", port: 0), to: target, faults: faults)
        setup.clock = .standing
        setup.control = plan.control
        // Into the log of the run: too few files, a Cloud that refuses, faults as they come and go.
        setup.say = { line in
            let bytes = Array("network: \(line)\n".utf8)
            bytes.withUnsafeBytes { _ = hr_write_all(STDERR_FILENO, $0.baseAddress, $0.count) }
        }
        return try ProxyServer(setup)
    }
}
