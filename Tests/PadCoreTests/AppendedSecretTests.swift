import FleetModel
import Testing

@testable import PadCore

@Suite("Secrets in files", .timeLimit(.minutes(20))) struct AppendedSecretTests {
    @Test("A secret is told of where it is written and where it is appended; other bytes are not (S16)")
    func places() throws {
        let bench = try PadBench(more: ["habits": true])
        bench.signIn("maya")
        bench.open("quiz")
        let launch = bench.launch("quiz")
        bench.call(
            launch, "keychain.add",
            [
                "service": "s", "account": "a", "data": .data(Array("my-password".utf8)), "synchronizable": false,
                "accessible": "AfterFirstUnlock",
            ])
        func change(_ name: String, _ file: String, _ text: String) {
            let path = Pad.home(of: "com.example.quiz") + "/Documents/" + file
            bench.call(launch, name, ["path": .string(path), "data": .data(Array(text.utf8))])
        }
        change("file.write", "plain", "nothing of it")
        change("file.append", "plain", "nor here")
        change("file.append", "log", "password is my-password")
        change("file.write", "note", "my-password")
        let told = bench.notes(.habit).map(\.detail).filter { $0["what"] == "secret" }.compactMap {
            $0["place"]?.string
        }
        #expect(told.map { $0.split(separator: "/").last } == ["log", "note"])
    }
}
