import AsyncHTTPClient
import FleetModel
import Foundation
import HummingbirdTLS
import NIOCore

/// The command line's way to a server that runs already: the database is that server's alone.
public struct Administrator: Sendable {
    let running: DataFolder.Running

    private static let answerBytesMax = 64 << 20

    public init(running: DataFolder.Running) { self.running = running }

    /// Nil when nobody answers there: the server was killed and could not withdraw its announcement.
    public func command(_ name: String, _ body: Value) async -> Value? {
        let answer = await post("command", (["name": .string(name), "body": body] as Value).jsonBytes)
        return answer.flatMap { try? Value(json: $0) }
    }
    /// The same for what is no command: `import`.
    public func post(_ what: String, _ body: [UInt8]) async -> [UInt8]? {
        await connected { client in
            let response = try await send(what, body, by: client)
            guard response.status == .ok else { return nil }
            return Array(try await response.body.collect(upTo: Self.answerBytesMax).readableBytesView)
        }
    }
    /// `export`: the lines part by part as they come.
    /// - Returns: whether all of them came.
    public func export(head: Value, _ part: @escaping @Sendable ([UInt8]) throws -> Void) async -> Bool {
        let isWhole: Bool? = await connected { client in
            let response = try await send("export", head.jsonBytes, by: client)
            guard response.status == .ok else { return nil }
            for try await bytes in response.body { try part(Array(bytes.readableBytesView)) }
            return true
        }
        return isWhole ?? false
    }

    private func connected<T: Sendable>(_ body: @Sendable (HTTPClient) async throws -> T?) async -> T? {
        var settings = HTTPClient.Configuration()
        // Nobody there is an answer.
        settings.connectionPool.retryConnectionEstablishment = false
        if let certificate = running.certificate {
            settings.tlsConfiguration = .makeClientConfiguration()
            settings.tlsConfiguration?.trustRoots = .file(certificate)
        }
        let client = HTTPClient(configuration: settings)
        let answer = try? await body(client)
        try? await client.shutdown()
        return answer ?? nil
    }
    private func send(
        _ what: String, _ body: [UInt8], by client: HTTPClient
    ) async throws -> HTTPClientResponse {
        var request = HTTPClientRequest(url: running.origin + "/admin/v1/" + what)
        request.method = .POST
        request.headers.add(name: "X-Homeroom-Admin", value: running.token)
        request.body = .bytes(ByteBuffer(bytes: body))
        return try await client.execute(request, timeout: .seconds(what == "command" ? 10 : 600))
    }
}
