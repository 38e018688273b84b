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
            #expect(bench.pad.daemons.pending(of: "maya").isEmpty == !uploading)
            return bench.now.nanoseconds - start.nanoseconds
        }
        #expect(try length(uploading: true) == length(uploading: false))
    }

    /// What an app has begun and the Cloud has not answered.
    enum Work: CaseIterable { case upload, pair, record, credential }
    private func begin(_ work: Work, _ bench: PadBench) {
        let launch = bench.launch("quiz")
        switch work {
        case .upload:
            let body = Pad.home(of: "com.example.quiz") + "/tmp/body"
            bench.call(launch, "file.write", ["path": .string(body), "data": .data([1])])
            bench.call(
                launch, "transfer.upload",
                [
                    "session": "s", "path": .string(body), "method": "PUT", "url": "https://backend.quiz/essay",
                    "headers": .empty,
                ])
        case .pair:
            bench.post(launch, "kvs.set", ["key": "k", "value": 1])
            bench.call(launch, "kvs.synchronize")
        case .record:
            bench.post(
                launch, "ck.modify",
                [
                    "container": "iCloud.com.example.quiz", "database": "private", "op": "a", "longLived": true,
                    "zone": "Notes", "save": [note("n1")], "delete": [], "policy": 0, "atomic": true,
                ], exchange: 7)
        case .credential:
            bench.call(
                launch, "keychain.add",
                ["service": "s", "account": "a", "data": .data([7]), "accessible": "AfterFirstUnlock"])
        }
    }

    @Test(
        "A request on its way: the login screen does not wait for its answer, which comes later; for a task it does (S26)",
        arguments: Work.allCases)
    func underWay(work: Work) throws {
        /// Nanoseconds from the wish to the login screen.
        func length(_ work: Work?, task: Bool = false) throws -> Int64 {
            let bench = try PadBench()
            bench.signIn("maya")
            bench.open("quiz")
            bench.advance(.seconds(5))
            // An answer takes 50 s, less than a request waits.
            bench.latency = .seconds(25)
            bench.cloud.script = { request in
                guard request.target.hasSuffix("records/modify") else { return nil }
                return .response(HTTPResponse(status: 200, json: ["records": [stored(note("n1"), tag: "t1")]]))
            }
            let before = bench.cloud.requests.count
            if let work { begin(work, bench) }
            bench.advance(.seconds(5))
            #expect(bench.cloud.requests.count == before + (work == nil ? 0 : 1), "it is under way")
            if task { bench.call(bench.launch("quiz"), "app.beginBackgroundTask") }
            let start = bench.now
            #expect(bench.ask("person.signOut", within: .minutes(10))?["ok"]?.bool == true)
            let end = bench.now
            #expect(bench.pad.daemons.pending(of: "maya").isEmpty == (work == nil))
            bench.advance(.minutes(10))
            #expect(bench.pad.daemons.pending(of: "maya").allSatisfy { !["answer", "network"].contains($0.waitsFor) })
            return end.nanoseconds - start.nanoseconds
        }
        let idle = try length(nil)
        #expect(idle < Span.seconds(30).nanoseconds)
        #expect(try length(work) == idle)
        #expect(try length(work, task: true) > idle)
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
