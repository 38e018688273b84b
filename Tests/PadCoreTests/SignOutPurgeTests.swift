import FleetModel
import Testing

@testable import PadCore

@Suite("Purge at sign-out", .timeLimit(.minutes(20))) struct SignOutPurgeTests {
    @Test("Nothing waits: local data go with the session, also where no network would bring an occasion (S2)")
    func atOnce() throws {
        let bench = try PadBench(purge: true)
        bench.signIn("maya")
        bench.open("quiz")
        let file = Pad.home(of: "com.example.quiz") + "/Documents/a.txt"
        bench.call(bench.launch("quiz"), "file.write", ["path": .string(file), "data": .data([1])])
        bench.advance(.minutes(1))
        bench.isOnline = false
        #expect(bench.disk(of: "maya")?.status(file) != nil)
        bench.ask("person.signOut")
        #expect(bench.disk(of: "maya")?.status(file) == nil)
        #expect(bench.reasons(.purged) == ["signOut"])
    }
}
