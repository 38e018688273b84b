import CloudCore
import FleetModel
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdCore
import HummingbirdTLS
import Logging
import NIOCore
import ServiceLifecycle
import UnixSignals

/// The core's own values, where the web server has others of the same name.
typealias CoreRequest = FleetModel.HTTPRequest
typealias CoreResponse = FleetModel.HTTPResponse

/// The HTTP server: every request becomes a value, goes to the core, and its answer goes back as it is.
public struct Server: Sendable {
    let engine: Engine
    /// What `POST /admin/v1/command` must show.
    let adminToken: String
    var log: Logger
    /// How long an empty poll is held back.
    var patience = Duration.seconds(25)
    /// Where an export lies until it has been sent, and an import until it has come.
    let scratch: URL
    let budget: BodyBudget
    /// After so long without a byte of a request a connection is closed; one that waits for its answer is not.
    var idleTimeout = TimeAmount.seconds(60)

    /// What is read of anybody. A longer body is read of those alone who show something that is good here (`Engine.knows`):
    /// strangers do not fill the memory of all. ASSUMED.
    static let strangersBytesMax = 64 << 10
    /// A JSON body: 200 operations leave 160 KiB for each. ASSUMED: the protocol names no limit.
    static let bodyBytesMax = 32 << 20
    /// An uploaded file, with a form around it that has as many parts, each with as long a head, as the core takes, and short fields: the
    /// core knows the exact limit of the file (cloudkit-web-services.md 10).
    static let fileBytesMax = (50 << 20) + (1 << 20)

    /// - Parameter scratch: a folder that only its owner reads: exports and imports hold everybody's records.
    public init(
        engine: Engine, adminToken: String, log: Logger, scratch: URL, patience: Duration = .seconds(25)
    ) {
        self.init(engine, adminToken, log, scratch, patience, BodyBudget())
    }
    init(
        _ engine: Engine, _ adminToken: String, _ log: Logger, _ scratch: URL, _ patience: Duration,
        _ budget: BodyBudget
    ) {
        self.engine = engine
        self.adminToken = adminToken
        self.log = log
        self.scratch = scratch
        self.patience = patience
        self.budget = budget
    }

    /// The application, on one address; `group` runs it.
    /// - Parameter certificate: what travels is encrypted with it; nil: plain HTTP.
    public func application(
        host: String, port: Int, certificate: ServerCertificate? = nil,
        onReady: @escaping @Sendable (Int) async -> Void = { _ in }
    ) throws -> some ApplicationProtocol {
        let responder = CallbackResponder<ConnectionContext> { request, context in
            await self.respond(to: request, context)
        }
        var application = Application(
            responder: responder,
            server: try protocols(certificate),
            configuration: .init(address: .hostname(host, port: port), serverName: "homeroom-cloud"),
            onServerRunning: { channel in await onReady(channel.localAddress?.port ?? port) }, logger: log)
        application.addServices(Settler(engine: engine))
        return application
    }

    /// What serves until SIGTERM or SIGINT. Requests under way are answered first; a client that does not get to the end of its own
    /// is not waited for longer than `farewell`.
    public static func group(
        _ application: some ApplicationProtocol, signals: [UnixSignal] = [.sigterm, .sigint],
        farewell: Duration = .seconds(10), log: Logger
    ) -> ServiceGroup {
        var configuration = ServiceGroupConfiguration(
            services: [application], gracefulShutdownSignals: signals, logger: log)
        configuration.maximumGracefulShutdownDuration = farewell
        return ServiceGroup(configuration: configuration)
    }

    private func protocols(_ certificate: ServerCertificate?) throws -> HTTPServerBuilder {
        let plain = HTTPServerBuilder.http1(
            configuration: .init(
                additionalChannelHandlers: [Refusals(), Departure(), Expectation()], idleTimeout: idleTimeout))
        guard let certificate else { return plain }
        return try .tls(plain, tlsConfiguration: Self.encryption(certificate))
    }
    /// TLS 1.2 and newer: RFC 8996 has done away with what was before.
    static func encryption(_ certificate: ServerCertificate) throws -> TLSConfiguration {
        let chain = try NIOSSLCertificate.fromPEMBytes(Array(certificate.certificate.utf8))
        let key = try NIOSSLPrivateKey(bytes: Array(certificate.key.utf8), format: .pem)
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
        configuration.minimumTLSVersion = .tlsv12
        return configuration
    }
    /// Scheme, host and port as URLs have them: an IPv6 address in brackets (RFC 3986 3.2.2).
    public static func origin(isEncrypted: Bool, host: String, port: Int) -> String {
        "\(isEncrypted ? "https" : "http")://\(host.contains(":") ? "[\(host)]" : host):\(port)"
    }

