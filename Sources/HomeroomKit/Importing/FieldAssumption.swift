import FleetModel
import Workload

/// Something that a log cannot know, taken to have been so.
struct FieldAssumption {
    /// For people: what is assumed.
    var words: String
    var apply: (inout FieldDraft) -> Void
}

/// A scenario that is made of a story and what is assumed.
struct FieldDraft {
    var steps: [PlanStep]
    var faults: [FieldStory.Window]
    /// More keys of a scenario.
    var keys: [String: String] = [:]
    /// When what is left of an app was killed.
    var kills: [(pad: Int, at: Instant)]

    init(_ story: FieldStory) {
        (steps, faults) = (story.steps, story.windows)
        // A process in front that is gone died of what it did last; one in the background when nobody looked.
        kills = story.kills.map { ($0.pad, $0.wasInFront ? $0.after + .milliseconds(100) : $0.middle) }
    }

    mutating func sort() {
        let order = steps.enumerated().sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }
        steps = order.map(\.element)
    }

    /// The scenario's text.
    func text(_ story: FieldStory, name: String, purpose: String) -> String {
        var written = WrittenScenario(
            name: name, purpose: purpose, app: story.app.name, ipads: max(1, story.pads.count), people: story.persons,
            extras: keys.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: "\n"))
        let last = max(story.end, steps.last?.at ?? .zero)
        written.storm = (last - .zero) + .minutes(2)
        let end = Instant.zero + written.storm
        written.steps = steps
        var counts: [String: Int] = [:]
        func spec(_ kind: String, _ pad: Int?, _ from: Instant, _ until: Instant, _ parameters: Value) -> FaultSpec {
            counts[kind, default: 0] += 1
            return FaultSpec(
                id: "\(kind)-\(counts[kind] ?? 0)", kind: kind, from: from, until: min(until, end),
                pads: pad.map { [$0] } ?? [],
                parameters: parameters)
        }
        let ofTheCloud: Set = ["quota-exceeded", "change-token-expired"]
        written.faults = faults.map {
            spec($0.kind, ofTheCloud.contains($0.kind) || $0.pad == 0 ? nil : $0.pad, $0.from, $0.until, $0.parameters)
        }
        written.faults += kills.map { spec("app-kill", $0.pad, $0.at, $0.at, .empty) }
        return written.text
    }
}

extension FieldStory.Kill {
    fileprivate var middle: Instant { Instant(nanoseconds: (after.nanoseconds + before.nanoseconds) / 2) }
}

extension FieldStory {
    /// What these logs leave open, the likeliest first.
    var assumptions: [FieldAssumption] {
        var all: [FieldAssumption] = []
        let cuts = windows.filter { $0.kind == "partition" }
        if !stays.isEmpty {
            let stays = stays
            all.append(
                FieldAssumption(words: "people signed out soon after the last thing in the log") { draft in
                    draft.steps += stays.map {
                        PlanStep(at: $0.lastAct + .seconds(5), person: $0.person, pad: $0.pad, .signOut)
                    }
                })
            all.append(
                FieldAssumption(words: "the network was away when people signed out at the end, from the last edit on")
                { draft in
                    for stay in stays {
                        draft.steps.append(
                            PlanStep(at: stay.lastAct + .seconds(5), person: stay.person, pad: stay.pad, .signOut))
                        let edit = draft.steps.last { step in
                            if case .perform = step.deed { step.pad == stay.pad } else { false }
                        }
                        let from = (edit?.at ?? stay.lastAct).nanoseconds - 1_000_000_000
                        draft.faults.append(
                            Window(
                                kind: "partition", pad: stay.pad, from: Instant(nanoseconds: max(0, from)),
                                until: stay.lastAct + .seconds(35), parameters: ["answer": "refused"]))
                    }
                })
        }
        if steps.contains(where: { $0.deed == .signOut }) {
            all.append(
                FieldAssumption(words: "a sign-out removed local data that may be removed") {
                    $0.keys["purgeAtSignOut"] = "true"
                })
            let leaving = leavings
            all.append(
                FieldAssumption(words: "the network was away at the sign-outs, from the last edit on") { draft in
                    draft.faults += leaving.map {
                        Window(
                            kind: "partition", pad: $0.pad, from: $0.from, until: $0.until,
                            parameters: ["answer": "refused"])
                    }
                })
        }
        if cuts.contains(where: { $0.parameters["answer"] == "refused" }) {
            all.append(
                FieldAssumption(words: "requests in a cut got no answer instead of failing at once") { draft in
                    for index in draft.faults.indices where draft.faults[index].kind == "partition" {
                        draft.faults[index].parameters = .empty
                    }
                })
        }
        if !cuts.isEmpty {
            all.append(
                FieldAssumption(words: "the cuts lasted longer than the log shows") { draft in
                    for index in draft.faults.indices where draft.faults[index].kind == "partition" {
                        let from = draft.faults[index].from.nanoseconds - 5_000_000_000
                        draft.faults[index].from = Instant(nanoseconds: max(0, from))
                        draft.faults[index].until = draft.faults[index].until + .minutes(1)
                    }
                })
        }
        if !unanswered.isEmpty {
            let calls = unanswered
            all.append(
                FieldAssumption(words: "iCloud did what was asked, and the answers that are missing were lost") {
                    draft in
                    draft.faults += calls.map {
                        Window(
                            kind: "loss-of-response", pad: $0.pad, from: $0.at, until: $0.at + .minutes(1),
                            parameters: ["probability": 1])
                    }
                })
        }
        return all + killAssumptions + networkAssumptions
    }

