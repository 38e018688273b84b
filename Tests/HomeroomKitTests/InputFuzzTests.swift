import ExampleApps
import FleetModel
import Foundation
import Mutator
import Nemesis
import Report
import Run
import Testing
import Trace
import Workload

@testable import HomeroomKit

/// Everything that reads a file, in this process: a trap would end the whole test run.
@Suite("Any input", .serialized, .timeLimit(.minutes(20))) struct InputFuzzTests {
    init() { if Homeroom.catalogue.manifests.isEmpty { Homeroom.catalogue = Catalogue(apps: exampleApps) } }

    private static let pieces: [[UInt8]] = [
        "[", "]", "{", "}", ": ", "- ", "\n", "\t", "'", "\"", "\u{0}", "~", "🍎", "-1", "1e400", "nan",
        "9223372036854775807", "99999999999999999999",
        "extra: ", "probability: 2", "after: 99999d", "route: /", "hops: -1", "retryAfter: 0s", "with: {",
        "ipads: [1-9999]", "ipads: [0]",
        "swarm: {intensity: 10}\n", "swarm: all\n", "fault: power-cut", "fault: clock-skew",
        "fault: service-unavailable", "offset: -99d", "drift: 1e9",
        "until: 1ns", "at: 0s", "storm: 24h\n", "calm: 24h\n",
        "fault: bandwidth", "fault: truncation", "fault: nth-request", "fault: captive-portal", "bytesPerSecond: 0",
        "bytes: -1", "nth: 0", "every: true", "ending: reset", "direction: down", "delay: 1ns", "sources: {",
    ].map { Array($0.utf8) }

    private static func mutated(_ original: [UInt8], _ draw: inout Draw) -> [UInt8] {
        Mutator(pieces: pieces, changesMax: 4, lengthMax: 80).mutated(original, &draw)
    }

    @Test("Scenario files: errors with places, or tapes that a run can be made of (1,200 files from the shipped ones)")
    func scenarios() throws {
        let corpus = try shippedScenarios.map { Array(try Data(contentsOf: URL(filePath: $0))) }
        var (right, wrong) = (0, 0)
        for seed in 0..<1200 as Range<UInt64> {
            var draw = Draw(seed: seed, name: "scenario-fuzz")
            let bytes = Self.mutated(draw.pick(corpus) ?? [], &draw)
            switch ScenarioFiles.parse(String(decoding: bytes, as: UTF8.self), file: "f.yaml") {
            case .failure(let problem):
                wrong += 1
                #expect(
                    problem.status == .input
                        && problem.message.split(separator: "\n").allSatisfy {
                            $0.wholeMatch(of: /f\.yaml:[1-9][0-9]*:[1-9][0-9]*: .+/) != nil
                        }, "seed \(seed): \(problem.message)")
            case .success(let scenario):
                right += 1
                guard scenario.people.count * scenario.periods.count * (1 + scenario.work.edits) < 10_000 else {
                    continue
                }
                let manifests = scenario.apps.compactMap(Homeroom.catalogue.manifest)
                _ = Planner.plan(scenario, manifests: manifests, seed: seed)
                let swarm = scenario.swarm.map { Swarm(kinds: $0.kinds, intensity: $0.intensity, busy: scenario.bells) }
                let pads = Array(1...scenario.ipads)
                let drawn = swarm?.specs(pads: pads, horizon: .zero + scenario.storm, seed: seed) ?? []
                #expect(throws: Never.self, "seed \(seed)") {
                    try Nemesis(
                        specs: scenario.faults + drawn, link: scenario.linkModel, pads: pads,
                        stormEnd: .zero + scenario.storm)
                }
            }
        }
        #expect(right > 40 && wrong > 200, "the mutations are too tame or too wild: \(right) right, \(wrong) wrong")
    }

    @Test("Fault files: errors with places, or faults that a network can have (1,000 files)")
    func faultFiles() throws {
        let kinds = FaultRegistry.all.filter { $0.reach != .elsewhere }.map { $0.name }
        let faults = kinds.enumerated().map { "  - {fault: \($1), from: \($0)s, until: \($0 + 9)s, ipads: [1, 2]}\n" }
        let head = "network: {latency: [5ms, 30ms], bytesPerSecond: 0}\nsources: {10.0.0.7: 3}\nfaults:\n"
        let original = Array((head + faults.joined()).utf8)
        let mutator = Mutator(pieces: Self.pieces, changesMax: 1, lengthMax: 8)
        var (right, wrong) = (0, 0)
        for seed in 0..<1000 as Range<UInt64> {
            var draw = Draw(seed: seed, name: "fault-file-fuzz")
            let bytes = mutator.mutated(original, &draw)
            do {
                let file = try ScenarioFiles.faults(String(decoding: bytes, as: UTF8.self), file: "f.yaml")
                right += 1
                #expect(throws: Never.self, "seed \(seed)") {
                    try Nemesis(
                        specs: file.faults, link: file.network ?? LinkModel(), pads: [],
                        stormEnd: Instant(nanoseconds: .max))
                }
            } catch let problem as RunEnd {
                wrong += 1
                #expect(
                    problem.status == .input
                        && problem.message.split(separator: "\n").allSatisfy {
                            $0.wholeMatch(of: /f\.yaml:[1-9][0-9]*:[1-9][0-9]*: .+/) != nil
                        }, "seed \(seed): \(problem.message)")
            }
        }
        #expect(right > 20 && wrong > 100, "the mutations are too tame or too wild: \(right) right, \(wrong) wrong")
    }

    // MARK: Traces

    /// The small run without its messages and outcomes, which no checker sees: header, plan, faults, notes.
    private static func smallTrace() throws -> (header: String, lines: [String]) {
        let lines = try SmallRun.trace.get().split(separator: "\n").map(String.init)
        return (lines[0], lines.dropFirst().dropLast().filter { !$0.contains(#""pass":"#) && !$0.contains(#""e":"#) })
    }
    private static func bytes(_ header: String, _ lines: [String]) -> [UInt8] {
        let footer = (["end": .int(lines.count), "digest": ""] as Value).json
        return Array(((([header] + lines + [footer]).joined(separator: "\n")) + "\n").utf8)
    }

    /// What `check` and `explain` do with a trace.
    private func judge(_ trace: RecordedTrace) throws {
        let loaded = try RecordedFiles.scenario(of: trace, "t.jsonl")
        let judgement = loaded.scenario.judged(trace.history)
        let report = RunReport(
            judgement: judgement, history: trace.history, scenario: loaded.scenario, seed: trace.header.seed,
            mode: "check", events: trace.events,
            digest: trace.footer.digest, virtual: (trace.history.last?.at ?? .zero) - .zero, wallMilliseconds: 0,
            marks: [])
        _ = (report.line, report.explanation(command: "c"), JUnit.xml([report]))
        #expect(RunReport(report.body) != nil)
    }

    @Test("Histories: notes changed, doubled, lost and in another order are judged, never a trap (700 traces)")
    func histories() throws {
        let (header, lines) = try Self.smallTrace()
        #expect(lines.count > 20)
        var (judged, refused) = (0, 0)
        for seed in 0..<700 as Range<UInt64> {
            var draw = Draw(seed: seed, name: "history-fuzz")
            var changed = lines
            for _ in 0..<1 + draw.below(6) {
                let index = draw.below(changed.count)
                switch draw.below(5) {
                case 0: changed.remove(at: index)
                case 1: changed.insert(changed[index], at: draw.below(changed.count))
                case 2: changed.swapAt(index, draw.below(changed.count))
                default: changed[index] = try Value(json: changed[index]).mutated(&draw).json
                }
            }
            do {
                try judge(try RecordedTrace.read(bytes: Self.bytes(header, changed), file: "t.jsonl"))
                judged += 1
            } catch let problem as TraceProblem {
                refused += 1
                #expect(problem.message.hasPrefix("t.jsonl:"))
            }
        }
        #expect(judged > 250 && refused > 50, "\(judged) judged, \(refused) refused")
    }

    @Test("Trace bytes: refused with a place, or judged (1,000 traces)")
    func traceBytes() throws {
        let (header, lines) = try Self.smallTrace()
        let whole = Self.bytes(header, lines)
        var (judged, refused) = (0, 0)
        for seed in 0..<1_000 as Range<UInt64> {
            var draw = Draw(seed: seed, name: "trace-bytes")
            do {
                try judge(try RecordedTrace.read(bytes: Self.mutated(whole, &draw), file: "t.jsonl"))
                judged += 1
            } catch let problem as TraceProblem {
                refused += 1
                #expect(problem.message.hasPrefix("t.jsonl:"))
            } catch let problem as RunEnd {
                refused += 1
                #expect(problem.status == .input && problem.message.hasPrefix("t.jsonl:1:1:"))
            }
        }
        #expect(judged > 10 && refused > 250, "\(judged) judged, \(refused) refused")
    }
}
