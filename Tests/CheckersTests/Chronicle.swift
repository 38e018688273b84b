import FleetModel

@testable import Checkers

/// Writes histories the way a story is told: one call a step, one second apart unless said otherwise.
///
/// ```
/// var day = Chronicle()
/// day.write("maya.1", "note-1", on: 1)
/// day.sync("maya.1")
/// day.readEverywhere([item("note-1", "maya.1")])
/// ```
/// The person is the part of the token before the dot.
struct Chronicle {
    private(set) var events: [HistoryEvent] = []
    private var now = Instant.zero
    private let app: AppName
    private let channel: Channel

    /// Declares one app whose kind `note` makes the given promise and whose kind `flag` is an effect.
    /// - Parameters:
    ///   - forEveryone: kinds that all people of the app may see.
    ///   - shared: kinds that some people share.
    init(
        _ promise: Promise = .keepsAll, channel: Channel = .record, app: AppName = "notebook",
        forEveryone: [String] = [], shared: [String] = []
    ) {
        self.app = app
        self.channel = channel
        var detail: Value = [
            "promises": ["note": .string(promise.rawValue), "flag": "effect"],
            "actions": [
                ["name": "write", "kind": "note"], ["name": "delete", "kind": "note"],
                ["name": "set", "kind": "flag"],
            ],
        ]
        if !forEveryone.isEmpty { detail["forEveryone"] = .strings(forEveryone) }
        if !shared.isEmpty { detail["shared"] = .strings(shared) }
        add(.people, Note(.appDeclared, app: app, channel: channel, detail: detail))
    }

    /// The index that the next event will have.
    var next: Int { events.count }

    @discardableResult
    mutating func add(_ from: ParticipantID, _ note: Note) -> Int {
        events.append(HistoryEvent(at: now, from: from, note))
        now = now + .seconds(1)
        return events.count - 1
    }
    mutating func wait(_ span: Span) { now = now + span }

    private func person(_ token: Token?) -> Person { token.map { String($0.prefix { $0 != "." }) } ?? "maya" }

    // MARK: Edits

    mutating func invoke(_ token: Token, _ verb: Edit.Verb, _ item: String, value: String = "", on pad: Int = 1) {
        let actions: [Edit.Verb: String] = [.put: "write", .delete: "delete", .effect: "set"]
        let edit = Edit(
            token: token, person: person(token), app: app, action: actions[verb] ?? "", item: item, verb: verb,
            value: value)
        add(
            .people,
            Note(
                .invoked, person: edit.person, app: app, tokens: [token], detail: ["edit": edit.body, "pad": .int(pad)])
        )
    }
    /// The handler is called, and does not return unless it is performed too.
    mutating func begin(_ token: Token, on pad: Int, saw: [Token] = []) {
        add(.pad(pad), Note(.began, person: person(token), app: app, tokens: [token], detail: ["saw": .strings(saw)]))
    }
    @discardableResult
    mutating func perform(_ token: Token, on pad: Int, saw: [Token] = []) -> Int {
        begin(token, on: pad, saw: saw)
        return add(.pad(pad), Note(.performed, person: person(token), app: app, tokens: [token]))
    }
    mutating func write(_ token: Token, _ item: String = "note-1", on pad: Int = 1, saw: [Token] = []) {
        invoke(token, .put, item, on: pad)
        perform(token, on: pad, saw: saw)
    }
    mutating func delete(_ token: Token, _ item: String = "note-1", on pad: Int = 1, saw: [Token]) {
        invoke(token, .delete, item, on: pad)
        perform(token, on: pad, saw: saw)
    }
    mutating func set(_ token: Token, _ item: String = "intro", to value: String = "true", on pad: Int = 1) {
        invoke(token, .effect, item, value: value, on: pad)
        perform(token, on: pad)
    }
    mutating func refuse(_ token: Token, on pad: Int = 1) {
        add(
            .pad(pad),
            Note(.refused, person: person(token), app: app, tokens: [token], detail: ["reason": "not active"]))
    }

    // MARK: Services

    @discardableResult
    mutating func handOver(_ tokens: Token..., on pad: Int = 1) -> Int {
        add(.pad(pad), Note(.handedOver, person: person(tokens.first), app: app, channel: channel, tokens: tokens))
    }
    mutating func handBack(_ tokens: Token..., on pad: Int = 1) {
        add(
            .pad(pad),
            Note(
                .handedBack, person: person(tokens.first), app: app, channel: channel, tokens: tokens,
                detail: ["code": 14]))
    }
    /// - Parameters:
    ///   - pad: the iPad that sent it, as far as the Cloud says.
    ///   - sender: who did; nil: whose the first edit is.
    ///   - owner: in whose zone; nil: in one of the sender's own.
    @discardableResult
    mutating func commit(
        _ tokens: Token..., place: String = "record notes/note-1", from pad: Int? = nil, of sender: Person? = nil,
        owner: Person? = nil
    ) -> Int {
        var detail: Value = ["where": .string(place)]
        detail["device"] = pad.map { .string("ipad-\($0)") }
        detail["owner"] = owner.map { .string($0) }
        return add(
            .cloud,
            Note(.committed, person: sender ?? person(tokens.first), channel: channel, tokens: tokens, detail: detail))
    }
    @discardableResult
    mutating func replace(_ tokens: Token..., by: [Token], from pad: Int? = nil, of sender: Person? = nil) -> Int {
        var detail: Value = ["by": .strings(by)]
        detail["device"] = pad.map { .string("ipad-\($0)") }
        return add(
            .cloud,
            Note(
                .replaced, person: sender ?? person(tokens.first), channel: channel, tokens: tokens, detail: detail))
    }
    /// A key-value write persisted and accepted for upload on a pad; `stamp` in seconds of device time.
    mutating func stamp(_ tokens: Token..., at stamp: Int, on pad: Int, key: String = "note-1") {
        let owner = person(tokens.first)
        add(
            .pad(pad),
            Note(
                .handedOver, person: owner, app: app, channel: .keyValue, tokens: tokens, detail: ["key": .string(key)])
        )
        add(
            .pad(pad),
            Note(
                .stamped, person: owner, app: app, channel: .keyValue, tokens: tokens,
                detail: ["key": .string(key), "stamp": .int(stamp * 1_000_000_000), "device": .string("ipad-\(pad)")]))
    }
    /// Handed over and committed.
    mutating func sync(_ token: Token, on pad: Int = 1) {
        handOver(token, on: pad)
        commit(token)
    }