    private var killAssumptions: [FieldAssumption] {
        var all: [FieldAssumption] = []
        if !kills.isEmpty {
            let kills = kills
            let seats = kills.compactMap { kill -> (kill: Kill, person: Person)? in
                let step = steps.last { $0.pad == kill.pad && $0.at <= kill.before }
                return step.map { (kill, $0.person) }
            }
            all.append(
                FieldAssumption(words: "where the app began again, the person had signed out and in again") { draft in
                    draft.kills = []
                    for (kill, person) in seats {
                        let (out, back) = (kill.after + .seconds(2), kill.before.nanoseconds - 2_000_000_000)
                        guard out.nanoseconds < back else { continue }
                        draft.steps.append(PlanStep(at: out, person: person, pad: kill.pad, .signOut))
                        draft.steps.append(
                            PlanStep(at: Instant(nanoseconds: back), person: person, pad: kill.pad, .signIn))
                    }
                    draft.sort()
                })
            all.append(
                FieldAssumption(words: "the app was killed right before it began again") { draft in
                    draft.kills = kills.map {
                        ($0.pad, Instant(nanoseconds: max(0, $0.before.nanoseconds - 1_000_000_000)))
                    }
                })
            all.append(
                FieldAssumption(words: "the app was killed right after the last thing in its log") { draft in
                    draft.kills = kills.map { ($0.pad, $0.after + .milliseconds(5)) }
                })
            all.append(
                FieldAssumption(words: "the iPad lost its power when the app was gone") { draft in
                    draft.faults += draft.kills.map {
                        Window(kind: "power-cut", pad: $0.pad, from: $0.at, until: $0.at)
                    }
                    draft.kills = []
                })
        }
        let last = lastEdits
        if !last.isEmpty {
            all.append(
                FieldAssumption(words: "the app was killed soon after the last edit on each iPad") { draft in
                    draft.kills += last.map { ($0.pad, $0.at + .milliseconds(50)) }
                })
        }
        return all
    }
    private var networkAssumptions: [FieldAssumption] {
        let (from, until) = (FieldTimeline.begin, end)
        return [
            FieldAssumption(words: "pushes did not come") {
                $0.faults.append(Window(kind: "push-lost", pad: 0, from: from, until: until))
            },
            FieldAssumption(words: "the network was slow: 5 s more for each message") {
                $0.faults.append(Window(kind: "latency", pad: 0, from: from, until: until, parameters: ["extra": "5s"]))
            },
            FieldAssumption(words: "some answers were lost on the way") {
                $0.faults.append(
                    Window(kind: "loss-of-response", pad: 0, from: from, until: until, parameters: ["probability": 0.4])
                )
            },
        ]
    }

    /// From the last edit before each sign-out until a while after it.
    private var leavings: [(pad: Int, from: Instant, until: Instant)] {
        steps.enumerated().compactMap { index, step in
            guard step.deed == .signOut else { return nil }
            let edit = steps[..<index].last { other in
                if case .perform = other.deed, other.pad == step.pad { true } else { false }
            }
            let from = (edit?.at ?? step.at).nanoseconds - 1_000_000_000
            return (step.pad, Instant(nanoseconds: max(0, from)), step.at + .seconds(30))
        }
    }
    private var lastEdits: [(pad: Int, at: Instant)] {
        var last: [Int: Instant] = [:]
        for step in steps { if case .perform = step.deed { last[step.pad] = step.at } }
        return last.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }
}
