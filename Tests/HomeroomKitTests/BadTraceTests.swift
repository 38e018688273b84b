import FleetModel
import Foundation
import Testing

@Suite("Bad traces", .serialized, .timeLimit(.minutes(20))) struct BadTraceTests {
    private static let commands = ["replay", "check", "explain"]

    /// Gives a trace to replay, check and explain: all refuse it in the same way and leave nothing.
    private func refused(_ text: String, _ says: String..., by commands: [String] = commands) throws {
        try withFolder { folder in
            _ = try folder.appending(path: "t.jsonl").write(text)
            for command in commands {
                let run = try CommandLineRun.of([command, "t.jsonl"], in: folder)
                #expect(run.status == 3 && run.output.isEmpty, "\(command): \(run.status) \(run.output)\(run.errors)")
                for words in says { #expect(run.errors.contains(words), "\(command): \(run.errors)") }
            }
            #expect(try left(in: folder) == ["t.jsonl"])
        }
    }

    @Test("Truncated: between lines and inside one")
    func truncated() throws {
        let trace = try SmallRun.trace.get()
        let lines = trace.split(separator: "\n")
        let half = lines.count / 2
        try refused(
            lines[..<half].joined(separator: "\n") + "\n", "t.jsonl:\(half):1: the trace is truncated",
            "record it again")
        try refused(String(trace.dropLast(5)), "t.jsonl:\(lines.count):1: the trace is truncated")
        try refused("", "t.jsonl:1:1: the file is empty")
    }

    @Test("Corrupted: broken JSON, a strange line, a lost line")
    func corrupted() throws {
        var lines = try SmallRun.trace.get().split(separator: "\n").map(String.init)
        let good = lines
        lines[4] = String(lines[4].dropLast(3))
        try refused(lines.joined(separator: "\n") + "\n", "t.jsonl:5:", "the trace is corrupted")
        lines[4] = #"{"hello":1}"#
        try refused(lines.joined(separator: "\n") + "\n", "t.jsonl:5:1: this line is no part of a trace")
        lines = good
        lines.remove(at: 4)
        try refused(lines.joined(separator: "\n") + "\n", "t.jsonl:\(lines.count):1: the trace says that it has")
    }

    @Test("Newer format, another file, a scenario that this homeroom cannot use")
    func newer() throws {
        let trace = try SmallRun.trace.get()
        try refused(
            trace.replacing(#""homeroom":2"#, with: #""homeroom":3"#), "t.jsonl:1:1: the trace has format 3",
            "use a newer one")
        try refused(SmallRun.scenario(), "t.jsonl:1:1: not a Homeroom trace")
        try refused(
            trace.replacing("apps: [quiz]", with: "apps: [quizz]"),
            "t.jsonl:1:1: the scenario inside the trace cannot be used",
            "small.yaml:4:8: unknown app 'quizz'", by: ["replay"])
        try withFolder { folder in
            for command in Self.commands {
                let run = try CommandLineRun.of([command, "none.jsonl"], in: folder)
                #expect(run.status == 3 && run.errors.contains("cannot read none.jsonl"), "\(run.errors)")
            }
        }
    }

    @Test("Changed history: check and explain refuse to judge it, replay names the difference")
    func changed() throws {
        let trace = try SmallRun.trace.get()
        let changed = trace.replacing(#""note":"committed""#, with: #""note":"replaced""#)
        #expect(changed != trace)
        let count = trace.split(separator: "\n").count
        try refused(changed, "t.jsonl:\(count):1: the trace has been changed", by: ["check", "explain"])
        try withFolder { folder in
            _ = try folder.appending(path: "t.jsonl").write(changed)
            let run = try CommandLineRun.of(["replay", "t.jsonl", "--mode", "sim"], in: folder)
            #expect(
                run.status == 1 && run.output.contains("first difference at line")
                    && run.output.contains("has been edited"))
        }
    }

    @Test("Changed header: check refuses it, replay names line 1")
    func changedHeader() throws {
        let trace = try SmallRun.trace.get()
        let changed = trace.replacing("Two answers.", with: "Three answers.")
        #expect(changed != trace)
        let count = trace.split(separator: "\n").count
        try refused(changed, "t.jsonl:\(count):1: the trace has been changed", by: ["check", "explain"])
        try withFolder { folder in
            _ = try folder.appending(path: "t.jsonl").write(changed)
            let run = try CommandLineRun.of(["replay", "t.jsonl", "--mode", "sim"], in: folder)
            #expect(run.status == 1 && run.output.contains("first difference at line 1"), "\(run.output)\(run.errors)")
        }
    }

    @Test("Fault tape: an impossible fault is named with its line")
    func faults() throws {
        let trace = try SmallRun.trace.get()
        let line = try #require(trace.split(separator: "\n").firstIndex { $0.hasPrefix(#"{"fault":"#) }) + 1
        for (from, to, says) in [
            (#""kind":"latency""#, #""kind":"earthquake""#, "earthquake"),
            (#""until":40000000000"#, #""until":-1"#, "latency-1"),
            (#""pads":[]"#, #""pads":[-7]"#, "numbered from 1"),
            (#""from":20000000000"#, #""from":9223372036854775807"#, "latency-1"),
        ] {
            #expect(trace.contains(from), "\(from) is not in the trace")
            for mode in ["sim", "fleet"] {
                try withFolder { folder in
                    _ = try folder.appending(path: "t.jsonl").write(trace.replacing(from, with: to))
                    let run = try CommandLineRun.of(["replay", "t.jsonl", "--mode", mode], in: folder)
                    #expect(
                        run.status == 3 && run.errors.contains("t.jsonl:\(line):1:") && run.errors.contains(says),
                        "\(run.status) \(run.output)\(run.errors)")
                }
            }
        }
    }

    @Test("Hostile tapes: a replay ends with a difference, bad input or identical, never with a crash (40 tapes)")
    func hostileTapes() throws {
        let lines = try SmallRun.trace.get().split(separator: "\n").map(String.init)
        let tapes = lines.indices.filter { index in
            ["{\"plan\"", "{\"fault\"", "{\"fate\""].contains { lines[index].hasPrefix($0) }
        }
        #expect(tapes.count > 10)
        try withFolder { folder in
            var statuses: [Int32: Int] = [:]
            for seed in 0..<40 as Range<UInt64> {
                var draw = Draw(seed: seed, name: "tapes")
                var changed = lines
                for _ in 0..<1 + draw.below(3) {
                    let index = draw.pick(tapes) ?? 0
                    changed[index] = try Value(json: lines[index]).mutated(&draw).json
                }
                _ = try folder.appending(path: "t.jsonl").write(changed.joined(separator: "\n") + "\n")
                let run = try CommandLineRun.of(["replay", "t.jsonl", "--mode", "sim"], in: folder)
                statuses[run.status, default: 0] += 1
                #expect([0, 1, 3].contains(run.status), "seed \(seed): \(run.status) \(run.output)\(run.errors)")
                if run.status == 3 { #expect(run.errors.contains("t.jsonl:"), "seed \(seed): \(run.errors)") }
            }
            #expect(statuses[1, default: 0] > 3 && statuses[3, default: 0] > 3, "\(statuses)")
        }
    }
}

extension Value {
    /// The value with one leaf, key or element changed to something that nobody expects there.
    func mutated(_ draw: inout Draw) -> Value {
        switch self {
        case .object(let object) where !object.isEmpty && draw.chance(0.9):
            var object = object
            guard let pair = draw.pick(object.pairs) else { return .null }
            if draw.chance(0.1) { object[pair.key] = nil } else { object[pair.key] = pair.value.mutated(&draw) }
            return .object(object)
        case .array(var values) where !values.isEmpty && draw.chance(0.9):
            let index = draw.below(values.count)
            switch draw.below(4) {
            case 0: values.remove(at: index)
            case 1: values.append(values[index])
            default: values[index] = values[index].mutated(&draw)
            }
            return .array(values)
        default: return draw.pick(Self.strange) ?? .null
        }
    }
    private static let strange: [Value] = [
        .null, true, -1, 0, 1, 7, .int(Int64.max), .int(Int64.min), .int(Int64.max - 1), 1e300, 0.5, "", "x", "maya",
        "maya.1", "ben.1", "quiz",
        "ipad-1", "cloud", "people", "app-1-1", "\u{0}", "🍎", .string(String(repeating: "long ", count: 500)), [],
        .empty, [[], .null], [1, "a"],
        ["a": ["b": 1]], .data([0, 255]),
    ]
}
