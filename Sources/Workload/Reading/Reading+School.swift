import FleetModel

/// People, classes and the timetable.
extension Reading {
    func readPeople(_ field: Field) {
        if case .sequence = field.node {
            let names = (field.list() ?? []).map(identifier)
            // With one wrong name nobody is known: the places that use it would only repeat the error.
            people = names.contains(nil) ? [] : names.compactMap { $0 }
            reportDoubles(people, field)
            if field.isEmptyList { field.report("nobody is there: give a number of people, or a list of names") }
        } else if let count = field.whole(1...100_000) {
            people = FirstNames.first(count)
        }
    }

    /// Visitors without an account.
    func readGuests(_ field: Field) {
        guests = (field.list() ?? []).compactMap(identifier)
        reportDoubles(guests, field)
        for guest in guests where people.contains(guest) {
            field.report("'\(guest)' is one of 'people': a guest has no account; give another name")
        }
    }

    /// Settings of an administrator, with Apple's keys (shared-ipad.md 9.1).
    func readConfiguration(_ field: Field) -> Value? {
        let ranges: [(String, ClosedRange<Int>)] = [
            ("QuotaSize", 1...10_000_000), ("ResidentUsers", 1...32), ("UserSessionTimeout", 0...86_400),
            ("TemporarySessionTimeout", 0...86_400), ("OnlineAuthenticationGracePeriod", 0...365),
        ]
        guard
            let fields = field.fields(
                ranges.map(\.0) + ["TemporarySessionOnly", "PasscodePolicy", "AwaitUserConfiguration"])
        else { return nil }
        var body = Value.empty
        for (key, range) in ranges { if let number = fields[key]?.whole(range) { body[key] = .int(number) } }
        if let flag = fields["TemporarySessionOnly"]?.flag() { body["TemporarySessionOnly"] = .bool(flag) }
        if let policy = fields["PasscodePolicy"].flatMap(readPasscodePolicy) { body["PasscodePolicy"] = policy }
        if let flag = fields["AwaitUserConfiguration"]?.fields(["Enabled"])?["Enabled"]?.flag() {
            body["AwaitUserConfiguration"] = ["Enabled": .bool(flag)]
        }
        return body
    }
    /// Sides that iPads take where the sources differ.
    func readSwitches(_ field: Field) -> PadSwitches {
        var switches = PadSwitches()
        guard let fields = field.fields(PadSwitches.all.map(\.name)) else { return switches }
        for known in PadSwitches.all {
            guard let given = fields[known.name], let value = given.word(known.values, "side") else { continue }
            if let wrong = switches.set(known.name, to: value) { given.report(wrong) }
        }
        return switches
    }
    private func readPasscodePolicy(_ field: Field) -> Value? {
        guard let fields = field.fields(["AutoLockTime", "PasscodeLockGracePeriod"]) else { return nil }
        var body = Value.empty
        if let seconds = fields["AutoLockTime"]?.whole(120...86_400) { body["AutoLockTime"] = .int(seconds) }
        if let seconds = fields["PasscodeLockGracePeriod"]?.whole(0...14_400) {
            body["PasscodeLockGracePeriod"] = .int(seconds)
        }
        return body
    }

    /// `red: 8` takes the next eight people that no class has taken; `red: [maya, ben]` names them.
    func readClasses(_ field: Field) {
        var taken = 0
        for (keyField, value) in field.pairs() ?? [] {
            guard let name = identifier(keyField) else { continue }
            if people.contains(name) { keyField.report("'\(name)' is a person; give the class another name") }
            var members: [Person] = []
            if case .sequence = value.node {
                members = (value.list() ?? []).compactMap(person)
                reportDoubles(members, value)
            } else if let count = value.whole(1...100_000) {
                members = Array(people.dropFirst(taken).prefix(count))
                taken += members.count
                if members.count < count, !people.isEmpty {
                    value.report(
                        "class '\(name)' needs \(count) people; only \(members.count) of \(people.count) are left")
                }
            }
            classes.append((name, members))
        }
    }

