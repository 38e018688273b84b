import FleetModel

/// Steps written one by one.
extension Reading {
    /// What can be done, and the keys that each takes beside when, who and where.
    private static let deeds: [(word: String, keys: [String])] = [
        ("signIn", []), ("signOut", []), ("open", ["app"]), ("home", []), ("walkAway", []), ("look", ["app"]),
        ("edit", ["app", "action", "item", "text", "number", "opens"]),
        ("openURL", ["app", "url"]), ("receiveFile", ["app", "item", "text"]), ("setting", ["app", "key", "value"]),
        ("wake", ["app", "mode", "lasting"]), ("wakeEnded", ["app", "mode"]), ("notice", ["notice", "app"]),
        ("backup", []), ("restore", []),
    ]
    private static let deedKeys = [
        "app", "action", "item", "text", "number", "opens", "url", "key", "value", "mode", "lasting", "notice",
    ]

    /// Who is signed in where and which app is open, by what is written so far: a step that cannot be is told at once.
    private struct Table {
        var occupant: [Int: Person] = [:]
        var open: [Int: AppName] = [:]
        /// iPads at which somebody signs in before another one has signed out: what follows there, of either, follows from that mistake.
        var disputed: Set<Int> = []
        /// Whose apps were backed up.
        var backedUp: Set<Person> = []
        /// What people have made so far by actions that make a new item each time.
        var made: Set<Made> = []
        /// The number of each person's newest edit.
        var numbers: [Person: Int] = [:]
    }
    private struct Made: Hashable {
        var person: Person
        var app: AppName
        var item: String
    }

    func readSteps(_ field: Field) -> [Scenario.WrittenStep] {
        var steps: [Scenario.WrittenStep] = []
        var table = Table()
        for item in field.list() ?? [] {
            guard let fields = item.fields(["at", "who", "ipad", "do"] + Self.deedKeys),
                let step = readStep(fields)
            else { continue }
            if let last = steps.last, step.at < last.at {
                fields["at"]?.report(
                    "this step is at \(step.at), the one above at \(last.at): write steps in the order of time")
            }
            check(step, fields, &table)
            steps.append(step)
        }
        return steps
    }

    private func readStep(_ fields: Fields) -> Scenario.WrittenStep? {
        let at = fields.require("at", "when, counted from the beginning of the run")?.span(.zero...Self.longest)
        let who = fields.require("who", "a person").flatMap(personOrGuest)
        let pad = fields.require("ipad", "the number of an iPad").flatMap(self.pad)
        let deed = fields.require("do", "one of \(Spelling.list(Self.deeds.map(\.word)))").flatMap {
            readDeed($0, fields)
        }
        guard let at, let who, let pad, let deed else { return nil }
        var step = Scenario.WrittenStep(at: .zero + at, person: who, pad: pad, deed)
        step.number = fields["number"]?.whole(1...2_000_000)
        step.opens = fields["opens"]?.flag() ?? false
        return step
    }

    private func readDeed(_ field: Field, _ fields: Fields) -> Scenario.WrittenStep.Deed? {
        guard let word = field.word(Self.deeds.map(\.word), "deed"),
            let allowed = Self.deeds.first(where: { $0.word == word })?.keys
        else { return nil }
        for key in Self.deedKeys where !allowed.contains(key) {
            fields[key]?.report("'\(key)' has no meaning for 'do: \(word)'")
        }
        switch word {
        case "signIn": return .signIn
        case "signOut": return .signOut
        case "home": return .home
        case "walkAway": return .walkAway
        case "open": return appOf(fields).map { .open($0) }
        case "edit": return readEdit(fields)
        case "backup": return .backUp
        case "restore": return .restore
        default: return readCommand(word, fields).map { .command($0) }
        }
    }

    func appOf(_ fields: Fields) -> AppName? {
        guard let field = fields.require("app", "one of \(Spelling.list(apps))"), !apps.isEmpty else { return nil }
        return field.word(apps, "app of this scenario")
    }

