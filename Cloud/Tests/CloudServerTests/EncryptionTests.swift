import FleetModel
import Foundation
import Testing

@testable import CloudServer

@Suite("Encryption in transit", .timeLimit(.minutes(20))) struct EncryptionTests {
    @Test("HTTPS: whoever trusts the folder's certificate is served; who does not, or speaks plain HTTP, is not")
    func served() async throws {
        let live = try LiveServer()
        let certificate = try live.data.certificate(host: "127.0.0.1")
        let trusted = live.data.certificatePath
        try await live.serve(live.server(), certificate: certificate) { port in
            func ask(_ scheme: String, _ certificate: String?) async -> Value? {
                let running = DataFolder.Running(
                    origin: "\(scheme)://127.0.0.1:\(port)", token: LiveServer.adminToken, certificate: certificate)
                return await Administrator(running: running).command("cloud.accounts", .empty)
            }
            #expect(await ask("https", trusted)?["accounts"] == [])
            #expect(await ask("https", nil) == nil)
            #expect(await ask("http", nil) == nil)
        }
    }

    @Test("TLS: what is older than 1.2 is not spoken")
    func versions() throws {
        let live = try LiveServer()
        let configuration = try Server.encryption(live.data.certificate(host: "127.0.0.1"))
        #expect(configuration.minimumTLSVersion == .tlsv12)
    }

    @Test(
        "Certificate: kept with its key for the owner alone; made anew for another host, near its end, or when it cannot be read"
    )
    func kept() throws {
        let live = try LiveServer()
        let first = try live.data.certificate(host: "localhost")
        #expect(try live.data.certificate(host: "127.0.0.1").certificate == first.certificate)
        for name in ["certificate.pem", "key.pem"] {
            let path = live.folder.appendingPathComponent(name).path
            let rights = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            #expect(rights == 0o600)
        }
        let other = try live.data.certificate(host: "ipads.example")
        #expect(other.certificate != first.certificate)
        #expect(try live.data.certificate(host: "ipads.example").certificate == other.certificate)
        let later = Date() + Double(ServerCertificate.days - 20) * 86_400
        #expect(
            ServerCertificate(certificate: other.certificate, key: other.key, host: "ipads.example", now: later) == nil)
        try Data("nonsense".utf8).write(to: live.folder.appendingPathComponent("key.pem"))
        #expect(try live.data.certificate(host: "ipads.example").certificate != other.certificate)
    }
}
