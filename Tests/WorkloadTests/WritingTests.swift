import FleetModel
import Testing

@testable import Workload

/// What a run drew, as a file that somebody might have written.
@Suite("Writing scenarios", .timeLimit(.minutes(20))) struct WritingTests {
    private func school(_ more: String = "") throws -> Scenario {
        try scenario(
            """
            name: school
            purpose: "Odd: one \\x26 \\x2atwo"
            apps: [notebook, scrapbook, quiz, homework]
            ipads: 4
            people: 8
            classes: {red: 4, blue: 4}
            timetable:
              - {start: 0m, length: 10m, seats: {red: 1-4}}
              - {start: 10m, length: 10m, seats: {blue: 1-4}}
              - {start: 20m, length: 10m, seats: {red: [2-4, 1]}}
            work: {edits: 12, pause: [5s, 90s], switching: 0.3, home: 0.2, forget: 0.2}
            draw: all
            \(more)
            """)
    }

    @Test("Written out: the file says every step that the seed drew, texts and names of any kind too (60 seeds)")
    func plans() throws {
        let scenario = try school()
        for seed in 0..<60 as Range<UInt64> {
            let drawn = scenario.drawn(seed: seed)
            let played = try #require(scenario.with(drawn: drawn))
            let steps = plan(played, seed: seed)
            let written = try #require(scenario.written(plan: steps, faults: [], drawn: drawn, seed: seed))
            let text = ScenarioWriter.yaml(written)
            let back = try read(text).get()
            let isSame = plan(back, seed: seed) == steps
            #expect(isSame, "seed \(seed)")
            #expect(back.isAtSeveral == played.isAtSeveral && back.padSettings == played.padSettings)
            #expect(back.cloud.body == played.cloud.body && back.storm == played.storm && back.core == played.core)
            let isStable = ScenarioWriter.yaml(back) == text
            #expect(isStable)
        }
    }

    @Test("Written out: a load, people at several iPads who wait at each for themselves")
    func loads() throws {
        let scenario = try scenario(
            """
            name: load
            purpose: p
            apps: [quiz]
            ipads: 4
            people: 2
            load: {every: [20s, 40s], length: 5m}
            """)
        let steps = plan(scenario, seed: 9)
        let written = try #require(scenario.written(plan: steps, faults: [], drawn: .empty, seed: 9))
        let back = try read(ScenarioWriter.yaml(written)).get()
        #expect(plan(back, seed: 9) == steps && back.isAtSeveral && back.isMeasured && back.load == nil)
    }

    @Test("Every key: what a scenario may say is read back as it was")
    func keys() throws {
        let text = """
            # Why it is here.
            name: all-keys
            purpose: "Everything: at once"
            expect: {verdict: invalid, class: lost}
            seed: 18446744073709551615
            apps: [notebook, quiz]
            ipads: 3
            slots: 4
            capacity: 32
            configuration: {PasscodePolicy: {AutoLockTime: 300}, QuotaSize: 20}
            purgeAtSignOut: true
            awaitDeviceConfigured: false
            launchLimit: 5s
            switches: {eviction: oldestCached}
            cloud: {assetMegabytes: "15"}
            schema: {quiz: quiz.ckdb}
            people: [maya, ben]
            guests: [visitor]
            work: {ipadsEach: 2}
            measure: true
            audit: true
            storm: 10m
            calm: 1h30m
            core: [2, 3]
            network: {latency: [1ms, 2ms], bytesPerSecond: 5}
            limits: {maxCallsPerInstant: 7}
            steps:
              - {at: 0s, who: maya, ipad: 1, do: signIn}
              - {at: 0.000000001s, who: maya, ipad: 1, do: edit, app: quiz, action: answer, item: "8", text: "", number: 5, opens: true}
              - {at: 1m2.5s, who: maya, ipad: 1, do: openURL, app: notebook, url: "x:1"}
              - {at: 1m3s, who: maya, ipad: 1, do: receiveFile, app: notebook, text: "a\\nb", item: f.txt}
              - {at: 1m4s, who: maya, ipad: 1, do: setting, app: notebook, key: k, value: 3}
              - {at: 1m5s, who: maya, ipad: 1, do: wake, app: notebook, lasting: true, mode: audio}
              - {at: 1m6s, who: maya, ipad: 1, do: notice, notice: n}
              - {at: 1m7s, who: maya, ipad: 1, do: backup}
              - {at: 1m8s, who: maya, ipad: 1, do: restore}
              - {at: 1m9s, who: maya, ipad: 1, do: walkAway}
              - {at: 1m10s, who: ben, ipad: 1, do: signIn}
              - {at: 1m11s, who: ben, ipad: 1, do: home}
              - {at: 1m12s, who: ben, ipad: 1, do: signOut}
            faults:
              - {fault: partition, from: 1m, until: 2m, ipads: [1, 3], with: {answer: refused}}
              - {fault: partition, id: swarm-partition-1, from: 3m, until: 4m}
              - {fault: latency, from: 3m, until: forever, with: {extra: 2s, odd: [1, 0.5, true, "true", "1"]}}
              - {fault: app-kill, at: 5m, ipads: [2]}

            """
        let scenario = try read(text).get()
        #expect(ScenarioWriter.yaml(scenario, comments: ["Why it is here."]) == text)
    }

    @Test("Lengths of time: written to the nanosecond (10,000 lengths)")
    func spans() {
        var draw = Draw(seed: 4, name: "spans")
        for _ in 0..<10_000 {
            let whole = Int64(truncatingIfNeeded: draw.next() >> (10 + UInt64(draw.below(50))))
            let span = Span(nanoseconds: min(whole, 604_800_000_000_000))
            #expect(Span(parsing: span.written) == span, "\(span.nanoseconds): \(span.written)")
        }
        #expect(Span.seconds(-90).written == "-1m30s" && Span.zero.written == "0s")
    }

    @Test("Comments: one line each, and nothing in them is taken for an anchor")
    func comments() throws {
        let written = try #require(
            try scenario().written(plan: plan(try scenario()), faults: [], drawn: .empty, seed: 1))
        let text = ScenarioWriter.yaml(written, comments: ["a\nname: b", "see *this* & that", "\u{1b}[31m"])
        #expect(text.hasPrefix("# a?name: b\n# see +this+ + that\n# ?[31m\nname: small\n"))
        #expect((try? read(text).get()) != nil)
    }

    private func steps(_ lines: String...) -> String {
        """
        name: small
        purpose: p
        apps: [notebook]
        ipads: 1
        people: [maya, ben]
        steps:
          - {at: 1s, who: maya, ipad: 1, do: signIn}
        \(lines.map { "  - {\($0)}" }.joined(separator: "\n"))
        """
    }

    @Test("Number: names the edit, and the next ones go on from it; one that is not greater than the last is refused")
    func numbers() throws {
        let edit = "who: maya, ipad: 1, do: edit, app: notebook, action: write, opens: true"
        let scenario = try scenario(steps("at: 2s, \(edit), number: 7", "at: 3s, \(edit)"))
        let tokens = plan(scenario).compactMap { if case .perform(let edit) = $0.deed { edit.token } else { nil } }
        #expect(tokens == ["maya.7", "maya.8"])
        #expect(
            errors(steps("at: 2s, \(edit), number: 7", "at: 3s, \(edit), number: 7")).first?.contains(
                "maya.7 is above, so this edit cannot be maya.7") == true)
        #expect(
            errors(steps("at: 2s, who: maya, ipad: 1, do: home, number: 7")).first?.contains(
                "no meaning for 'do: home'")
                == true)
    }

    @Test("Walking away: the next person may sign in, and the one who left does nothing there; people do not step")
    func walkAway() throws {
        let away = "at: 2s, who: maya, ipad: 1, do: walkAway"
        let scenario = try scenario(steps(away, "at: 3s, who: ben, ipad: 1, do: signIn"))
        #expect(plan(scenario).map(\.person) == ["maya", "ben"])
        #expect(errors(steps("at: 3s, who: ben, ipad: 1, do: signIn")).first?.contains("has to sign out first") == true)
        #expect(errors(steps(away, "at: 3s, who: maya, ipad: 1, do: home")).first?.contains("not signed in") == true)
    }

    @Test("Drawn ids: a file may use them where nothing is drawn")
    func ids() {
        let fault = "faults:\n  - {fault: partition, id: swarm-partition-1, from: 1s, until: 2s}"
        #expect(errors(Sample.text.replacing(/faults:\n.*/, with: fault)) == ["it was accepted"])
        #expect(
            errors(Sample.text.replacing(/faults:\n.*/, with: fault) + "\nswarm: all").first?.contains(
                "belong to the faults that 'swarm' draws") == true)
    }
}
