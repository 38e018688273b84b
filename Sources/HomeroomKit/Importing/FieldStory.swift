import FleetModel
import Run
import Workload

/// What people did and what broke, as far as logs know it, in the words of a scenario; and what they leave open.
struct FieldStory {
    /// A time in which something was broken on an iPad.
    struct Window: Hashable {
        var kind: String
        var pad: Int
        var from: Instant
        var until: Instant
        var parameters: Value = .empty
    }
    /// An app that began again without having ended: when it was killed lies in between.
    struct Kill: Hashable {
        var pad: Int
        var after: Instant
        var before: Instant
        var wasInFront: Bool
    }
    /// A person who was still signed in when the log ends.
    struct Stay: Hashable {
        var pad: Int
        var person: Person
        var lastAct: Instant
    }
    /// A call without an answer.
    struct Unanswered: Hashable {
        var pad: Int
        var at: Instant
    }

    private(set) var app: AppManifest
    fileprivate(set) var steps: [PlanStep] = []
    fileprivate(set) var windows: [Window] = []
    fileprivate(set) var kills: [Kill] = []
    fileprivate(set) var unanswered: [Unanswered] = []
    fileprivate(set) var stays: [Stay] = []
    /// Names of the scenario, by those of the logs, in the order in which they came.
    fileprivate(set) var pads: [String] = []
    fileprivate(set) var people: [String] = []
    fileprivate(set) var items: [String] = []
    fileprivate(set) var itemNames: [String: String] = [:]
    private(set) var end: Instant

    var persons: [Person] { FirstNames.first(people.count) }
    var edits: Int { steps.count { if case .perform = $0.deed { true } else { false } } }
    /// Items by the tokens of their edits.
    var itemOfToken: [Token: String] {
        Dictionary(
            steps.compactMap { step in
                guard case .perform(let edit) = step.deed else { return nil }
                return (edit.token, edit.item)
            }, uniquingKeysWith: { first, _ in first })
    }

    /// - Throws: `RunEnd.input` with the place of what cannot be used.
    init(_ record: FieldRecord, app: AppManifest) throws {
        self.app = app
        let timeline = FieldTimeline(record.events.map(\.at))
        end = timeline.end + .minutes(1)
        var builder = FieldStoryBuilder(self, timeline)
        for event in record.events { try builder.take(event) }
        self = builder.finished
    }
}

/// Goes through the events once.
private struct FieldStoryBuilder {
    /// What is known of a device.
    private struct Device {
        var occupant: Person?
        /// The app's process runs; it is on the screen.
        var isRunning = false
        var isInFront = false
        var lastAct = FieldTimeline.begin
        var downSince: Instant?
        var accountSince: (at: Instant, state: String)?
        var calls: [String: Instant] = [:]
        /// Kinds of failures that go on, by their windows' places.
        var failing: [String: Int] = [:]
    }
    private var story: FieldStory
    private let timeline: FieldTimeline
    private var devices: [Int: Device] = [:]
    private var numbers: [Person: Int] = [:]

    init(_ story: FieldStory, _ timeline: FieldTimeline) { (self.story, self.timeline) = (story, timeline) }

    mutating func take(_ event: FieldEvent) throws {
        let at = timeline[event.at]
        let pad = try number(of: event.device, in: \.pads, atMost: FieldBounds.devices, "devices", event.place)
        var who = devices[pad, default: Device()].occupant
        if let name = event.who {
            let number = try number(of: name, in: \.people, atMost: FieldBounds.people, "people", event.place)
            who = FirstNames.first(number).last
        }
        switch event.deed {
        case .signIn: signIn(who, pad, at)
        case .signOut: signOut(pad, at)
        case .launch:
            // An app is launched for somebody: where it is somebody else, the one before has gone.
            if event.who != nil { signIn(who, pad, at) }
            if let device = devices[pad], device.isRunning {
                story.kills.append(.init(pad: pad, after: device.lastAct, before: at, wasInFront: device.isInFront))
            }
            devices[pad]?.isInFront = false
            devices[pad]?.isRunning = true
        case .foreground: try show(who, pad, at, event.place)
        case .background:
            guard let person = devices[pad]?.occupant, devices[pad]?.isInFront == true else { break }
            add(person, pad, .home, at)
            devices[pad]?.isInFront = false
        // iPadOS tells an app in front or in the background that it ends when the session does (app-lifecycle.md 2, shared-ipad.md 4).
        case .terminate: signOut(pad, at)
        case .edit(let edit): try perform(edit, who, pad, at, event.place)
        case .call(let name): devices[pad]?.calls[name] = at
        case .answer(let name, let outcome): answer(name, outcome, pad, at)
        case .network(let isThere): network(isThere, pad, at)
        case .account(let state): account(state, pad, at)
        }
        switch event.deed {
        // What the network does is no sign of life of the app.
        case .network, .answer: break
        default: devices[pad]?.lastAct = at
        }
    }

