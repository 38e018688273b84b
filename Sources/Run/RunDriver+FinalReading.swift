import FleetModel
import Nemesis

/// What everybody sees when nothing waits any more: on the iPads of the fleet, on brand-new ones, and on the fleet's once more
/// (Docs/architecture.md, Phases).
extension RunDriver {
    /// Virtual time that an app is left open before it is read: pushes, downloads and retries of a healthy network fit in.
    private var settling: Span { max(.seconds(90), real(.seconds(1))) }
    /// Somebody touches the screen so often meanwhile: an iPad may lock itself after 2 minutes, which in compressed time may be less than
    /// a second of a slow machine, and a session may end that is idle for as long as the scenario says.
    private var touching: Span {
        let timeout = plan.padSettings["configuration"]?["UserSessionTimeout"]?.int ?? 0
        return timeout > 0 ? min(.seconds(90), Span.seconds(timeout).scaled(by: 0.5)) : .seconds(90)
    }

    /// Reads everybody on the core, on brand-new iPads, and on the core once more.
    func read() throws {
        let residents = try core.map { ($0, try self.residents(of: $0)) }
        try phase("reading-core")
        try readAll(residents, reader: "core")
        try phase("reading-new")
        try readOnNewPads()
        try phase("reading-again")
        try readAll(residents, reader: "again")
        try observe(core)
        _ = try meet("the end", false)
        try ask(.cloud, CloudCommand.observe.message())
        try run(until: now)
    }

    private func readAll(_ places: [(pad: Int, people: [Person])], reader: String) throws {
        try promise(places, reader: reader)
        try visit(places.map(\.pad), people: { pad in places.first { $0.pad == pad }?.people ?? [] }, reader: reader)
    }
    /// Says what is about to be read: whoever judges the history sees what is missing from it.
    private func promise(_ places: [(pad: Int, people: [Person])], reader: String) throws {
        let bodies = places.map { ["pad": .int($0.pad), "people": .strings($0.people)] as Value }
        let detail: Value = [
            "reader": .string(reader), "apps": .strings(plan.apps.map(\.name)), "places": .array(bodies),
        ]
        try note(Note(.readingPlanned, detail: detail), from: .people)
    }

    /// The two-iPad test (S6): each person on an iPad that has never seen anybody.
    private func readOnNewPads() throws {
        let first = plan.pads + 1
        let places = plan.people + plan.people.map(SecondAccount.name)
        let used = Set(plan.people + (try secondAccounts()))
        let all = places.indices.filter { used.contains(places[$0]) }.map { first + $0 }.filter(shard.holds)
        try promise(all.map { ($0, [places[$0 - first]]) }, reader: "new")
        // In groups: each iPad is a process, and has one for each app.
        for start in stride(from: 0, to: all.count, by: 64) {
            let pads = Array(all[start..<min(start + 64, all.count)])
            for pad in pads { try boot(.pad(pad)) }
            try visit(pads, people: { [places[$0 - first]] }, reader: "new")
            for pad in pads { switchOff(pad) }
        }
    }

    /// Second accounts that somebody was signed in to: the Cloud knows those, but not one whose only iPad never reached it. In a split run only
    /// the part that leads asks the Cloud; the others read all.
    private func secondAccounts() throws -> [Person] {
        guard plan.faults.contains(where: IdentityChange.changesAccount) else { return [] }
        let answer = try answer(of: .cloud, to: CloudCommand.accounts.message())
        let known = answer?["accounts"]?.strings ?? plan.people.map(SecondAccount.name)
        return known.filter(SecondAccount.isOne) + book.secondAccounts.sorted()
    }

    /// Signs people in one after another on each Pad (all Pads side by side), opens every app, lets it settle, reads it when asked to.
    func visit(_ pads: [Int], people: (Int) throws -> [Person], reader: String? = nil) throws {
        let turns = try pads.map { (pad: $0, people: try people($0)) }
        // Whoever is still signed in from before makes room.
        try ask(pads.map { ($0, PadCommand.SignOut().message) })
        for turn in 0..<(turns.map(\.people.count).max() ?? 0) {
            let present = turns.filter { turn < $0.people.count }.map { (pad: $0.pad, person: $0.people[turn]) }
            let answers = try ask(present.map { ($0.pad, PadCommand.SignIn(person: $0.person).message) })
            let inside = zip(present, answers).filter { $1.answer?["ok"]?.bool == true }.map(\.0)
            for app in plan.apps { try use(app, inside, reader: reader) }
            if let reader {
                for (outside, answer) in zip(present, answers) where answer.answer?["ok"]?.bool != true {
                    try noteUnread(outside, reader, answer.answer?["refused"]?.string ?? "no answer")
                }
            }
            try ask(present.map { ($0.pad, PadCommand.SignOut().message) })
        }
    }

    private func use(_ app: AppManifest, _ present: [(pad: Int, person: Person)], reader: String?) throws {
        try open(app, at: present)
        guard let reader else { return }
        var answers = try read(app, at: present)
        for _ in 1..<readings {
            let late = present.filter { answers[$0.pad]?["complete"]?.bool != true }
            guard !late.isEmpty else { break }
            try open(app, at: late)
            answers.merge(try read(app, at: late)) { $1 }
        }
        for (pad, person) in present {
            let answer = answers[pad]
            var detail: Value = [
                "reader": .string(reader), "items": answer?["items"] ?? [],
                "complete": .bool(answer?["complete"]?.bool ?? false),
            ]
            // An iPad that refuses to be read says why: nobody may be signed in any more.
            if let reason = answer?["reason"] ?? answer?["refused"] { detail["reason"] = reason }
            try note(Note(.read, person: person, app: app.name, detail: detail), from: .pad(pad))
        }
    }

    private func open(_ app: AppManifest, at places: [(pad: Int, person: Person)]) throws {
        let (message, pads) = (PadCommand.OpenApp(app: app.name).message, places.map(\.pad))
        var left = settling.nanoseconds
        repeat {
            _ = try askAtScreen(message, at: pads)
            let pause = min(touching, Span(nanoseconds: left))
            try run(until: now + pause)
            left -= pause.nanoseconds
        } while left > 0
    }
    private func read(_ app: AppManifest, at places: [(pad: Int, person: Person)]) throws -> [Int: Message] {
        try askAtScreen(PadCommand.Read(app: app.name).message, at: places.map(\.pad))
    }

    /// Where time is compressed a slow machine leaves iPads alone until they lock themselves: whoever is refused there gives the passcode and
    /// asks once more. Elsewhere a refusal is the app's or the iPad's own, and stays.
    private func askAtScreen(_ message: Message, at pads: [Int]) throws -> [Int: Message] {
        var answers = try ask(pads.map { ($0, message) })
        let refused = answers.filter { $0.answer?["refused"] != nil }.map(\.pad)
        if timeScale > 1, !refused.isEmpty {
            try ask(refused.map { ($0, PadCommand.Unlock().message) })
            answers += try ask(refused.map { ($0, message) })
        }
        return Dictionary(answers.compactMap { pad, answer in answer.map { (pad, $0) } }) { $1 }
    }

    /// Whoever could not sign in has read nothing: that proves nothing, and is said.
    private func noteUnread(_ place: (pad: Int, person: Person), _ reader: String, _ reason: String) throws {
        for app in plan.apps {
            try note(
                Note(
                    .read, person: place.person, app: app.name,
                    detail: ["reader": .string(reader), "items": [], "complete": false, "reason": .string(reason)]),
                from: .pad(place.pad))
        }
    }
}