    func readTimetable(_ field: Field) {
        for item in field.list() ?? [] {
            guard let fields = item.fields(["start", "length", "seats"]) else { continue }
            let start = fields.require("start", "when the period begins, counted from the beginning of the run")
            let length = fields.require("length", "how long the period is")
            guard let from = start?.span(.zero...Self.longest), let span = length?.span(.seconds(30) ... .hours(24))
            else { continue }
            if let last = periods.last, .zero + from < last.end {
                start?.report(
                    "the period begins at \(from), before the one above has ended at \(last.end): periods may not overlap"
                )
            }
            let seats = fields.require("seats", "class or person: iPads").map(readSeats) ?? []
            periods.append(Scenario.Period(start: .zero + from, end: .zero + from + span, seats: seats))
        }
        if field.isEmptyList { field.report("'timetable' is empty: give a period, or leave it out") }
    }

    private func readSeats(_ field: Field) -> [Scenario.Seat] {
        var seats: [Scenario.Seat] = []
        for (keyField, value) in field.pairs() ?? [] {
            guard let sitting = sitting(keyField) else { continue }
            let numbers = pads(value)
            guard numbers.count >= sitting.count else {
                if !numbers.isEmpty {
                    value.report(
                        "'\(value.name)' has \(sitting.count) people for \(numbers.count) iPads: everybody needs one")
                }
                continue
            }
            for (person, pad) in zip(sitting, numbers) {
                if let other = seats.first(where: { $0.person == person }) {
                    value.report("\(person) would sit at iPad \(other.pad) and at iPad \(pad) in the same period")
                } else if let other = seats.first(where: { $0.pad == pad }) {
                    value.report("iPad \(pad) would have both \(other.person) and \(person) in the same period")
                } else {
                    seats.append(Scenario.Seat(person, pad: pad))
                }
            }
        }
        return seats
    }

    /// The people whom a key of `seats` means: a class, a person, or `everyone`.
    private func sitting(_ field: Field) -> [Person]? {
        guard let name = field.text("a class or a person"), !people.isEmpty else { return nil }
        if let group = classes.first(where: { $0.name == name }) { return group.members }
        if name == "everyone" { return people }
        if people.contains(name) { return [name] }
        let known = classes.map(\.name) + ["everyone"] + people
        field.report(
            "'\(name.prefix(40))' is neither a class nor a person\(Spelling.hint(name, among: known)) Known: \(Spelling.list(known))"
        )
        return nil
    }

    /// The storm lasts as long as people act, and two minutes more where the file does not say.
    func readStorm(_ top: Fields, lastAct: Instant) {
        let busy = max(periods.last?.end ?? .zero, lastAct)
        storm = (busy - .zero) + .minutes(2)
        guard let field = top["storm"], let span = field.span(.seconds(1)...Self.longest) else { return }
        if .zero + span < busy { field.report("the storm ends at \(span), while people still act at \(busy)") }
        storm = span
    }
}

/// Names for people who are only counted.
package enum FirstNames {
    private static let list = [
        "maya", "ben", "lena", "omar", "ida", "noah", "yuki", "finn", "zoe", "emil", "aisha", "jonas", "clara", "mateo",
        "lucy",
        "theo", "nora", "adam", "mina", "paul", "sofia", "karl", "amira", "leo", "ella", "hugo", "rosa", "sam", "tessa",
        "ivan",
        "greta", "milo", "frida", "anton", "lily", "oskar", "dana", "felix", "vera", "max",
    ]
    /// The first names, then numbered ones: the same person has the same name in a smaller school.
    package static func first(_ count: Int) -> [Person] {
        (0..<count).map { index in
            let round = index / list.count
            return round == 0 ? list[index] : "\(list[index % list.count])-\(round + 1)"
        }
    }
}
