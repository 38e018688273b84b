import FleetModel

/// The picture as the page's program reads it: columns of numbers, and one table of the texts that they name.
///
/// Times are microseconds of the run. Columns of times that only grow hold differences.
struct PageData {
    private var texts = Messages.Table<String>()

    static func value(_ picture: RunPicture) -> Value {
        var data = PageData()
        var body: Value = [
            "format": 1, "run": data.run(picture), "pads": .array(picture.pads.map { .int($0) }),
            "end": .int(micros(picture.end)), "stays": data.stays(picture.stays),
            "phases": .array(picture.phases.map { [.int(micros($0.from)), .string($0.name)] }),
            "faults": .array(picture.faults.map(fault)),
            "moments": .array(
                picture.moments.map { [.int(micros($0.at)), .string($0.kind), .string($0.place.description)] }),
            "edits": data.edits(picture.edits), "stories": data.stories(picture.stories),
            "messages": data.messages(picture.messages),
        ]
        body["cut"] = picture.cut.map(cut)
        body["texts"] = .strings(data.texts.values)
        return body
    }

    static func micros(_ instant: Instant) -> Int64 { instant.nanoseconds / 1000 }
    private mutating func text(_ text: String) -> Value { .int(Int64(texts.position(of: text))) }
    private mutating func text(_ text: String?) -> Value { text.map { self.text($0) } ?? -1 }

    private func run(_ picture: RunPicture) -> Value {
        let (report, heading) = (picture.report, picture.heading)
        let counts = LossClass.allCases.filter { report.count($0) > 0 }
        return [
            "scenario": .string(report.scenario), "purpose": .string(heading.purpose),
            "seed": .string(String(report.seed)), "mode": .string(report.mode),
            "verdict": .string(report.verdict.rawValue), "wanted": .string(report.wanted),
            "asExpected": .bool(report.isAsExpected), "digest": .string(report.digest),
            "build": .string(heading.build), "command": .string(heading.command), "trace": .string(heading.trace),
            "edits": .int(report.edits), "attempted": .int(report.attempted), "refused": .int(report.refused),
            "events": report.events.map { .int($0) } ?? .null, "virtual": .string("\(report.virtual)"),
            "counts": .array(
                counts.map { [.string($0.rawValue), .int(report.count($0)), .bool($0.isViolation)] }),
            "reasons": .strings(report.reasons), "remarks": .strings(report.remarks),
            "drawn": .optional(report.drawnLine), "epoch": .int(Instant.epochNanoseconds / 1000),
        ]
    }

    private static func fault(_ fault: RunPicture.Fault) -> Value {
        [
            "id": .string(fault.id), "kind": .string(fault.kind), "pads": .array(fault.pads.map { .int($0) }),
            "from": .int(micros(fault.from)), "until": .int(micros(fault.until)), "open": .bool(fault.isOpen),
        ]
    }

    private static func cut(_ cut: RunPicture.Cut) -> Value {
        [
            "messages": .int(cut.messages), "ofMessages": .int(cut.ofMessages), "from": .int(micros(cut.from)),
            "until": .int(micros(cut.until)), "edits": .int(cut.edits), "ofEdits": .int(cut.ofEdits),
        ]
    }

    private mutating func stays(_ stays: [RunPicture.Stay]) -> Value {
        var rows: [Value] = []
        for stay in stays {
            rows.append([
                .int(stay.pad), text(stay.app), text(stay.person), text(stay.state.rawValue),
                .int(Self.micros(stay.from)), .int(Self.micros(stay.until) - Self.micros(stay.from)), text(stay.ended),
            ])
        }
        return .array(rows)
    }

    private mutating func edits(_ trails: [RunPicture.Trail]) -> Value {
        var rows: [Value] = []
        for trail in trails {
            let edit = trail.edit
            var row = [edit.token, edit.person, edit.app, edit.item, edit.verb.rawValue, trail.ending].map {
                text($0)
            }
            row.append(.int(trail.pad ?? 0))
            row.append(.string(String(edit.value.prefix(Self.valueMax))))
            row.append(steps(trail.steps))
            rows.append(.array(row))
        }
        return .array(rows)
    }
    /// Characters of an item's text that the page shows.
    private static let valueMax = 120

    private mutating func steps(_ steps: [RunPicture.Step]) -> Value {
        var rows: [Value] = []
        for step in steps {
            rows.append([
                .int(Self.micros(step.at)), text(step.kind), text(step.place.description), .strings(step.tokens),
                .strings(step.by), .string(step.words), .int(step.isDoom ? 1 : 0),
            ])
        }
        return .array(rows)
    }

    private mutating func stories(_ stories: [RunPicture.Telling]) -> Value {
        var rows: [Value] = []
        for story in stories {
            rows.append([
                "class": .string(story.lossClass.rawValue), "edit": .string(story.token), "title": .string(story.title),
                "summary": .string(story.summary), "steps": steps(story.steps),
            ])
        }
        return .array(rows)
    }

    private func messages(_ messages: Messages) -> Value {
        var last: Int64 = 0
        var until: [Value] = []
        var lasted: [Value] = []
        until.reserveCapacity(messages.count)
        for index in 0..<messages.count {
            let at = Self.micros(messages.until[index])
            until.append(.int(at - last))
            lasted.append(.int(at - Self.micros(messages.sent[index])))
            last = at
        }
        func column(_ numbers: [Int32]) -> Value { .array(numbers.map { .int(Int64($0)) }) }
        return [
            "until": .array(until), "lasted": .array(lasted), "from": column(messages.from),
            "to": column(messages.to), "kind": column(messages.kind), "subject": column(messages.subject),
            "fate": .array(messages.fate.map { .int(Int64($0.rawValue)) }),
            "names": .strings(messages.names.values.map(\.description)), "kinds": .strings(messages.kinds.values),
            "subjects": .strings(messages.subjects.values),
        ]
    }
}
