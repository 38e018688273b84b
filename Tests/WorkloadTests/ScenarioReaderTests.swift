import FleetModel
import Testing

@testable import Workload

@Suite("Scenario reader", .timeLimit(.minutes(20)))
struct ScenarioReaderTests {
    @Test("Whole file: everything is read, defaults are filled in")
    func whole() throws {
        let scenario = try scenario()
        #expect(scenario.name == "small" && scenario.seed == 1 && scenario.expect == .init(.valid))
        #expect(scenario.people == ["maya", "ben"] && scenario.core == [1, 2])
        #expect(
            scenario.periods.map(\.seats) == [
                [.init("maya", pad: 1), .init("ben", pad: 2)], [.init("maya", pad: 2), .init("ben", pad: 1)],
            ])
        #expect(scenario.storm == .minutes(13) && scenario.bells == [at(300), at(660)])
        #expect(scenario.work.edits == 6 && scenario.work.apps == [.init("notebook"), .init("quiz")])
        #expect(
            scenario.faults == [
                FaultSpec(
                    id: "latency-1", kind: "latency", from: at(60), until: at(120), pads: [1],
                    parameters: ["extra": "2s"])
            ])
    }

    @Test(
        "What a fault refuses is told where it is written, beside all else that is wrong",
        arguments: [
            ("extra", "13:69"), ("from", "13:28"), ("until", "13:39"), ("ipads", "13:50"), ("with", "13:61"),
            ("nothing", "13:5"),
        ])
    func refused(parameter: String, place: String) {
        let told = errors(Sample.text.replacing("edits: 6", with: "edits: six")) {
            $0.parameters == ["extra": "2s"] ? (parameter, "no") : nil
        }
        #expect(
            Set(told) == [
                "f.yaml:10:10: 'work.edits' has to be a whole number from 0 to 1000, not 'six'",
                "f.yaml:\(place): fault 'latency': no",
            ])
    }

    @Test("A fault that cannot be read in full is not asked what it refuses of the rest")
    func notAsked() {
        for (right, wrong) in [("[1], with", "[9], with"), ("until: 2m", "until: 30s")] {
            let told = errors(Sample.text.replacing(right, with: wrong)) { _ in ("with", "asked") }
            #expect(told.count == 1 && !told.description.contains("asked"), "\(told)")
        }
    }

    @Test("Classes: by number, by name, ranges of iPads, one class on two seatings")
    func classes() throws {
        let scenario = try scenario(
            """
            name: classes
            purpose: p
            apps: [quiz]
            ipads: 4
            people: 42
            classes: {red: 3, blue: 2, few: [maya, lena]}
            timetable:
              - {start: 0s, length: 5m, seats: {red: 1-3}}
              - {start: 5m, length: 5m, seats: {blue: [4, 1-2]}}
              - {start: 10m, length: 5m, seats: {few: [2, 1], omar: 4}}
            core: [1-2, 4]
            """)
        #expect(scenario.periods[0].seats == [.init("maya", pad: 1), .init("ben", pad: 2), .init("lena", pad: 3)])
        #expect(scenario.periods[1].seats == [.init("omar", pad: 4), .init("ida", pad: 1)])
        #expect(scenario.periods[2].seats == [.init("maya", pad: 2), .init("lena", pad: 1), .init("omar", pad: 4)])
        #expect(scenario.core == [1, 2, 4])
        #expect(scenario.people.count == 42 && scenario.people.last == "ben-2")
    }

    @Test("Expectation, limits, network, swarm and Pad settings")
    func settings() throws {
        let scenario = try scenario(
            Sample.text + """

                expect: {verdict: invalid, class: unsaved}
                limits: {maxExcused: 3, maxCrashed: 2, minPerformed: 5, maxCallsPerInstant: 7}
                network: {latency: [5ms, 10ms], bytesPerSecond: 1000}
                swarm: {kinds: [hold, latency], intensity: 0.5}
                slots: 3
                capacity: 64
                configuration: {ResidentUsers: 4, TemporarySessionOnly: false, PasscodePolicy: {AutoLockTime: 120}, AwaitUserConfiguration: {Enabled: true}}
                guests: [visitor]
                purgeAtSignOut: true
                awaitDeviceConfigured: true
                switches: {keyLength: utf16, eviction: leastRecentlyLeft}
                calm: 20m
                seed: 42
                """)
        #expect(scenario.expect == .init(.invalid, .unsaved) && scenario.seed == 42)
        #expect(
            scenario.limits.maxExcused == 3 && scenario.limits.maxCrashed == 2 && scenario.limits.minPerformed == 5
                && scenario.limits.maxCallsPerInstant == 7 && scenario.limits.maxInflight == nil)
        #expect(scenario.linkModel == LinkModel(least: .milliseconds(5), most: .milliseconds(10), bytesPerSecond: 1000))
        #expect(scenario.swarm == .init(kinds: ["hold", "latency"], intensity: 0.5))
        #expect(
            scenario.padSettings == [
                "slots": 3, "purgeAtSignOut": true, "awaitDeviceConfigured": true, "capacity": 64,
                "switches": ["keyLength": "utf16"],
                "configuration": [
                    "ResidentUsers": 4, "TemporarySessionOnly": false, "PasscodePolicy": ["AutoLockTime": 120],
                    "AwaitUserConfiguration": ["Enabled": true],
                ],
            ])
        #expect(scenario.guests == ["visitor"] && scenario.calmBudget == .minutes(20))
        #expect(try self.scenario2("swarm: all").swarm == .init())
        #expect(try self.scenario2("swarm: {kinds: all}").swarm == .init())
        #expect(try self.scenario2("swarm: hold").swarm == .init(kinds: ["hold"]))
        #expect(try self.scenario2("seed: 18446744073709551615").seed == .max)
    }
    private func scenario2(_ line: String) throws -> Scenario { try scenario(Sample.text + "\n" + line) }

    @Test("Errors: exact place and what to do", arguments: ErrorCase.all)
    func error(_ sample: ErrorCase) {
        #expect(errors(sample.text) == ["f.yaml:\(sample.expected)"])
    }

    @Test("Switches: an unknown one and a side that there is not are told with their place")
    func switches() {
        let found = errors(Sample.text + "\nswitches: {eviction: nobody, luck: good}\n")
        #expect(
            found.count == 2 && found[0].contains("unknown side 'nobody'") && found[1].contains("unknown key 'luck'"))
    }

    @Test("Errors: several are told at once, in the order of the file")
    func several() {
        let text = Sample.text.replacingOccurrences(of: "ipads: 2", with: "ipad: 2")
            .replacingOccurrences(of: "name: small", with: "name: Small School").replacingOccurrences(
                of: "edits: 6", with: "edits: many")
        let found = errors(text)
        #expect(found.map { $0.prefix(12) } == ["f.yaml:1:1: ", "f.yaml:1:7: ", "f.yaml:4:1: ", "f.yaml:10:10"])
    }

    @Test("Errors: a hostile file is refused, not expanded or followed for ever")
    func hostile() {
        #expect(errors(String(repeating: "[", count: 200_000)).first?.contains("not YAML") == true)
        #expect(errors(String(repeating: "- ", count: 200_000)).first?.contains("f.yaml:1:") == true)
        #expect(errors(String(repeating: "a", count: 2_000_000)).first?.contains("at most 1048576") == true)
        #expect(
            errors("a: &x [1]\nb: [*x, *x]") == [
                "f.yaml:1:4: anchors and aliases (&name, *name) are not part of scenario files; write the value out"
            ])
        #expect(
            errors("") == ["f.yaml:1:1: the file is empty; begin a scenario with 'name:', faults alone with 'faults:'"])
        #expect(errors("- 1").first == "f.yaml:1:1: 'the scenario' has to be a mapping (key: value), not a list")
        #expect(errors("? [a]\n: b").contains("f.yaml:1:3: 'key' has to be a plain key, not a list"))
        #expect(errors("a: \u{0}").first?.contains("f.yaml:1:4") == true)
        #expect(errors("name: x\n---\nname: y").first?.contains("f.yaml:2:1: not YAML") == true)
    }
}

