import FleetModel
import Testing

@testable import PadCore

@Suite("Sign-out", .timeLimit(.minutes(20))) struct SignOutTests {
    @Test("Uploads under way: the login screen comes as early as without them (S26)")
    func uploads() throws {
        /// Nanoseconds from the wish to the login screen.
        func length(uploading: Bool) throws -> Int64 {
            let bench = try PadBench()
            bench.signIn("maya")
            bench.open("quiz")
            bench.advance(.seconds(5))
            if uploading {
                let launch = bench.launch("quiz")
                let body = Pad.home(of: "com.example.quiz") + "/tmp/body"
                bench.call(launch, "file.write", ["path": .string(body), "data": .data([1])])
                bench.isOnline = false
                let task: Value = [
                    "session": "s", "path": .string(body), "method": "PUT", "url": "https://backend.quiz/essay",
                    "headers": .empty, "description": "essay", "delay": 0,
                ]
                #expect(bench.call(launch, "transfer.upload", task)?["task"]?.int == 1)
            }
            let start = bench.now
            #expect(bench.ask("person.signOut")?["ok"]?.bool == true)
            #expect(bench.pad.pending(of: "maya").isEmpty == !uploading)
            return bench.now.nanoseconds - start.nanoseconds
        }
        #expect(try length(uploading: true) == length(uploading: false))
    }

    @Test("Keychain: an item is there at the person's next sign-in, and for nobody else (S30)")
    func keychain() throws {
        let bench = try PadBench()
        func copy() -> Value? {
            bench.call(bench.launch("quiz"), "keychain.copy", ["service": "s", "account": "a"])
        }
        bench.signIn("maya")
        bench.open("quiz")
        let item: Value = [
            "service": "s", "account": "a", "data": .data([7]), "accessible": "AfterFirstUnlock",
        ]
        #expect(bench.call(bench.launch("quiz"), "keychain.add", item)?["status"] == 0)
        bench.ask("person.signOut")
        bench.signIn("leo")
        bench.open("quiz")
        #expect(copy()?["status"] == -25300)
        bench.ask("person.signOut")
        bench.signIn("maya")
        bench.open("quiz")
        #expect(copy()?["data"]?.data == [7])
    }
}
