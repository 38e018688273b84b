import FleetModel
import Testing

@testable import CloudCore

@Suite("Sealed tokens", .timeLimit(.minutes(20))) struct SealedTokenTests {
    @Test("A change token with one bit changed, in what it says or in its seal: never taken (each byte) (S242)")
    func forged() throws {
        let maya = try Fleet().device("maya", on: 1)
        maya.makeZone()
        maya.save("create", "a", "x")
        for (text, codes) in [
            (maya.changes().syncToken, { maya.changes(since: $0).code }),
            (maya.databaseChanges().syncToken, { maya.databaseChanges(since: $0).code }),
        ] as [(String?, (String) -> String?)] {
            let text = try #require(text)
            #expect(codes(text) == nil)
            let bytes = try #require(Base64.decode(text))
            for index in bytes.indices {
                var forged = bytes
                forged[index] ^= 1
                let code = codes(Base64.encode(forged))
                #expect(
                    code == "BAD_REQUEST" || code == "CHANGE_TOKEN_EXPIRED", "byte \(index) of \(bytes.count)")
            }
        }
    }
}
