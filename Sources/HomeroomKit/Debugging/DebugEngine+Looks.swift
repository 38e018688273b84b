import Checkers
import FleetModel
import Run
import Trace
import Workload
import World

/// What a standing run shows.
extension DebugEngine {
    /// Where it stands.
    var place: Value {
        var body: Value = [
            "turn": .int(turn), "message": .int(world.recorder.events), "line": .int(world.recorder.lines + 1),
            "time": .int(world.now.nanoseconds), "clock": .string(world.now.wallClock), "over": .bool(isOver),
        ]
        if isOver { body["digest"] = .string(world.recorder.hex) }
        let phase = world.recorder.history.last { $0.note.kind == .phase }
        body["phase"] = phase.flatMap { $0.note.detail["name"] }
        if let line = tape.lastMessage, let last = try? Value(json: Array(line.dropLast())) {
            let words = ["k", "s", "from", "to"].map { last[$0]?.string ?? "" }
            body["last"] = .string("\(words[0]) \(words[1]), \(words[2]) to \(words[3])")
        }
        body["notes"] = .array(tape.fresh.compactMap(Self.noteWords).map(Value.string))
        return body
    }
    private static func noteWords(_ line: [UInt8]) -> String? {
        guard let body = try? Value(json: Array(line.dropLast())), let event = HistoryEvent(body) else { return nil }
        return words(for: event)
    }
    private static func words(for event: HistoryEvent) -> String {
        let note = event.note
        let parts = [note.kind.rawValue, note.person ?? "", note.app ?? "", note.tokens.joined(separator: " ")]
        let detail = note.detail == .empty ? "" : " " + note.detail.json
        return "\(event.at.wallClock)  \(event.from)  " + parts.filter { !$0.isEmpty }.joined(separator: " ") + detail
    }

    /// - Throws: `DebugProblem` for what is not there.
    func look(_ question: Value) throws -> Value {
        switch question["at"]?.string {
        case "place": return place
        case "people": return try state(of: .people)["people"] ?? []
        case "person": return try person(question["name"]?.string ?? "")
        case "participant":
            guard let id = question["id"]?.string.flatMap({ ParticipantID($0) }) else {
                throw DebugProblem("there is no such participant")
            }
            return try inspected(id, Message(question["question"]?.string ?? "state", question["with"] ?? .empty))
        case "app": return try app(question["name"]?.string ?? "", on: Int(clamping: question["pad"]?.int ?? 0))
        case "living": return .strings(view.living.map(\.description))
        case "messages": return view.underWay
        case "timers": return try timers()
        case "faults": return view.faultStates
        case "edit": return try edit(question["token"]?.string ?? "")
        case "edits": return edits(of: question["person"]?.string)
        case "notes":
            let most = Int(clamping: question["most"]?.int ?? 20)
            return .strings(world.recorder.history.suffix(most).map(Self.words))
        case "verdict": return verdict()
        case "screen": return try screen(Int(clamping: question["pad"]?.int ?? 0))
        default: throw DebugProblem("the debugger does not know what '\(question["at"]?.string ?? "")' is")
        }
    }

    private func inspected(_ id: ParticipantID, _ question: Message) throws -> Value {
        guard world.isAlive(id) else { throw DebugProblem("\(id) is not there: it is off, has ended or never began") }
        guard let answer = view.inspect(id, question) else {
            throw DebugProblem("\(id) shows no \(question.name)")
        }
        if let error = answer["error"]?.string { throw DebugProblem(error) }
        return answer
    }
    func state(of id: ParticipantID) throws -> Value { try inspected(id, Message("state")) }

    // MARK: People, apps, edits

    private func person(_ name: String) throws -> Value {
        guard let walker = try state(of: .people)["people"]?.array?.first(where: { $0["person"]?.string == name })
        else {
            let names = world.plan.people.joined(separator: ", ")
            throw DebugProblem("there is no person '\(name)'; there are \(names)")
        }
        var body = walker
        var places: [Value] = []
        for case .pad(let pad) in view.living {
            let state = try state(of: .pad(pad))
            guard state["session"]?["person"]?.string == name else { continue }
            var place: Value = ["ipad": .string("ipad-\(pad)")]
            for key in ["front", "locked", "account"] { place[key] = state["session"]?[key] }
            let queue = (state["queue"]?.array ?? []).filter { $0["person"]?.string == name }
            place["waiting"] = .int(queue.count)
            places.append(place)
        }
        body["sessions"] = .array(places)
        body["edits"] = edits(of: name)
        return body
    }

