import FleetModel
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The command line's way to a server that runs already: the database is that server's alone.
public struct Administrator: Sendable {
    let running: DataFolder.Running

    public init(running: DataFolder.Running) { self.running = running }

    /// Nil when nobody answers there: the server was killed and could not withdraw its announcement.
    public func command(_ name: String, _ body: Value) async -> Value? {
        let answer = await post("command", (["name": .string(name), "body": body] as Value).jsonBytes)
        return answer.flatMap { try? Value(json: $0) }
    }
    /// The same for what is no command: `export`, `import`.
    public func post(_ what: String, _ body: [UInt8]) async -> [UInt8]? {
        guard let url = URL(string: running.origin + "/admin/v1/" + what) else { return nil }
        var request = URLRequest(url: url, timeoutInterval: what == "command" ? 10 : 600)
        request.httpMethod = "POST"
        request.setValue(running.token, forHTTPHeaderField: "X-Homeroom-Admin")
        request.httpBody = Data(body)
        guard let (data, response) = try? await URLSession.shared.data(for: request),
            (response as? HTTPURLResponse)?.statusCode == 200
        else { return nil }
        return Array(data)
    }
}