/// A line of the sample replaced by a wrong one, and the error that it gives.
struct ErrorCase: CustomTestStringConvertible, Sendable {
    var text: String
    var expected: String
    var testDescription: String { expected }

    init(_ line: String, _ replacement: String, _ expected: String) {
        text = Sample.text.replacingOccurrences(of: line, with: replacement)
        self.expected = expected
    }
    init(adding line: String, _ expected: String) {
        text = Sample.text + "\n" + line
        self.expected = expected
    }

    private static let marks = Spelling.list(ReachableMarks.all)
    static let all: [ErrorCase] = [
        .init("name: small", "name: small\nname: big", "2:1: the key 'name' occurs twice in one mapping, first at 1:1"),
        .init(adding: "ipads: 3", "15:1: the key 'ipads' occurs twice in one mapping, first at 4:1"),
        .init(adding: "ipads: 3\nipads: 4", "15:1: the key 'ipads' occurs twice in one mapping, first at 4:1"),
        .init(
            "length: 5m, seats: {maya: 1,", "length: 5m, 'length': 6m, seats: {maya: 1,",
            "7:29: the key 'length' occurs twice in one mapping, first at 7:17"),
        .init(
            "length: 5m, seats: {maya: 1,", "\"length\": 5m, \"l\\x65ngth\": 6m, seats: {maya: 1,",
            "7:31: the key 'length' occurs twice in one mapping, first at 7:17"),
        .init(
            "length: 5m, seats: {maya: 1,", "\"l\\x65ngth\": 5m, length: 6m, seats: {maya: 1,",
            "7:17: the key 'length' occurs twice in one mapping"),
        .init("name: small\n", "", "1:1: the scenario lacks 'name': what the verdict line calls it"),
        .init(
            "[notebook, quiz]", "[notebok]",
            "3:8: unknown app 'notebok'; did you mean 'notebook'? Known: "
                + Sample.apps.map(\.name).joined(separator: ", ")),
        .init("[notebook, quiz]", "[quiz, quiz]", "3:7: 'quiz' occurs twice in 'apps'"),
        .init("ipads: 2", "ipads: 0", "4:8: 'ipads' has to be a whole number from 1 to 10000, not '0'"),
        .init("ipads: 2", "ipads: two", "4:8: 'ipads' has to be a whole number from 1 to 10000, not 'two'"),
        .init("ipads: 2", "ipads: \"2\"", "4:8: 'ipads' has to be a whole number from 1 to 10000, not '2'"),
        .init(
            "[maya, ben]", "[maya, Ben]",
            "5:16: 'Ben' is not a name: use small letters, digits and hyphens, a letter first, at most 32"),
        .init(
            "length: 5m, seats: {maya: 1,", "length: 5 min, seats: {maya: 1,",
            "7:25: 'timetable[1].length' has to be a time from 30s to 24h00m, such as 90s or 1h30m, not '5 min'"),
        .init(
            "{start: 6m", "{start: 4m",
            "8:13: the period begins at 4m, before the one above has ended at 5m: periods may not overlap"),
        .init("{maya: 1, ben: 2}", "{maya: 1, ben: 1}", "7:51: iPad 1 would have both maya and ben in the same period"),
        .init(
            "{maya: 1, ben: 2}", "{everyone: [1, 2], maya: 2}",
            "7:61: maya would sit at iPad 1 and at iPad 2 in the same period"),
        .init("{maya: 1, ben: 2}", "{maya: 1, ben: 3}", "7:51: there is no iPad 3: iPads are numbered from 1 to 2"),
        .init(
            "{maya: 1, ben: 2}", "{maya: 1, everyone: 2}",
            "7:56: 'everyone' has 2 people for 1 iPads: everybody needs one"),
        .init(
            "{maya: 1, ben: 2}", "{maya: 1, bem: 2}",
            "7:46: 'bem' is neither a class nor a person; did you mean 'ben'? Known: everyone, maya, ben"),
        .init(
            "edits: 6", "edit: 6",
            "10:3: unknown key 'edit' in work; did you mean 'edits'? Known: edits, apps, pause, walk, switching, home, forget, ipadsEach, together, close, bulk"
        ),
        .init(
            "edits: 6", "walk: [0s, 76s]",
            "10:9: 'work.walk' goes up to 1m16s; at most 1m15s, a quarter of the shortest period"),
        .init(
            "[5s, 30s]", "[30s, 5s]", "11:10: 'work.pause' has to be two times with the smaller one first, not a list"),
        .init(
            "fault: latency", "fault: slowness",
            "13:13: unknown fault 'slowness'. Known: \(Spelling.list(Sample.faults))"),
        .init(
            "extra: 2s", "person: bem",
            "13:70: unknown person of this scenario 'bem'; did you mean 'ben'? Known: maya, ben"),
        .init("extra: 2s", "person: maja@home", "13:70: unknown person of this scenario 'maja@home'. Known: maya, ben"),
        .init(
            "extra: 2s", "app: quizz",
            "13:67: unknown app of this scenario 'quizz'; did you mean 'quiz'? Known: notebook, quiz"),
        .init("until: 2m", "until: 30s", "13:39: it heals at 30s, before it begins at 1m"),
        .init("from: 1m", "from: 20m", "13:28: 20m is after the storm, which ends at 13m"),
        .init(
            "from: 1m, until: 2m, ", "",
            "13:5: the fault lacks its time: 'at: 5m' for an event, 'from: 5m' and 'until: 8m' for a window"),
        .init(
            "[edit-performed]", "[edit-preformed]",
            "14:13: unknown mark 'edit-preformed'; did you mean 'edit-performed'? Known: \(marks)"),
        .init(adding: "storm: 10m", "15:8: the storm ends at 10m, while people still act at 11m"),
        .init(adding: "expect: invalid", "15:9: say which loss is expected: {verdict: invalid, class: lost}"),
        .init(adding: "expect: maybe", "15:9: unknown verdict 'maybe'. Known: valid, invalid, unknown"),
        .init(
            adding: "expect: {verdict: invalid, class: excused}",
            "15:35: unknown class 'excused'. Known: lost, unsaved, overwritten, resurrected, duplicated, damaged, stuck, diverged, leaked, undeployed"
        ),
        .init(
            adding: "swarm: al",
            "15:8: unknown fault 'al'; did you mean 'all'? Known: \(Spelling.list(Sample.faults + ["all"]))"),
        .init(adding: "seed: -1", "15:7: 'seed' has to be a whole number from 0 to 18446744073709551615, not '-1'"),
        .init(
            adding: "swarm: {kinds: [quake]}",
            "15:17: unknown fault 'quake'. Known: \(Spelling.list(Sample.faults))"),
        .init(adding: "core: [1, 3]", "15:11: there is no iPad 3: iPads are numbered from 1 to 2"),
        .init(adding: "slots: [", "16:1: not YAML: while parsing a flow node, did not find expected node content"),
        .init(
            adding: "\tslots: 3",
            "15:1: not YAML: while scanning for the next token, found character that cannot start any token"),
        .init(
            "timetable:\n  - {start: 0m, length: 5m, seats: {maya: 1, ben: 2}}\n  - {start: 6m, length: 5m, seats: {maya: 2, ben: 1}}\n",
            "",
            "1:1: nobody does anything: give a 'timetable', 'steps' or a 'load'"),
    ]
}