    private func readEdit(_ fields: Fields) -> Scenario.WrittenStep.Deed? {
        guard let app = appOf(fields) else { return nil }
        guard let manifest = manifest(app) else {
            guard knownApps == nil, let action = fields["action"]?.text() else { return nil }
            return .edit(app, action: action, item: fields["item"]?.text(), text: fields["text"]?.typed())
        }
        guard let field = fields.require("action", "one of \(Spelling.list(manifest.actions.map(\.name)))"),
            let name = field.word(manifest.actions.map(\.name), "action of \(app)"),
            let action = manifest.actions.first(where: { $0.name == name })
        else { return nil }
        if action.verb != .put { fields["text"]?.report("'\(name)' takes no text") }
        let text = fields["text"]?.typed()
        if let text, text.utf8.count > 4_096 {
            fields["text"]?.report("the text has \(text.utf8.count) bytes; at most 4096")
        }
        let item = fields["item"]?.text()
        if let item, item.utf8.count > 100 {
            fields["item"]?.report("the item's name has \(item.utf8.count) bytes; at most 100")
        }
        return .edit(app, action: name, item: item, text: text)
    }

    /// What an action makes anew each time cannot be made twice under one name.
    private func checkNew(
        _ app: AppName, _ action: String, _ item: String?, _ person: Person, _ fields: Fields, _ table: inout Table
    ) {
        guard let item, let known = manifest(app)?.actions.first(where: { $0.name == action }), known.pool == 0,
            known.verb == .put, !table.made.insert(Made(person: person, app: app, item: item)).inserted
        else { return }
        fields["item"]?.report(
            "'\(action)' of \(app) makes a new item each time, and \(person) has made '\(item)' above: name it otherwise"
        )
    }

    /// Two edits of a person have two numbers, and the later one has the greater.
    private func checkNumber(_ step: Scenario.WrittenStep, _ fields: Fields, _ table: inout Table) {
        let last = table.numbers[step.person] ?? 0
        let number = step.number ?? last + 1
        if number <= last {
            fields["number"]?.report(
                "\(step.person).\(last) is above, so this edit cannot be \(step.person).\(number): numbers go up")
        }
        table.numbers[step.person] = max(number, last)
    }

    /// A person needs a place and an open app; an iPad has one person at a time. Walking away without signing out is possible.
    private func check(_ step: Scenario.WrittenStep, _ fields: Fields, _ table: inout Table) {
        if let seat = seat(of: step.pad, at: step.at), seat.person != step.person {
            fields["ipad"]?.report("iPad \(step.pad) is \(seat.person)'s seat at \(step.at) by the timetable")
        }
        guard !table.disputed.contains(step.pad) else { return }
        let occupant = table.occupant[step.pad]
        if case .signIn = step.deed {
            if let occupant, occupant != step.person, !timesOut(occupant) {
                table.disputed.insert(step.pad)
                fields["who"]?.report(
                    "\(step.person) cannot sign in at iPad \(step.pad): \(occupant) is signed in there and has to sign out first"
                )
            }
            table.occupant[step.pad] = step.person
            table.open[step.pad] = nil
            return
        }
        guard occupant == step.person else {
            fields["who"]?.report(
                "\(step.person) is not signed in at iPad \(step.pad) at \(step.at): write 'do: signIn' before")
            return
        }
        switch step.deed {
        case .signIn: break
        case .signOut, .walkAway: (table.occupant[step.pad], table.open[step.pad]) = (nil, nil)
        case .home: table.open[step.pad] = nil
        case .open(let app): table.open[step.pad] = app
        case .command(let message):
            if let app = message.appShown { table.open[step.pad] = app }
            if let app = message.appSeen, table.open[step.pad] != app { report(isNotInFront: app, step, fields) }
        case .backUp: table.backedUp.insert(step.person)
        case .restore:
            if !table.backedUp.contains(step.person) {
                fields["do"]?.report("there is no backup of \(step.person) yet: write 'do: backup' before")
            }
        case .edit(let app, let action, let item, _):
            checkNew(app, action, item, step.person, fields, &table)
            checkNumber(step, fields, &table)
            guard table.open[step.pad] != app else { return }
            guard !step.opens else { return table.open[step.pad] = app }
            report(isNotInFront: app, step, fields)
            table.open[step.pad] = app
        }
    }
    private func report(isNotInFront app: AppName, _ step: Scenario.WrittenStep, _ fields: Fields) {
        fields["app"]?.report(
            "\(app) is not in front on iPad \(step.pad) at \(step.at): write 'do: open, app: \(app)' before")
    }

    /// Whether the session of somebody who walked away ends by itself.
    private func timesOut(_ person: Person) -> Bool {
        let key = guests.contains(person) ? "TemporarySessionTimeout" : "UserSessionTimeout"
        return configuration?[key]?.int ?? 0 > 0
    }

    private func seat(of pad: Int, at moment: Instant) -> Scenario.Seat? {
        periods.first { $0.start <= moment && moment < $0.end }?.seats.first { $0.pad == pad }
    }
}
