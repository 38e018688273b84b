import FleetModel
import Testing

@testable import Workload

@Suite("Written steps", .timeLimit(.minutes(20)))
struct StepTests {
    private static let head = """
        name: steps
        purpose: p
        apps: [notebook, quiz]
        ipads: 2
        people: [maya, ben]
        steps:

        """
    private static let steps = [
        "  - {at: 5s, who: maya, ipad: 1, do: signIn}",
        "  - {at: 9s, who: maya, ipad: 1, do: open, app: notebook}",
        "  - {at: 20s, who: maya, ipad: 1, do: edit, app: notebook, action: write, item: note-9, text: hello}",
        "  - {at: 30s, who: maya, ipad: 1, do: edit, app: notebook, action: delete}",
        "  - {at: 40s, who: maya, ipad: 1, do: signOut}",
    ]
    private func text(_ steps: [String]) -> String { Self.head + steps.joined(separator: "\n") }
    /// The sample with one step (from 0) put in another form.
    private func changed(_ index: Int, _ step: String) -> [String] {
        var steps = Self.steps
        steps[index] = step
        return errors(text(steps))
    }

    @Test("Steps: become lines of the tape with numbered edits")
    func steps() throws {
        let scenario = try scenario(text(Self.steps))
        #expect(scenario.storm == .seconds(160))
        let plan = plan(scenario)
        #expect(plan.map(\.at) == [at(5), at(9), at(20), at(30), at(40)])
        guard case .perform(let first) = plan[2].deed, case .perform(let second) = plan[3].deed else {
            Issue.record("expected edits")
            return
        }
        #expect(
            first.token == "maya.1" && first.item == "note-9"
                && first.value == EditPayload.text(token: "maya.1", "hello"))
        #expect(
            second.token == "maya.2" && second.verb == .delete && second.value == "" && second.item.hasPrefix("note-"))
    }

    @Test("Guests: steps of a visitor without an account; a session that ends by itself makes room")
    func guests() throws {
        func text(_ configuration: String) -> String {
            """
            name: desk
            purpose: A guest walks away.
            apps: [notebook]
            ipads: 1
            people: [maya]
            guests: [visitor]
            configuration: \(configuration)
            steps:
              - {at: 5s, who: visitor, ipad: 1, do: signIn}
              - {at: 5m, who: maya, ipad: 1, do: signIn}
            """
        }
        let plan = plan(try scenario(text("{TemporarySessionTimeout: 60}")))
        #expect(plan.map(\.deed) == [.signInAsGuest, .signIn])
        #expect(plan.map { PlanStep($0.body) } == plan)
        #expect(errors(text("{UserSessionTimeout: 60}")).first?.contains("visitor is signed in there") == true)
        let twice = text("{}").replacing("guests: [visitor]", with: "guests: [maya]")
        #expect(errors(twice).first?.hasPrefix("f.yaml:6:9: 'maya' is one of 'people'") == true)
        #expect(errors(text("{Wallpaper: red}")).first?.contains("unknown key 'Wallpaper'") == true)
    }

    @Test("What happens to the iPad itself: each becomes a command, and is on the tape as it was written")
    func commands() throws {
        let more = [
            "{do: openURL, app: quiz, url: 'quiz://seven'}", "{do: edit, app: quiz, action: answer}",
            "{do: receiveFile, app: notebook, item: list.txt, text: one two}", "{do: look, app: notebook}",
            "{do: setting, app: quiz, key: sound, value: false}", "{do: wake, app: quiz, mode: audio, lasting: true}",
            "{do: wakeEnded, app: quiz, mode: audio}", "{do: notice, notice: UIDeviceBatteryLevelDidChange}",
            "{do: notice, notice: UIDeviceBatteryLevelDidChange, app: quiz}", "{do: backup}", "{do: restore}",
        ]
        let lines = more.enumerated().map { number, step in
            "  - {at: \(10 + number)s, who: maya, ipad: 1, " + step.dropFirst()
        }
        let plan = plan(try scenario(text([Self.steps[0]] + lines))).dropFirst().map(\.deed)
        func command(_ name: String, _ body: Value) -> PlanStep.Deed { .command(Message(name, body)) }
        let battery: Value = "UIDeviceBatteryLevelDidChange"
        #expect(plan[0] == command("app.openURL", ["app": "quiz", "url": "quiz://seven"]))
        #expect(
            Array(plan.dropFirst(2)) == [
                command(
                    "app.receiveFile", ["app": "notebook", "name": "list.txt", "data": .data(Array("one two".utf8))]),
                command("app.read", ["app": "notebook"]),
                command("settings.change", ["app": "quiz", "key": "sound", "value": false]),
                command("device.wake", ["app": "quiz", "mode": "audio", "lasting": true]),
                command("device.wakeEnded", ["app": "quiz", "mode": "audio"]),
                command("device.notice", ["name": battery]),
                command("device.notice", ["name": battery, "app": "quiz"]),
                .backUp, .restore,
            ])
        for deed in plan {
            let step = PlanStep(at: at(1), person: "maya", pad: 1, deed)
            #expect(PlanStep(step.body) == step)
        }
    }

    @Test(
        "What happens to the iPad itself, errors: a missing part, one without meaning, nothing to restore",
        arguments: [
            ("{do: openURL, app: quiz}", "lacks 'url'"), ("{do: setting, app: quiz, value: 1}", "lacks 'key'"),
            ("{do: notice}", "lacks 'notice'"), ("{do: receiveFile, app: quiz, item: a}", "lacks 'text'"),
            ("{do: wake, app: quiz}", "lacks 'mode'"), ("{do: home, url: a}", "'url' has no meaning for 'do: home'"),
            ("{do: look, app: quiz}", "quiz is not in front on iPad 1 at 10s"), ("{do: look}", "lacks 'app'"),
            ("{do: restore}", "there is no backup of maya yet"), ("{do: openUrl}", "did you mean 'openURL'"),
        ])
    func commandErrors(step: String, expected: String) {
        let line = "  - {at: 10s, who: maya, ipad: 1, " + step.dropFirst()
        let found = errors(text([Self.steps[0], line]))
        #expect(found.contains { $0.contains(expected) }, "\(found)")
    }

    @Test("Errors: steps that cannot be, with their place")
    func impossible() {
        #expect(
            changed(1, "  - {at: 4s, who: maya, ipad: 1, do: open, app: notebook}") == [
                "f.yaml:8:10: this step is at 4s, the one above at 5s: write steps in the order of time"
            ])
        #expect(
            changed(0, "  - {at: 5s, who: maya, ipad: 2, do: signIn}").first
                == "f.yaml:8:19: maya is not signed in at iPad 1 at 9s: write 'do: signIn' before")
        #expect(
            changed(1, "  - {at: 9s, who: ben, ipad: 1, do: signIn}") == [
                "f.yaml:8:19: ben cannot sign in at iPad 1: maya is signed in there and has to sign out first"
            ])
        #expect(
            changed(1, "  - {at: 9s, who: maya, ipad: 1, do: open, app: quiz}").first
                == "f.yaml:9:50: notebook is not in front on iPad 1 at 20s: write 'do: open, app: notebook' before")
        #expect(
            changed(2, "  - {at: 20s, who: maya, ipad: 1, do: edit, app: notebook, action: wrote}") == [
                "f.yaml:9:68: unknown action of notebook 'wrote'; did you mean 'write'? Known: write, delete"
            ])
        #expect(
            changed(2, "  - {at: 20s, who: maya, ipad: 1, do: edit, app: scrapbook, action: draw}") == [
                "f.yaml:9:50: unknown app of this scenario 'scrapbook'. Known: notebook, quiz"
            ])
        #expect(
            changed(3, "  - {at: 30s, who: maya, ipad: 1, do: edit, app: notebook, action: delete, text: x}") == [
                "f.yaml:10:82: 'delete' takes no text"
            ])
        #expect(
            changed(4, "  - {at: 40s, who: maya, ipad: 1, do: signOut, app: quiz}") == [
                "f.yaml:11:53: 'app' has no meaning for 'do: signOut'"
            ])
        #expect(changed(4, "  - {who: maia, ipad: 1}").count == 3)
    }

    @Test("Errors: a written step at somebody else's seat")
    func seatTaken() {
        let table = "\ntimetable:\n  - {start: 0s, length: 2m, seats: {ben: 1}}\n"
        #expect(errors(text(Self.steps) + table).first == "f.yaml:7:31: iPad 1 is ben's seat at 5s by the timetable")
    }
}
