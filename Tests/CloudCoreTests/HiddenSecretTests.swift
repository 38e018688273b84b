import FleetModel
import Storage
import Testing

@testable import CloudCore

@Suite("Secrets in the tables", .timeLimit(.minutes(20)))
struct HiddenSecretTests {
    /// Everything that lies in the tables, as it is exported.
    private func tables(_ fleet: Fleet) throws -> String {
        var text = ""
        try fleet.cloud.export { text += String(decoding: $0, as: UTF8.self) + "\n" }
        return text
    }
    private static let login = "/upload/v1/com.example.app/login"

    @Test("Session tokens and upload credentials lie in no table, and are good")
    func hidden() throws {
        let fleet = try Fleet()
        let maya = try fleet.device("maya", on: 1)
        let credential = try #require(maya.post(Self.login, .empty).json?["credential"]?.string)
        #expect(maya.makeZone().status == 200)
        let put = maya.request("PUT", "/upload/v1/com.example.app/a", headers: ["X-Credential": credential])
        #expect(put.status == 201)
        let text = try tables(fleet)
        #expect(!text.contains(maya.token))
        #expect(!text.contains(credential))
        #expect(text.contains(Secret.hidden(maya.token)))
    }

    @Test("The same sign-in again gets the same token, the same login the same credential, after a restart too")
    func repeated() throws {
        let fleet = try Fleet()
        func signIn(_ id: String) -> String? {
            fleet.send(
                HTTPRequest(
                    "POST", "/accounts/v1/signin", headers: ["X-Homeroom-Request": id],
                    body: (["account": "maya", "device": "ipad-1"] as Value).jsonBytes), from: 1
            ).json?["token"]?.string
        }
        let token = try #require(signIn("one"))
        let maya = Device(fleet: fleet, pad: 1, token: token)
        let credential = maya.post(Self.login, .empty).json?["credential"]?.string
        try fleet.crash()
        #expect(signIn("one") == token)
        #expect(signIn("two") != token)
        #expect(maya.post(Self.login, .empty).json?["credential"]?.string == credential)
    }
}