    private mutating func number(
        of name: String, in list: WritableKeyPath<FieldStory, [String]>, atMost most: Int, _ what: String,
        _ place: String
    ) throws -> Int {
        if let index = story[keyPath: list].firstIndex(of: name) { return index + 1 }
        guard story[keyPath: list].count < most else {
            throw RunEnd.input("\(place): more than \(most) \(what); cut the log to those that the mishap is about")
        }
        story[keyPath: list].append(name)
        return story[keyPath: list].count
    }

    // MARK: Acts

    private mutating func add(_ person: Person, _ pad: Int, _ deed: PlanStep.Deed, _ at: Instant) {
        story.steps.append(PlanStep(at: at, person: person, pad: pad, deed))
    }
    private mutating func signIn(_ who: Person?, _ pad: Int, _ at: Instant) {
        guard let who, devices[pad, default: Device()].occupant != who else { return }
        // Nobody saw the one before leave: soon after the last thing that they did.
        let left = devices[pad].map { min(at, $0.lastAct + .seconds(2)) }
        signOut(pad, left ?? at)
        add(who, pad, .signIn, at)
        devices[pad, default: Device()].occupant = who
    }
    private mutating func signOut(_ pad: Int, _ at: Instant) {
        guard let person = devices[pad]?.occupant else { return }
        add(person, pad, .signOut, at)
        devices[pad]?.occupant = nil
        devices[pad]?.isRunning = false
        devices[pad]?.isInFront = false
    }
    private mutating func show(_ who: Person?, _ pad: Int, _ at: Instant, _ place: String) throws {
        guard let who = who ?? devices[pad]?.occupant else {
            throw RunEnd.input("\(place): nobody is signed in on this device: 'who', or a 'signIn' before, is missing")
        }
        signIn(who, pad, at)
        guard devices[pad]?.isInFront != true else { return }
        add(who, pad, .open(story.app.name), at)
        devices[pad]?.isInFront = true
        devices[pad]?.isRunning = true
    }
    private mutating func perform(_ edit: FieldEdit, _ who: Person?, _ pad: Int, _ at: Instant, _ place: String) throws
    {
        try show(who, pad, at, place)
        guard story.edits < FieldBounds.edits else {
            throw RunEnd.input("\(place): more than \(FieldBounds.edits) edits; cut the log to the hour of the mishap")
        }
        guard let person = devices[pad]?.occupant else { return }
        let actions = story.app.actions
        let named = edit.action.flatMap { name in actions.first { $0.name == name } }
        guard let action = named ?? actions.first(where: { ($0.verb == .delete) == edit.isDelete }) ?? actions.first
        else {
            throw RunEnd.input("\(place): the app '\(story.app.name)' declares no action for this edit")
        }
        numbers[person, default: 0] += 1
        let token = "\(person).\(numbers[person] ?? 0)"
        let item = name(of: edit.item ?? token, action)
        let value = action.verb == .put ? EditPayload.text(token: token, "what was written") : ""
        add(
            person, pad,
            .perform(
                Edit(
                    token: token, person: person, app: story.app.name, action: action.name, item: item,
                    verb: action.verb,
                    value: value)), at)
    }
    /// The first item of a prefix is its number 1, and so on.
    private mutating func name(of item: String, _ action: AppManifest.Action) -> String {
        let key = action.prefix + " " + item
        if let known = story.itemNames[key] { return known }
        let count = story.itemNames.keys.count { $0.hasPrefix(action.prefix + " ") }
        let name = action.verb == .effect && action.pool == 1 ? action.prefix : "\(action.prefix)-\(count + 1)"
        story.itemNames[key] = name
        story.items.append("\(name) is \(item)")
        return name
    }

    // MARK: What broke

