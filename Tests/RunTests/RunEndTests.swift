import FleetModel
import Testing
import Trace

@testable import Run

@Suite("How a run ends", .timeLimit(.minutes(20))) struct RunEndTests {
    @Test("Exit statuses: the numbers that README promises, by kind")
    func statuses() {
        let numbers: [RunEnd.Kind: Int32] = [
            .harness: 4, .leak: 4, .limit: 3, .disk: 3, .input: 3, .differs: 1, .inconclusive: 2, .interrupted: 130,
        ]
        for kind in RunEnd.Kind.allCases { #expect(kind.status.rawValue == numbers[kind], "\(kind)") }
        #expect(FleetModel.ExitStatus.asExpected.rawValue == 0)
    }

    @Test("The worst of several: a failed harness, bad input, an unmet expectation, an unknown")
    func worst() {
        #expect(FleetModel.ExitStatus.worst([]) == .asExpected)
        let ranked: [FleetModel.ExitStatus] = [.asExpected, .unknown, .unexpected, .input, .harness]
        for (index, status) in ranked.enumerated() {
            #expect(FleetModel.ExitStatus.worst(Array(ranked[...index])) == status)
            #expect(FleetModel.ExitStatus.worst(ranked[...index].reversed()) == status)
        }
    }

    @Test("From a worker to its supervisor: every kind comes back as it was; anything else is none")
    func wire() throws {
        for kind in RunEnd.Kind.allCases {
            let end = RunEnd(kind, "words of \(kind)")
            #expect(RunEnd(try Value(decoding: end.body.encoded)) == end)
        }
        for body: Value in [.null, .empty, ["report": .empty], ["harness": 4], ["other": "words"]] {
            #expect(RunEnd(body) == nil, "\(body)")
        }
    }

    @Test("Other errors: a replay that differs, a trace that cannot be used; what nobody knows is the testbed's")
    func errors() {
        struct Other: Error, CustomStringConvertible { var description: String { "other" } }
        #expect(RunEnd.of(TraceProblem(.differs, "line 3")) == RunEnd(.differs, "line 3"))
        for kind in [TraceProblem.Kind.unwritable, .unreadable, .newer] {
            #expect(RunEnd.of(TraceProblem(kind, "line 3")) == .input("line 3"))
        }
        #expect(RunEnd(Other()) == nil && RunEnd.of(Other()) == .harness("other"))
        #expect(RunEnd.of(RunEnd(.leak, "a thread")) == RunEnd(.leak, "a thread"))
    }

    @Test("What is printed: a failure of the testbed says whose it is")
    func lines() {
        #expect(RunEnd.harness("no").line == "homeroom: no" && RunEnd(.leak, "no").line == "homeroom: no")
        #expect(RunEnd.input("no").line == "no" && RunEnd.inconclusive("no").line == "no")
    }
}
