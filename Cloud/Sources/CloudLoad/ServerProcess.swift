import FleetModel
import Foundation

/// A server of its own in a folder, started, killed and measured from outside.
public final class ServerProcess {
    private let binary: String
    public let folder: URL
    public let port: Int
    private var process: Process?

    /// - Parameters:
    ///   - binary: `homeroom-cloud`.
    ///   - folder: made when missing.
    public init(binary: String, folder: URL, port: Int) {
        self.binary = binary
        self.folder = folder
        self.port = port
    }
    deinit { kill() }

    public var id: Int32 { process?.processIdentifier ?? 0 }

    /// - Returns: seconds until it answered.
    @discardableResult
    public func start() throws -> Double {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: binary)
        process.arguments = ["serve", "--dev", "--port", String(port), "--data", folder.path]
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        self.process = process
        let start = ContinuousClock.now
        while ContinuousClock.now - start < .seconds(30) {
            if let answer = try? Connection(port: port, patience: 2).send(HTTPRequest("GET", "/health")),
                answer.status == 200
            {
                return Self.seconds(ContinuousClock.now - start)
            }
            guard process.isRunning else { throw ConnectionError("the server ended with \(process.terminationStatus)") }
            Thread.sleep(forTimeInterval: 0.005)
        }
        throw ConnectionError("the server does not answer on port \(port) after 30 s")
    }
    /// SIGKILL: nothing of the process gets to do anything more.
    public func kill() {
        guard let process, process.isRunning else { return }
        Foundation.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        self.process = nil
    }
    public static func seconds(_ duration: Duration) -> Double {
        Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
    }
}