    /// Launches of an app on an iPad: as the system has each, and what the process says of itself.
    private func app(_ name: String, on pad: Int) throws -> Value {
        let apps = try state(of: .pad(pad))["apps"]?.array ?? []
        let launches = apps.filter { $0["app"]?.string == name }
        guard !launches.isEmpty else {
            let others = Set(apps.compactMap { $0["app"]?.string }).sorted().joined(separator: ", ")
            throw DebugProblem(
                "\(name) does not run on ipad-\(pad)" + (others.isEmpty ? "; nothing does" : "; there run: \(others)"))
        }
        return .array(
            launches.map { launch in
                var launch = launch
                let id = ParticipantID.app(pad: pad, launch: Int(clamping: launch["launch"]?.int ?? 0))
                launch["loop"] = view.inspect(id, Message("state"))
                return launch
            })
    }

    /// How far each edit of a person has come, or of everybody.
    private func edits(of person: String?) -> Value {
        var last: [Token: (item: String, step: HistoryEvent)] = [:]
        var order: [Token] = []
        for event in world.recorder.history {
            for token in event.note.tokens {
                if event.note.kind == .invoked, let edit = event.note.detail["edit"].flatMap(Edit.init) {
                    guard person == nil || edit.person == person else { continue }
                    if last[token] == nil { order.append(token) }
                    last[token] = ("\(edit.app)/\(edit.item)", event)
                } else if last[token] != nil, Self.ladder.contains(event.note.kind) {
                    last[token]?.step = event
                }
            }
        }
        return .array(
            order.compactMap { token in
                guard let (item, step) = last[token] else { return nil }
                return [
                    "edit": .string(token), "item": .string(item), "state": .string(step.note.kind.rawValue),
                    "at": .string(step.at.wallClock), "where": .string(step.from.description),
                ]
            })
    }
    private static let ladder: Set<Note.Kind> = [
        .invoked, .began, .performed, .refused, .handedOver, .handedBack, .committed, .replaced, .forgotten, .purged,
    ]

    private func edit(_ token: String) throws -> Value {
        guard let story = Story(of: token, history: world.recorder.history, findings: []) else {
            throw DebugProblem("nobody has made an edit called '\(token)' until now")
        }
        return story.body
    }

    private func timers() throws -> Value {
        var all = view.waits.array ?? []
        for id in view.living {
            guard case .pad = id, let timers = view.inspect(id, Message("state"))?["timers"]?.array else { continue }
            for timer in timers {
                var timer = timer
                timer["who"] = .string("\(id), system")
                all.append(timer)
            }
        }
        return .array(all.sorted { ($0["at"]?.string ?? "") < ($1["at"]?.string ?? "") })
    }

    // MARK: Only in a fork

    /// What is on the screen of an iPad: the app in front is asked, as the final reading asks it. That is a step of the app, so it is done in a
    /// process that ends afterwards.
    private func screen(_ pad: Int) throws -> Value {
        world.onTurn = nil
        let session = try state(of: .pad(pad))["session"] ?? .empty
        guard let front = session["front"]?.string else {
            return ["session": session, "shows": session["person"] == nil ? "the login screen" : "no app"]
        }
        let before = world.now
        let answer = try world.ask(.pad(pad), PadCommand.Read(app: front).message, within: .seconds(10))
        var body: Value = ["session": session, "app": .string(front)]
        guard let answer else {
            body["shows"] = "nothing: the app does not answer within 10 s"
            return body
        }
        for key in ["items", "complete", "reason", "refused"] { body[key] = answer[key] }
        body["answeredAfter"] = .string((world.now - before).description)
        return body
    }

    // MARK: The end

    /// What the checkers say of the whole run; of one that is under way, of what is known until now.
    private func verdict() -> Value {
        let history = world.recorder.history
        let judgement = runner.loaded.scenario.judged(history, obstacle: obstacle)
        var fates = Value.empty
        for event in history where event.note.kind == .invoked {
            for token in event.note.tokens { fates[token] = .string(Fate(of: token, in: judgement, history).word) }
        }
        var body: Value = [
            "verdict": .string(judgement.verdict.rawValue), "fates": fates, "digest": .string(world.recorder.hex),
            "messages": .int(world.recorder.events), "reasons": .strings(judgement.reasons),
            "findings": .array(
                judgement.findings.map {
                    [
                        "edit": .string($0.token), "class": .string($0.lossClass.rawValue),
                        "summary": .string($0.summary),
                    ]
                }),
        ]
        body["difference"] = tape.difference?.body
        body["obstacle"] = obstacle.map(Value.string)
        return body
    }
}
