import FleetModel
import Nemesis
import NoteSync
import Testing

@testable import HomeroomTesting

@Suite("A fleet in a test", .timeLimit(.minutes(20)), .serialized) struct FleetTests {
    @Test("A test runs in virtual time, on an engine that is not changed", .fleet(app: notes(), seeds: 4))
    func runs() async throws {
        let fleet = Fleet.current
        try await writeApart(fleet)
        let (first, second) = (try await fleet.shown(on: 1), try await fleet.shown(on: 2))
        #expect(first == second)
        #expect(first["shopping"]?.contains("eggs & *bread*") == true)
        #expect(first["shopping"]?.contains("and: butter") == true)
        #expect(fleet.now > .seconds(90))
    }

    @Test("The same seed is the same run, and the scenario that is written down has its digest")
    func digests() async throws {
        let once = await FleetOptions.$checksAll.withValue(true) {
            await withFleet(app: notes(), seeds: 3) { try await writeApart($0) }
        }
        let again = await withFleet(app: notes(), seeds: 3) { try await writeApart($0) }
        #expect(once.map(\.digest) == again.map(\.digest))
        #expect(Set(once.map(\.digest)).count == once.count && !once.contains { $0.digest.isEmpty })
        #expect(once.allSatisfy { $0.isGood && $0.edits == 3 && $0.scenario != nil })
    }

    @Test(
        "A test with arguments has its seeds for each case, and a process of seeds plays its own case",
        .fleet(app: notes(), seeds: 2), arguments: ["milk", "eggs & bread"], [1, 2])
    func cases(text: String, pad: Int) async throws {
        let fleet = Fleet.current
        await fleet.launch(pad)
        await fleet.edit("shopping", text, on: pad)
        try await fleet.rest()
        #expect(try await fleet.shown(on: pad)["shopping"]?.contains(text) == true)
        let order = try #require(SeedProcess.Order.present)
        #expect(order.test.hasSuffix(" with \(String(reflecting: text)), \(pad)"), "\(order.test)")
    }

    @Test("A planted mistake fails the test with its story, its seeds and the command that repeats it")
    func planted() async {
        await withKnownIssue {
            await withFleet(app: overwriting, seeds: 3) { try await writeApart($0) }
        } matching: { issue in
            let text = issue.comments.map(\.rawValue).joined()
            return [
                "overwritten  maya.", "<- data lost here", "HOMEROOM_SEED=1 swift test --filter",
                "same digest, as was tried",
            ]
            .allSatisfy(text.contains)
        }
    }

    @Test("A failed expectation of a seed is an issue at its own line, with its words")
    func expectation() async {
        await withKnownIssue {
            await withFleet(app: notes(), seeds: 2) { fleet in
                await fleet.launch(1)
                #expect(fleet.seed != 2, "the second seed")
            }
        } matching: { issue in
            issue.sourceLocation?.line == #line - 3
                && issue.comments.contains {
                    $0.rawValue.contains("the second seed") && $0.rawValue.contains("1 of 2 seeds")
                }
        }
    }

    @Test("The test's own calls run in the app, and their failures are the test's", .fleet(app: notes(), seeds: 2))
    func calls() async throws {
        let fleet = Fleet.current
        await fleet.launch(1, 2)
        try await fleet.use(on: 1) { (sync: NoteSync) in try await sync.write("by hand", to: "own") }
        try await fleet.rest()
        #expect(try await fleet.use(on: 2) { (sync: NoteSync) in await sync.texts } == ["own": "by hand"])
        await fleet.appKill(2)
        await #expect(throws: FleetProblem.self) { try await fleet.use(on: 2) { (sync: NoteSync) in await sync.texts } }
    }

    @Test("A trap of the app ends its seed only, and the issue has the app's last words")
    func trap() async {
        let falling = EngineApp(
            "falling", build: { 0 }, shows: { _ in [:] },
            writes: { _, _, text in if text.contains("fall") { fatalError("fallen on purpose") } })
        await withKnownIssue {
            await withFleet(app: falling, seeds: 2) { fleet in
                await fleet.launch(1)
                if fleet.seed == 2 { await fleet.edit("a", "fall", on: 1) }
            }
        } matching: { issue in
            issue.comments.contains {
                $0.rawValue.contains("fallen on purpose") && $0.rawValue.contains("1 of 2 seeds")
            }
        }
    }

    @Test("A mistake in a call ends the seed with words")
    func mistake() async {
        await withKnownIssue {
            await withFleet(app: notes(), seeds: 1) { fleet in await fleet.launch(3) }
        } matching: { issue in
            issue.comments.contains { $0.rawValue.contains("there is no iPad 3: the fleet has 2") }
        }
    }

    @Test("A test that waits for what never comes ends, and says so")
    func stuck() async {
        await withKnownIssue {
            await withFleet(app: notes(), seeds: 1) { fleet in
                await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
            }
        } matching: { issue in
            issue.comments.contains { $0.rawValue.contains("the test waits for something") }
        }
    }

    @Test("People, power and networks: a day that is written down is the same run")
    func day() async {
        let results = await FleetOptions.$checksAll.withValue(true) { await playDay() }
        #expect(results.allSatisfy { $0.isGood && $0.scenario != nil }, "\(results)")
    }
    private func playDay() async -> [FleetResult] {
        await withFleet(app: notes(), ipads: 3, people: ["maya", "ben"], seeds: 2) { fleet in
            await fleet.launch(1, 2)
            await fleet.edit("a", "one", on: 1)
            await fleet.lossOfResponse(1, for: .seconds(40), with: ["probability": 0.5])
            await fleet.edit("a", "two", on: 2)
            try await Task.sleep(for: .seconds(200))
            await fleet.switchPerson(to: "ben", on: 2)
            await fleet.edit("b", "three", on: 2)
            await fleet.reboot(1, with: ["outage": "20s"])
            await fleet.sleep(for: .seconds(60))
            await fleet.home(on: 2)
            await fleet.launch(2)
            #expect(try await fleet.shown(on: 2) == ["b": "three"])
            await fleet.signOut(on: 2)
            await fleet.airplaneMode(3, for: .seconds(5))
            await fleet.launch(3, as: "ben")
        }
    }

    @Test("Every kind of fault is a method of its name, a window with a length and an event without")
    func faults() throws {
        let root = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        let text = try ["Fleet+NetworkFaults", "Fleet+Faults"].map {
            try LogTail.read("/\(root)/Sources/HomeroomTesting/\($0).swift")
        }.joined().filter { !$0.isWhitespace }
        for type in FaultRegistry.all {
            let words = type.name.split(separator: "-")
            let name = String(words[0]) + words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
            let span = type.form.isWindow ? "forspan:Duration?=nil," : ""
            #expect(text.contains("func\(name)(_ipads:Int...,\(span)with"), "\(type.name)")
            #expect(text.contains("fault(\"\(type.name)\",on:ipads"), "\(type.name)")
        }
        #expect(text.split(separator: "publicfunc").count - 1 == FaultRegistry.all.count)
    }
}