    private mutating func network(_ isThere: Bool, _ pad: Int, _ at: Instant) {
        let since = devices[pad, default: Device()].downSince
        if !isThere, since == nil { devices[pad, default: Device()].downSince = at }
        guard isThere, let since else { return }
        devices[pad]?.downSince = nil
        cut(pad, since, at)
    }
    private mutating func cut(_ pad: Int, _ from: Instant, _ until: Instant) {
        story.windows.append(
            .init(
                kind: "partition", pad: pad, from: from, until: max(until, from + .seconds(1)),
                parameters: ["answer": "refused"]))
    }
    private mutating func account(_ state: String, _ pad: Int, _ at: Instant) {
        if let since = devices[pad]?.accountSince, since.state != state {
            story.windows.append(
                .init(
                    kind: "identity-change", pad: pad, from: since.at, until: at,
                    parameters: ["to": .string(since.state)]))
            devices[pad]?.accountSince = nil
        }
        if state != "own", devices[pad]?.accountSince == nil {
            devices[pad, default: Device()].accountSince = (at, state)
        }
    }
    private mutating func answer(_ name: String, _ outcome: FieldOutcome, _ pad: Int, _ at: Instant) {
        let asked = devices[pad]?.calls.removeValue(forKey: name) ?? at
        let kinds: [FieldOutcome: (String, Value)] = [
            .unreachable: ("partition", ["answer": "refused"]), .lost: ("partition", .empty),
            .unavailable: ("service-unavailable", .empty), .tooMany: ("too-many-requests", .empty),
            .zoneBusy: ("zone-busy", .empty), .quota: ("quota-exceeded", .empty),
            .tokenExpired: ("change-token-expired", .empty),
        ]
        guard let (kind, parameters) = kinds[outcome] else {
            if outcome == .ok { waited(pad, asked, at) }
            // The network was there: whatever failed before failed until now.
            for place in devices[pad, default: Device()].failing.values {
                story.windows[place].until = max(story.windows[place].until, asked)
            }
            devices[pad]?.failing = [:]
            return
        }
        // A cut that the device itself has told of says it all.
        if kind == "partition", devices[pad]?.downSince != nil { return }
        if kind == "partition",
            story.windows.contains(where: { $0.pad == pad && $0.from <= asked && asked <= $0.until })
        {
            return
        }
        let until = max(at, asked + .milliseconds(1))
        if let place = devices[pad]?.failing[kind] {
            story.windows[place].until = max(story.windows[place].until, until)
        } else {
            let isEvent = kind == "change-token-expired"
            // Just before the request, so that it meets it.
            let from = max(.zero, Instant(nanoseconds: asked.nanoseconds - 1_000_000))
            story.windows.append(
                .init(kind: kind, pad: pad, from: from, until: isEvent ? from : until, parameters: parameters))
            if !isEvent { devices[pad, default: Device()].failing[kind] = story.windows.count - 1 }
        }
    }

    /// What takes so long has waited for a network: the system tries again by itself.
    private static let patience = Span.seconds(15)
    private mutating func waited(_ pad: Int, _ asked: Instant, _ at: Instant) {
        guard at - asked > Self.patience, devices[pad]?.downSince == nil else { return }
        let from = Instant(nanoseconds: max(0, asked.nanoseconds - 1_000_000))
        guard !story.windows.contains(where: { $0.pad == pad && $0.from <= at && from <= $0.until }) else { return }
        cut(pad, from, Instant(nanoseconds: at.nanoseconds - 1_000_000_000))
    }

    var finished: FieldStory {
        var builder = self
        // People who left unseen left before what came next.
        let order = story.steps.enumerated().sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }
        builder.story.steps = order.map(\.element)
        for (pad, device) in devices.sorted(by: { $0.key < $1.key }) {
            if let since = device.downSince { builder.cut(pad, since, story.end) }
            if let since = device.accountSince {
                builder.story.windows.append(
                    .init(
                        kind: "identity-change", pad: pad, from: since.at, until: story.end,
                        parameters: ["to": .string(since.state)]))
            }
            if let person = device.occupant {
                builder.story.stays.append(.init(pad: pad, person: person, lastAct: device.lastAct))
            }
            builder.story.unanswered += device.calls.values.sorted().map { .init(pad: pad, at: $0) }
        }
        return builder.story
    }
}