    func respond(to request: Request, _ context: ConnectionContext) async -> Response {
        let start = ContinuousClock.now
        let path = request.uri.path
        let answer: CoreResponse
        switch (request.method, path) {
        case (.options, _): answer = CoreResponse(status: 204)
        case (_, "/health"): answer = CoreResponse(status: 200, json: ["status": "ok"])
        case (_, "/metrics"):
            answer = CoreResponse(
                status: 200, headers: ["Content-Type": "text/plain; version=0.0.4"],
                body: Array(engine.metrics.text.utf8))
        case (.post, "/admin/v1/export"):
            if let file = await export(request, context) { return file }
            answer = Self.refusal("TRY_AGAIN_LATER", 503, "the export could not be written; see the server's log")
        case (.post, "/admin/v1/import"): answer = await takeIn(request, context)
        default: answer = await serve(request, path, context)
        }
        let duration = ContinuousClock.now - start
        engine.metrics.answered(status: answer.status, after: duration)
        let uuid = answer.status >= 400 ? answer.json?["uuid"]?.string : nil
        log.info(
            "request",
            metadata: [
                "method": "\(request.method)", "path": "\(Self.shown(path))", "status": "\(answer.status)",
                "uuid": "\(uuid ?? UUID().uuidString)", "duration": "\(duration)",
            ])
        // What is asked by HEAD has no body, whatever its length (RFC 9110 9.3.2).
        return request.method == .head ? response(answer).createHeadResponse() : response(answer)
    }

    /// A path as the log has it: of URLs that are secrets themselves the beginning.
    static func shown(_ path: String) -> String {
        let parts = path.split(separator: "/", omittingEmptySubsequences: true)
        let isSecret = ["webcourier", "assets"].contains(parts.first?.removingPercentEncoding ?? "")
        return isSecret && parts.count > 2 ? "/" + parts.prefix(2).joined(separator: "/") + "/*" : path
    }

    private func serve(_ request: Request, _ path: String, _ context: ConnectionContext) async -> CoreResponse {
        let isAdmin = path.hasPrefix("/admin/v1/")
        if isAdmin, !isAdministrator(request) { return Self.notAdministrator }
        var limit = path.hasPrefix("/assets/") ? Self.fileBytesMax : Self.bodyBytesMax
        // What says itself that it is too long is not waited for; what does not say how long it is may be.
        let declared = request.headers[.contentLength].flatMap { Int($0) }
        guard declared ?? 0 <= limit else { return Self.tooLong(limit) }
        let mayBeLong = declared.map { $0 > Self.strangersBytesMax } ?? request.headers.contains(.transferEncoding)
        if !isAdmin, mayBeLong, await !engine.knows(core(request, [])) {
            limit = Self.strangersBytesMax
            guard declared ?? 0 <= limit else { return Self.stranger }
        }
        // The administrator comes in when it is crowded too.
        let budget = isAdmin ? BodyBudget(limit: .max) : budget
        context.wantBody()
        do throws(BodyBudget.Refusal) {
            return try await budget.reading(request.body, upTo: limit) { body in
                isAdmin ? await administer(path, body) : await serve(request, path, body, context)
            }
        } catch {
            return error == .crowded ? Self.crowded : Self.tooLong(limit)
        }
    }
    private func serve(
        _ request: Request, _ path: String, _ body: [UInt8], _ context: ConnectionContext
    ) async -> CoreResponse {
        let http = core(request, body)
        if path == "/push/v1/poll" { return await pollPushes(http, context) }
        return path.hasPrefix("/webcourier/") ? await poll(http, context) : await engine.serve(http).response
    }
    /// Sessions of one poll: an iPad caches far fewer people.
    private static let sessionsMax = 100

