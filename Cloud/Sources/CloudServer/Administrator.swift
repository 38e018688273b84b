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
        await answer(to: "command", .bytes((["name": .string(name), "body": body] as Value).jsonBytes))
    }
    /// `import`: the lines part by part as they are read.
    public func `import`(_ lines: LineReader) async -> Value? {
        await answer(to: "import", .stream(PartSequence(lines: lines) { ByteBuffer(bytes: $0) }, length: .unknown))
    }
    private func answer(to what: String, _ body: HTTPClientRequest.Body) async -> Value? {
        await connected { client in
            let response = try await send(what, body, by: client)
            guard response.status == .ok else { return nil }
            return try Value(json: Array(try await response.body.collect(upTo: Self.answerBytesMax).readableBytesView))
        }
    }
    /// `export`: the lines part by part as they come.
    /// - Returns: whether all of them came.
    public func export(head: Value, _ part: @escaping @Sendable ([UInt8]) throws -> Void) async -> Bool {
        let isWhole: Bool? = await connected { client in
            let response = try await send("export", .bytes(head.jsonBytes), by: client)
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
        _ what: String, _ body: HTTPClientRequest.Body, by client: HTTPClient
    ) async throws -> HTTPClientResponse {
        var request = HTTPClientRequest(url: running.origin + "/admin/v1/" + what)
        request.method = .POST
        request.headers.add(name: "X-Homeroom-Admin", value: running.token)
        request.body = body
        return try await client.execute(request, timeout: what == "command" ? .seconds(10) : .hours(24))
    }
}
