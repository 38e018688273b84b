import AsyncHTTPClient
import FleetModel
import Foundation
import HummingbirdTLS
import NIOCore

/// The command line's way to a server that runs already: the database is that server's alone.
public struct Administrator: Sendable {
    let running: DataFolder.Running

    /// An answer may hold everything there is.
    private static let answerBytesMax = 4 << 30

    public init(running: DataFolder.Running) { self.running = running }

    /// Nil when nobody answers there: the server was killed and could not withdraw its announcement.
    public func command(_ name: String, _ body: Value) async -> Value? {
        let answer = await post("command", (["name": .string(name), "body": body] as Value).jsonBytes)
        return answer.flatMap { try? Value(json: $0) }
    }
    /// The same for what is no command: `export`, `import`.
    public func post(_ what: String, _ body: [UInt8]) async -> [UInt8]? {
        var settings = HTTPClient.Configuration()
        // Nobody there is an answer.
        settings.connectionPool.retryConnectionEstablishment = false
        if let certificate = running.certificate {
            settings.tlsConfiguration = .makeClientConfiguration()
            settings.tlsConfiguration?.trustRoots = .file(certificate)
        }
        let client = HTTPClient(configuration: settings)
        let answer = try? await send(what, body, by: client)
        try? await client.shutdown()
        return answer ?? nil
    }
    private func send(_ what: String, _ body: [UInt8], by client: HTTPClient) async throws -> [UInt8]? {
        var request = HTTPClientRequest(url: running.origin + "/admin/v1/" + what)
        request.method = .POST
        request.headers.add(name: "X-Homeroom-Admin", value: running.token)
        request.body = .bytes(ByteBuffer(bytes: body))
        let response = try await client.execute(request, timeout: .seconds(what == "command" ? 10 : 600))
        guard response.status == .ok else { return nil }
        return Array(try await response.body.collect(upTo: Self.answerBytesMax).readableBytesView)
    }
}