    // MARK: Shares

    mutating func join(_ person: Person, with owner: Person, share: String = "s", zone: String = "notes") {
        let detail: Value = ["owner": .string(owner), "share": .string(share), "zone": .string(zone)]
        add(.cloud, Note(.shareJoined, person: person, channel: .record, detail: detail))
    }
    mutating func leave(_ person: Person, with owner: Person, share: String = "s", zone: String = "notes") {
        let detail: Value = ["owner": .string(owner), "share": .string(share), "zone": .string(zone)]
        add(.cloud, Note(.shareLeft, person: person, channel: .record, detail: detail))
    }
    /// A record of the zone `notes` comes under a share; an empty one: out of all.
    mutating func cover(_ record: String, of owner: Person, _ tokens: Token..., share: String = "s") {
        let detail: Value = ["share": .string(share), "where": .string("notes/\(record)")]
        add(.cloud, Note(.shareCovers, person: owner, channel: .record, tokens: tokens, detail: detail))
    }

    // MARK: Life

    @discardableResult
    mutating func launch(on pad: Int = 1, of person: Person = "maya") -> Int {
        add(.pad(pad), Note(.appLaunched, person: person, app: app))
    }
    @discardableResult
    mutating func exit(_ reason: String, on pad: Int = 1, of person: Person = "maya", how: String? = nil) -> Int {
        var detail: Value = ["reason": .string(reason)]
        detail["detail"] = how.map { .string($0) }
        return add(.pad(pad), Note(.appExited, person: person, app: app, detail: detail))
    }
    @discardableResult
    mutating func purge(_ reason: String, on pad: Int = 1, of person: Person = "maya", wholePerson: Bool = false) -> Int
    {
        add(.pad(pad), Note(.purged, person: person, app: wholePerson ? nil : app, detail: ["reason": .string(reason)]))
    }
    @discardableResult
    mutating func powerCut(on pad: Int = 1) -> Int { add(.pad(pad), Note(.powerCut)) }
    @discardableResult
    mutating func cancelTransfers(_ tokens: Token..., on pad: Int = 1) -> Int {
        add(.pad(pad), Note(.transfersCancelled, person: person(tokens.first), app: app, tokens: tokens))
    }
    mutating func mark(_ name: String) { add(.pad(1), Note(.mark, detail: ["name": .string(name)])) }

    // MARK: The end

    mutating func pending(_ tokens: Token..., on pad: Int = 1, waitsFor: String = "the network") {
        add(
            .pad(pad),
            Note(
                .pending, person: person(tokens.first), tokens: tokens,
                detail: ["what": "upload", "waitsFor": .string(waitsFor)]))
    }
    mutating func observe(_ tokens: Token..., in place: String, of person: Person = "maya", on pad: Int) {
        add(.pad(pad), Note(.observed, person: person, tokens: tokens, detail: ["where": .string(place)]))
    }
    mutating func read(
        _ reader: String, on pad: Int, of person: Person = "maya", _ items: [Item], complete: Bool = true
    ) {
        add(
            .pad(pad),
            Note(
                .read, person: person, app: app,
                detail: ["reader": .string(reader), "items": .array(items.map(\.body)), "complete": .bool(complete)]))
    }
    /// The whole final reading when all readers agree: iPads 1 and 2, a new one (9), 1 and 2 again.
    mutating func readEverywhere(_ items: [Item], of person: Person = "maya") {
        for (reader, pad) in [("core", 1), ("core", 2), ("new", 9), ("again", 1), ("again", 2)] {
            read(reader, on: pad, of: person, items)
        }
    }
    /// The old iPad shows one thing, the brand-new one another.
    mutating func read(core: [Item], new: [Item]) {
        read("core", on: 1, core)
        read("new", on: 9, new)
        read("again", on: 1, core)
    }

    // MARK: Judging

    var judgement: Judgement { judge(events) }
    /// `valid`, or `lost maya.1, stuck leo.2`: the whole outcome at a glance.
    var outcome: String {
        let judgement = judgement
        let findings = judgement.findings.map { "\($0.lossClass.rawValue) \($0.token)" }.joined(separator: ", ")
        return findings.isEmpty ? judgement.verdict.rawValue : findings
    }
    /// The step that doomed the first finding.
    var doom: Int? { judgement.findings.first?.doomedBy }
}

/// An item as an app shows it: its tokens, and their list as its content.
func item(_ id: String, _ tokens: Token..., damaged: [Token] = [], digest: String? = nil) -> Item {
    Item(id: id, kind: "note", tokens: tokens, damaged: damaged, digest: digest ?? tokens.joined(separator: "+"))
}
/// A flag and its value.
func flag(_ id: String, _ value: String) -> Item { Item(id: id, kind: "flag", digest: value) }
