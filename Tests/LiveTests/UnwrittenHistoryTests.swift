import RawServer
import Testing

@testable import Live
@testable import Run

/// A Cloud whose disk is full answers 503, for ever maybe: what waits for it is nobody's bug.
@Suite("Cloud that could not write", .timeLimit(.minutes(20))) struct UnwrittenHistoryTests {
    private func service(_ body: String) throws -> (CloudService, RawServer) {
        let server = RawServer { _ in "HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)" }
        let service = CloudService(.given(CloudAddress(origin: server.origin, token: "t")))
        try service.start()
        return (service, server)
    }

    @Test("A history that names what could not be written ends the run, asked for or only looked into")
    func failure() throws {
        let (service, server) = try service(#"{"events":[],"last":7,"failure":"no space left"}"#)
        defer { server.stop() }
        let asks: [() throws -> Void] = [{ try service.checkDisk() }, { _ = try service.history() }]
        for ask in asks {
            let problem = #expect(throws: RunEnd.self) { try ask() }
            let message = problem?.message ?? ""
            #expect(message.contains("could not write what it was asked to keep (no space left)"), "\(message)")
        }
    }

    @Test("A history without such a failure is taken") func whole() throws {
        let (service, server) = try service(#"{"events":[],"last":7}"#)
        defer { server.stop() }
        try service.checkDisk()
        #expect(try service.history() == [])
    }

    @Test("A question that the Cloud refuses ends the run with its reason") func refused() throws {
        let (service, server) = try service(#"{"refused":"the history was pruned"}"#)
        defer { server.stop() }
        let problem = #expect(throws: RunEnd.self) { _ = try service.history() }
        #expect(problem?.kind == .input && problem?.message == "\(server.origin): the history was pruned")
    }
}
