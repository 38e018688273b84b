import FleetModel
import Foundation
import Testing

@testable import HomeroomKit

/// Figures that repeat: rounds in turn with the calibration, and what becomes of their lines.
@Suite("Bench", .serialized, .timeLimit(.minutes(20))) struct BenchTests {
    @Test("Spread: median, least and greatest, whatever the order; of two the middle between them")
    func spread() {
        let odd = Spread([3, 1, 9, 2, 4])
        #expect((odd.low, odd.median, odd.high, odd.count) == (1, 3, 9, 5))
        #expect(Spread([4, 2]).median == 3 && Spread([7]).median == 7)
    }

    @Test("Ratio: a rate by the loops of a second, a time in loops; memory has none")
    func ratio() {
        func figure(_ value: Double, _ unit: String) -> Figure { Figure(name: "f", value: value, unit: unit) }
        #expect(figure(1000, "edits/s").perLoop(loopsPerSecond: 50) == 20)
        #expect(figure(1000, "edits/s").perLoopUnit == "edits a loop")
        #expect(figure(12, "s").perLoop(loopsPerSecond: 50) == 600 && figure(12, "s").perLoopUnit == "loops")
        #expect(abs((figure(20, "us").perLoop(loopsPerSecond: 50_000) ?? 0) - 1) < 1e-9)
        #expect(figure(2.5, "MiB each").perLoop(loopsPerSecond: 50) == nil)
    }

    @Test("A machine half as fast gives half the rate and the same ratio; each round has its own")
    func rounds() throws {
        // Every round the work takes longer; so does the calibration, whose clock is the same.
        nonisolated(unsafe) var rates = [100.0, 50, 200, 80, 120].makeIterator()
        let bench = Bench(name: "fixed") { _ in
            [Figure(name: "fixed", value: rates.next() ?? 0, unit: "edits/s", goal: 90)]
        }
        var begun: [Int] = []
        let measured = try MeasuredFigure.measure(bench, rounds: 5, scratch: "") { begun.append($0) }
        #expect(begun == [1, 2, 3, 4, 5] && measured.count == 1)
        let one = try #require(measured.first)
        #expect((one.figure.value, one.value.low, one.value.high) == (100, 50, 200))
        let ratio = try #require(one.ratio)
        #expect(ratio.count == 5 && ratio.low > 0 && ratio.low < ratio.high)
        #expect(one.line(bench).hasPrefix("fixed  100 edits/s  (goal 90 edits/s)  50 to 200 in 5 rounds; "))
        #expect(one.line(bench).hasSuffix("  homeroom bench fixed"))
        let line = try Value(json: Array(one.json(bench).utf8))
        #expect(
            line["value"]?.double == 100 && line["rounds"]?.int == 5
                && line["command"]?.string == "homeroom bench fixed")
        #expect(line["ratio"]?["calibration"]?.string == "calibration-1" && line["clock"]?.string == "real")
    }

    @Test("Calibration: the clock that it is given decides; twice the time is half the rate")
    func calibration() {
        func rate(step: Int64) -> Double {
            var now: Int64 = 0
            return Calibration.rate(
                {
                    now += step
                    return now
                }, loops: 2)
        }
        #expect(rate(step: 1_000_000) == 2 * rate(step: 2_000_000))
    }

    @Test("The command: one JSON object a line, and in words the same")
    func command() throws {
        try withFolder { folder in
            let run = try CommandLineRun.of(["bench", "machine", "--rounds", "3", "--json"], in: folder)
            #expect(run.status == 0, "\(run.errors)")
            let lines = run.output.split(separator: "\n")
            let line = try Value(json: Array((try #require(lines.first)).utf8))
            #expect(lines.count == 1 && line["name"]?.string == "machine-json-message" && line["rounds"]?.int == 3)
            let (low, middle, high) = (line["low"]?.double, line["value"]?.double, line["high"]?.double)
            #expect(try #require(low) <= #require(middle) && #require(middle) <= #require(high))
            let words = try CommandLineRun.of(["bench", "machine", "--rounds", "1"], in: folder)
            #expect(words.output.hasPrefix("machine-json-message  ") && words.output.contains("homeroom bench machine"))
            #expect(try CommandLineRun.of(["bench", "--rounds", "0"], in: folder).status == 3)
        }
    }

    @Test(
        "Scripts/figures --take: value, spread and ratio of each line go into its file and onto the page; another unit and too few rounds are refused",
        .enabled(
            if: FileManager.default.isExecutableFile(atPath: "/usr/bin/python3"),
            "not on this machine: there is no python3"))
    func taken() throws {
        try withFolder { folder in
            let files = folder.appending(path: "Docs/figures")
            try FileManager.default.createDirectory(at: files, withIntermediateDirectories: true)
            let text =
                #"{"area": "Speed", "what": "edits", "command": "homeroom bench x", "value": "1", "unit": "edits/s of CPU", "goal": "5", "build": "b", "machine": "m", "date": "2026-01-01", "note": "", "figure": "x"}"#
            _ = try files.appending(path: "x.json").write(text)
            let script = CommandLineRun.package.appending(path: "Scripts/figures").path
            func take(_ line: String) throws -> CommandLineRun {
                let file = try folder.appending(path: "lines").write(line + "\n")
                return try CommandLineRun.of(
                    ["-c", "FIGURES_ROOT=. '\(script)' --take '\(file)'"], by: "/bin/bash", in: folder)
            }
            let line =
                #"{"name": "x", "value": 1052.5, "unit": "edits/s", "rounds": 5, "low": 858, "high": 1176, "ratio": {"median": 10.51, "low": 10.1, "high": 10.9, "unit": "edits a loop", "calibration": "calibration-1"}}"#
            for (wrong, words) in [
                (line.replacing("edits/s", with: "s"), "is in s here"),
                (line.replacing("\"rounds\": 5", with: "\"rounds\": 1"), "1 rounds say nothing"),
            ] {
                let refused = try take(wrong)
                #expect(refused.status == 3 && refused.errors.contains(words), "\(refused.errors)")
                #expect(try String(contentsOf: files.appending(path: "x.json"), encoding: .utf8) == text)
            }
            let run = try take(line)
            #expect(run.status == 0 && run.output.contains("1 of 1 lines taken"), "\(run.output)\(run.errors)")
            let page = try String(contentsOf: folder.appending(path: "Docs/figures.md"), encoding: .utf8)
            let note = "median of 5, 858 to 1,176; 10.51 edits a loop of calibration-1, 10.1 to 10.9"
            #expect(page.contains("| edits | 1,052 edits/s of CPU | 5 |") && page.contains(note), "\(page)")
        }
    }
}
