import CloudCore
import FleetModel
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

/// What the administrator asks for, who has the token from the data folder.
extension Server {
    func isAdministrator(_ request: Request) -> Bool {
        Secret.isEqual(request.headers[HTTPField.Name.admin] ?? "", adminToken)
    }
    static var notAdministrator: CoreResponse {
        refusal("AUTHENTICATION_FAILED", 401, "the administrator's token is missing or wrong")
    }

    /// `POST /admin/v1/export HEAD`: the lines, sent from a file, because everything there is need not fit into memory.
    /// - Returns: nil when they could not be written.
    func export(_ request: Request, _ context: ConnectionContext) async -> Response? {
        guard isAdministrator(request) else { return response(Self.notAdministrator) }
        context.wantBody()
        let file = scratch.appendingPathComponent("export-\(UUID().uuidString)")
        do {
            let head = try await request.body.collect(upTo: Self.bodyBytesMax)
            try await engine.export(head: (try? Value(json: Array(head.readableBytesView))) ?? .empty, to: file)
            let handle = try FileHandle(forReadingFrom: file)
            // It goes when the last of it has been read.
            try FileManager.default.removeItem(at: file)
            return Response(
                status: .ok, headers: [.contentType: "application/x-ndjson"],
                body: ResponseBody { writer in
                    while let part = try handle.read(upToCount: 1 << 18), !part.isEmpty {
                        try await writer.write(ByteBuffer(bytes: part))
                    }
                    try await writer.finish(nil)
                })
        } catch {
            log.error("export", metadata: ["error": "\(error)"])
            try? FileManager.default.removeItem(at: file)
            return nil
        }
    }

    /// `POST /admin/v1/import LINES`: by way of a file too. The core reads faster than a client sends, and nobody else is served
    /// while it does; what breaks off never gets there.
    func takeIn(_ request: Request, _ context: ConnectionContext) async -> CoreResponse {
        guard isAdministrator(request) else { return Self.notAdministrator }
        context.wantBody()
        let file = scratch.appendingPathComponent("import-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        do {
            let handle = try FileHandle.made(at: file)
            for try await part in request.body { try handle.write(contentsOf: Data(part.readableBytesView)) }
            try handle.seek(toOffset: 0)
            try await engine.restore(LineReader(handle))
            return CoreResponse(status: 200, json: ["ok": true])
        } catch {
            return CoreResponse(status: 200, json: ["refused": .string("\(error)")])
        }
    }

    /// `POST /admin/v1/command {name, body}` by the command line, which has read the token from the data folder.
    func administer(_ path: String, _ body: [UInt8]) async -> CoreResponse {
        guard path == "/admin/v1/command" else {
            return Self.refusal("NOT_FOUND", 404, "an administrator sends command, export or import")
        }
        guard let json = try? Value(json: body), let name = json["name"]?.string else {
            return Self.refusal("BAD_REQUEST", 400, "the body must be {name, body}")
        }
        return CoreResponse(status: 200, json: await engine.command(Message(name, json["body"] ?? .empty)))
    }
}