    /// `POST /push/v1/poll {sessions}` of an iPad: `{messages}`, held back until there is one.
    private func pollPushes(_ http: CoreRequest, _ context: ConnectionContext) async -> CoreResponse {
        guard http.method == "POST",
            let listed = (try? Value(json: http.body))?["sessions"]?.array, listed.count <= Self.sessionsMax,
            case let sessions = listed.compactMap(\.string), sessions.count == listed.count,
            let device = http.headers["X-Homeroom-Device"]
        else {
            return Self.refusal("BAD_REQUEST", 400, "a poll is a POST of {sessions: [token]} that names its device")
        }
        guard let departure = await context.departure else { return CoreResponse(status: 200, json: ["messages": []]) }
        let messages = await departure.ending {
            await cancelWhenGracefulShutdown { await engine.pollPushes(sessions, on: device, patience: patience) }
        }
        guard let messages else {
            return Self.refusal("AUTHENTICATION_FAILED", 401, "none of the sessions is good on this device")
        }
        return CoreResponse(status: 200, json: ["messages": .array(messages)])
    }
    private func core(_ request: Request, _ body: [UInt8]) -> CoreRequest {
        var http = CoreRequest(request.method.rawValue, request.head.path ?? "/", body: body)
        for field in request.headers { http.headers[field.name.rawName] = field.value }
        return http
    }
    /// Ends at once, and takes nothing, when the client has gone or the server is to stop.
    private func poll(_ http: CoreRequest, _ context: ConnectionContext) async -> CoreResponse {
        guard let departure = await context.departure else { return CoreResponse(status: 200) }
        let reply = await departure.ending {
            await cancelWhenGracefulShutdown { await engine.poll(http, patience: patience) }
        }
        return reply?.response ?? CoreResponse(status: 200)
    }

    /// The rest of the body is not read: the connection ends with the answer.
    private static func tooLong(_ limit: Int) -> CoreResponse {
        var answer = refusal(
            "BAD_REQUEST", 400, "the body is broken off or larger than \(limit) bytes; send less at once")
        answer.headers["Connection"] = "close"
        return answer
    }
    private static var stranger: CoreResponse {
        var answer = refusal(
            "AUTHENTICATION_FAILED", 401,
            "a body of more than \(strangersBytesMax) bytes is taken with a credential or an upload URL that is good here"
        )
        answer.headers["Connection"] = "close"
        return answer
    }
    /// More bodies are under way than fit into memory.
    private static var crowded: CoreResponse {
        var answer = refusal("TRY_AGAIN_LATER", 503, "too much is being sent at once; send it again", retryAfter: 2)
        answer.headers["Connection"] = "close"
        return answer
    }
    static func refusal(_ code: String, _ status: Int, _ reason: String, retryAfter: Int? = nil) -> CoreResponse {
        var body: Value = [
            "reason": .string(reason), "serverErrorCode": .string(code), "uuid": .string(UUID().uuidString),
        ]
        body["retryAfter"] = retryAfter.map { .int($0) }
        var answer = CoreResponse(status: status, json: body)
        answer.headers["Retry-After"] = retryAfter.map { String($0) }
        return answer
    }

    func response(_ answer: CoreResponse) -> Response {
        var headers = HTTPFields()
        headers[.contentType] = "application/json; charset=utf-8"
        // Browser scripts come from anywhere, and must see the replacement of their token.
        headers[.accessControlAllowOrigin] = "*"
        headers[.accessControlAllowHeaders] = "*, Authorization"
        headers[.accessControlAllowMethods] = "GET, POST, PUT, DELETE, OPTIONS"
        headers[.accessControlExposeHeaders] = "X-Apple-CloudKit-Web-Auth-Token"
        for field in answer.headers.fields {
            if let name = HTTPField.Name(field.name) { headers[name] = field.value }
        }
        return Response(
            status: .init(code: answer.status), headers: headers,
            body: .init(byteBuffer: ByteBuffer(bytes: answer.body)))
    }
}

extension HTTPField.Name {
    /// Header of the administrator's token.
    public static let admin = HTTPField.Name("X-Homeroom-Admin")!
}

/// Lets the core do what it has put off, each half second.
private struct Settler: Service {
    let engine: Engine
    func run() async throws {
        try? await cancelWhenGracefulShutdown {
            while true {
                try await Task.sleep(for: .milliseconds(500))
                await engine.settle()
            }
        }
    }
}
