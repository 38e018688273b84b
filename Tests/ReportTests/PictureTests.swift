import Checkers
import FleetModel
import Testing
import Trace

@testable import Report

@Suite("Picture of a run", .timeLimit(.minutes(20))) struct PictureTests {
    @Test("Stays: sessions and states of apps, each until the next one; why they ended; a guest's is one of its own")
    func stays() {
        let lines =
            SmallPicture.history.prefix(3).map(TraceLine.note)
            + [
                SmallPicture.message(
                    SmallPicture.at(4), .pad(1), .app(pad: 1, launch: 1), "post", "app.didBecomeActive"),
                // What an app says of itself is no state.
                SmallPicture.message(
                    SmallPicture.at(5), .app(pad: 1, launch: 1), .pad(1), "post", "app.didEnterBackground"),
            ] + SmallPicture.history.dropFirst(3).map(TraceLine.note)
        let stays = SmallPicture.picture(lines).stays.map {
            "\($0.pad) \($0.app ?? "-") \($0.state.rawValue) \($0.from)...\($0.until) \($0.ended ?? "-")"
        }
        #expect(
            stays == [
                "1 - session 1s...1m10s -", "1 notebook launched 2s...4s -", "1 notebook foreground 4s...30s -",
                "2 - guest 13s...50s powerCut", "1 notebook suspended 30s...40s memory",
            ])
        // A live run records no messages: what was launched for a person was on the screen.
        #expect(SmallPicture.picture().stays.map(\.state) == [.session, .foreground, .guest, .suspended])
    }

    @Test("Faults and phases: with their iPads; one that never healed ends with the run's first moment of it")
    func faults() {
        let picture = SmallPicture.picture()
        #expect(picture.phases == [.init(name: "storm", from: .zero)])
        #expect(
            picture.faults == [
                .init(
                    id: "p-1", kind: "partition", pads: [2], from: SmallPicture.at(3), until: SmallPicture.at(25),
                    isOpen: false)
            ])
        let open = SmallPicture.picture(history: SmallPicture.history.filter { $0.note.kind != .faultHealed })
        #expect(open.faults.map(\.isOpen) == [true] && picture.moments.map(\.kind) == ["powerCut"])
        #expect(picture.pads == [1, 2])
    }

    @Test("Ways of edits: their ladder with the place of each step, where others saw them, and the doomed step")
    func trails() throws {
        let picture = SmallPicture.picture()
        let first = try #require(picture.edits.first)
        #expect(first.edit.token == "maya.1" && first.ending == "overwritten" && first.pad == 1)
        #expect(
            first.steps.map { "\($0.kind) \($0.place)" } == [
                "invoked ipad-1", "began ipad-1", "performed ipad-1", "committed cloud", "seen ipad-2",
                "missing ipad-2",
            ])
        #expect(first.steps.map(\.isDoom) == [false, false, false, false, true, false])
        #expect(first.steps[4].tokens == ["maya.1"] && first.steps[0].words.contains("maya writes note-1"))
        let second = picture.edits[1]
        #expect(second.steps.map(\.kind) == ["invoked", "began"] && second.ending == "unanswered")
        #expect(picture.stories.map(\.token) == ["maya.1"])
        // The fault that was at work then is one of its steps.
        #expect(picture.stories[0].steps.count == 7 && picture.stories[0].summary == SmallPicture.hostile)
    }

    @Test("Limits: edits that came to harm stay, words end first, and the picture says what it lacks")
    func limits() {
        let limits = PictureMaker.Limits(messages: 4, edits: 1, stories: 0, words: 0)
        let lines = (1...20).map { SmallPicture.message(SmallPicture.at($0), .pad(1), .cloud, "request", "GET /") }
        let picture = SmallPicture.picture(lines, limits: limits)
        #expect(picture.edits.map(\.edit.token) == ["maya.1"] && picture.stories.isEmpty)
        #expect(picture.edits[0].steps.allSatisfy { $0.words.isEmpty })
        // Around the doomed step, at 20 s: what there is before it, for nothing comes after.
        #expect(picture.messages.until == [17, 18, 19, 20].map(SmallPicture.at))
        #expect(
            picture.cut
                == .init(
                    messages: 4, ofMessages: 20, from: SmallPicture.at(17), until: SmallPicture.at(20), edits: 1,
                    ofEdits: 2))
        #expect(SmallPicture.picture().cut == nil)
    }

    @Test("Window of messages: half from before the moment, the rest from after it, whatever side has fewer")
    func window() {
        func kept(_ times: [Int64], around focus: Int64, limit: Int) -> [Int64] {
            var window = MessageWindow(around: SmallPicture.at(focus), limit: limit)
            for time in times {
                let message = TracedMessage(
                    at: SmallPicture.at(time), from: .people, to: .pad(1), kind: "k", subject: "")
                window.add(message, sent: message.at)
            }
            return window.messages.until.map { $0.nanoseconds / 1_000_000_000 }
        }
        #expect(kept(Array(1...100), around: 50, limit: 6) == [48, 49, 50, 51, 52, 53])
        #expect(kept(Array(1...100), around: 2, limit: 6) == [1, 2, 3, 4, 5, 6])
        #expect(kept(Array(1...100), around: 99, limit: 6) == [95, 96, 97, 98, 99, 100])
        #expect(kept([3, 1, 2], around: 9, limit: 6) == [1, 2, 3])
    }

    @Test(
        "Times of sending: by the choice on the schedule tape; a lost message is told when it leaves; others take no time"
    )
    func sent() {
        let latency = Span.milliseconds(20)
        func pass(_ key: String, _ fate: Value) -> TraceLine { .pass(key: key, fate: fate) }
        let lines: [TraceLine] = [
            SmallPicture.message(SmallPicture.at(1), .people, .pad(1), "command", "app.perform"),
            pass("request ipad-1 maya.1 0", ["latency": .int(latency.nanoseconds)]),
            pass("request ipad-1 keychain sync 0", ["latency": 3_000_000_000]),
            SmallPicture.message(SmallPicture.at(1) + latency, .pad(1), .cloud, "request", "POST /modify"),
            pass("response ipad-1 maya.1 0", ["latency": 40_000_000, "ending": "lost"]),
            // Nothing was chosen for it.
            SmallPicture.message(SmallPicture.at(2), .pad(2), .cloud, "request", "GET /"),
            SmallPicture.message(SmallPicture.at(4), .pad(1), .cloud, "request", "POST /keychain"),
        ]
        let messages = SmallPicture.picture(lines).messages
        let told = (0..<messages.count).map { index in
            "\(messages.subjects.values[Int(messages.subject[index])]) \(messages.sent[index]) \(messages.until[index]) \(messages.fate[index])"
        }
        #expect(
            told == [
                "app.perform 1s 1s arrived", "POST /modify 1s 1.020s arrived", "maya.1 0 1.060s 1.060s lost",
                "GET / 2s 2s arrived", "POST /keychain 1s 4s arrived",
            ])
    }

    @Test("Coverage: which states of apps the windows of a fault met, on the iPads that it was for")
    func coverage() {
        var coverage = FaultCoverage()
        coverage.add(SmallPicture.picture())
        // iPad 2, which the partition is for, has no app.
        #expect(coverage.windows == ["partition": ["no app": 1]])
        var everywhere = SmallPicture.picture()
        everywhere.faults[0].pads = []
        coverage.add(everywhere)
        #expect(coverage.windows == ["partition": ["no app": 2, "foreground": 1]])
    }
}
