import Foundation
import HomeroomTesting
import Testing
import XCTest

/// The same in XCTest.
final class FleetXCTests: XCTestCase {
    func testWriteApart() async throws {
        await withFleet(app: notes(), seeds: 2, in: self) { fleet in
            try await writeApart(fleet)
            let (first, second) = (try await fleet.shown(on: 1), try await fleet.shown(on: 2))
            XCTAssertEqual(first, second)
        }
    }
    /// For the test below, which wants a failure.
    func testFailsWhenAsked() async throws {
        guard ProcessInfo.processInfo.environment["HOMEROOM_XCTEST_FAILS"] != nil else { return }
        await withFleet(app: notes(), seeds: 2, in: self) { fleet in
            await fleet.launch(1)
            XCTAssertNotEqual(fleet.seed, 2, "the second seed")
        }
    }
}

@Suite("A fleet in XCTest", .timeLimit(.minutes(20))) struct FleetInXCTestTests {
    private func run(_ test: String, fails: Bool) throws -> (status: Int32, output: String) {
        let process = Process()
        process.executableURL = URL(filePath: "/proc/\(getpid())/exe")
        process.arguments = ["HomeroomTestingTests.FleetXCTests/" + test]
        process.environment = ProcessInfo.processInfo.environment.merging(fails ? ["HOMEROOM_XCTEST_FAILS": "1"] : [:])
        { $1 }
        let pipe = Pipe()
        (process.standardOutput, process.standardError) = (pipe, pipe)
        try process.run()
        let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return (process.terminationStatus, output)
    }

    @Test("What is right passes")
    func passes() throws {
        let (status, output) = try run("testWriteApart", fails: false)
        #expect(status == 0 && output.contains("Executed 1 test, with 0 failures"), "\(output)")
    }

    @Test("A failed assertion of one seed fails the test, with its place, its words and the command that repeats it")
    func fails() throws {
        let (status, output) = try run("testFailsWhenAsked", fails: true)
        #expect(status != 0 && output.contains("Executed 1 test, with 1 failure"), "\(output)")
        for words in [
            "1 of 2 seeds", "the second seed",
            "HOMEROOM_SEED=2 swift test --filter 'HomeroomTestingTests.FleetXCTests.testFailsWhenAsked'",
        ] {
            #expect(output.contains(words), "\(output)")
        }
        #expect(output.components(separatedBy: "FleetXCTests.swift:").count > 1)
    }
}
