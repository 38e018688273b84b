import CloudConformance
import CloudLoad
import FleetModel
import Foundation
import Hummingbird
import Logging

@testable import CloudServer

/// A server on a folder of its own that goes when the test ends.
final class LiveServer: Sendable {
    let folder: URL
    let data: DataFolder
    static let origin = "http://127.0.0.1:1"
    static let adminToken = "secret"

    /// - Parameter secret: made anew without one.
    init(secret: String? = nil) throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("homeroom-cloud-\(UUID().uuidString)")
        data = try DataFolder(folder.path)
        if let secret { try Data(secret.utf8).write(to: folder.appendingPathComponent("secret")) }
    }
    deinit { try? FileManager.default.removeItem(at: folder) }

    func server(
        patience: Duration = .milliseconds(100), isDevelopment: Bool = true, budget: BodyBudget = BodyBudget()
    ) throws -> Server {
        let engine = Engine(try data.open(isDevelopment: isDevelopment, origin: Self.origin))
        var log = Logger(label: "test")
        log.logLevel = .critical
        return Server(engine, Self.adminToken, log, folder, patience, budget)
    }
    /// Waits for what the server does in its own time; for ever only where it never comes.
    static func wait(_ isDone: () -> Bool) {
        for _ in 0..<60_000 where !isDone() { Thread.sleep(forTimeInterval: 0.01) }
    }
    /// All lines of an export.
    func export(_ engine: Engine) async throws -> [UInt8] {
        let file = folder.appendingPathComponent("export-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        try await engine.export(head: .empty, to: file)
        return [UInt8](try Data(contentsOf: file))
    }
    /// The same lines as they are read from a file.
    func reader(_ lines: [UInt8]) throws -> LineReader {
        let file = folder.appendingPathComponent("lines-\(UUID().uuidString)")
        try Data(lines).write(to: file)
        return LineReader(try FileHandle(forReadingFrom: file))
    }
    /// Serves while `body` runs, which is told the port and has a thread of its own: it blocks.
    func run<T: Sendable>(
        patience: Duration = .milliseconds(100), isDevelopment: Bool = true,
        _ body: @escaping @Sendable (Int) throws -> T
    ) async throws -> T {
        try await serve(server(patience: patience, isDevelopment: isDevelopment)) { port in
            try await withCheckedThrowingContinuation { done in
                Thread.detachNewThread { done.resume(with: Result { try body(port) }) }
            }
        }
    }
    /// Serves while `body` runs, which is told the port.
    func serve<T: Sendable>(
        _ server: Server, certificate: ServerCertificate? = nil, _ body: @Sendable (Int) async throws -> T
    ) async throws -> T {
        let (ports, ready) = AsyncStream<Int>.makeStream()
        let application = try server.application(host: "127.0.0.1", port: 0, certificate: certificate) { port in
            ready.yield(port)
        }
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await application.runService(gracefulShutdownSignals: []) }
            defer { group.cancelAll() }
            for await port in ports { return try await body(port) }
            throw CancellationError()
        }
    }
}

/// Over HTTP to a server in this process.
final class HTTPWire: Wire {
    private let port: Int
    private var connection: Connection?

    init(port: Int) { self.port = port }

    func send(_ request: FleetModel.HTTPRequest) -> FleetModel.HTTPResponse {
        for _ in 0..<2 {
            if connection == nil { connection = try? Connection(port: port) }
            if let answer = try? connection?.send(request) { return answer }
            connection = nil
        }
        return FleetModel.HTTPResponse(status: 0)
    }
    func command(_ name: String, _ body: Value) -> Value {
        let request = FleetModel.HTTPRequest(
            post: "/admin/v1/command", headers: ["X-Homeroom-Admin": LiveServer.adminToken],
            json: ["name": .string(name), "body": body])
        return send(request).json ?? .null
    }
    var seconds: Int64 { Int64(Date().timeIntervalSince1970) }
    func pass(_ span: Span) { Thread.sleep(forTimeInterval: Double(span.nanoseconds) / 1e9) }
}
