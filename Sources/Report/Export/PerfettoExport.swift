import FleetModel

/// A run as Chrome trace events, which Perfetto (ui.perfetto.dev) and chrome://tracing open.
///
/// An iPad is a process: its session, its apps and its network are the threads. Edits and faults are asynchronous slices, and an arrow (flow) leads
/// from where a network message was sent to where it came. Format: "Trace Event Format", JSON object form; times in microseconds.
public struct PerfettoExport {
    private var out: [UInt8] = Array("{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n".utf8)
    private var isFirst = true
    private let picture: RunPicture
    /// Threads that have a name, by process and thread.
    private var threads: [Int: [String]] = [:]

    private init(_ picture: RunPicture) { self.picture = picture }

    /// - Returns: one JSON object.
    public static func json(_ picture: RunPicture) -> [UInt8] {
        var export = PerfettoExport(picture)
        export.write()
        return export.out + Array("\n]}\n".utf8)
    }

    private static let people = 1
    private static let cloud = 2
    private static let faults = 3
    private static func process(_ pad: Int) -> Int { 10 + pad }
    private static func process(_ id: ParticipantID) -> Int {
        id.pad.map(process) ?? (id == .cloud ? cloud : people)
    }

    private mutating func write() {
        for (process, name) in [(Self.people, "people"), (Self.cloud, "iCloud"), (Self.faults, "faults")]
            + picture.pads.map({ (Self.process($0), "iPad \($0)") })
        {
            add("M", "process_name", process, 0, ["args": ["name": .string(name)]])
            add("M", "process_sort_index", process, 0, ["args": ["sort_index": .int(process)]])
        }
        for stay in picture.stays { write(stay) }
        for (number, fault) in picture.faults.enumerated() {
            let detail: Value = ["pads": .strings(fault.pads.map { "ipad-\($0)" })]
            slice(fault.kind, "fault", "\(fault.id)#\(number)", Self.faults, fault.from, fault.until, detail)
        }
        for trail in picture.edits { write(trail) }
        for index in 0..<picture.messages.count { writeMessage(index) }
        for moment in picture.moments {
            add("i", moment.kind, Self.process(moment.place), 0, at: moment.at, ["s": "p", "cat": "moment"])
        }
    }

    private mutating func write(_ stay: RunPicture.Stay) {
        let process = Self.process(stay.pad)
        let name = stay.app == nil ? "\(stay.state.rawValue) \(stay.person ?? "")" : stay.state.rawValue
        var detail: Value = ["person": .optional(stay.person)]
        detail["ended"] = stay.ended.map(Value.string)
        add(
            "X", name, process, thread(stay.app ?? "session", process), at: stay.from,
            ["dur": Self.micros((stay.until - stay.from).nanoseconds), "cat": "life", "args": detail])
    }

    private mutating func write(_ trail: RunPicture.Trail) {
        guard let first = trail.steps.first, let last = trail.steps.last else { return }
        let process = trail.pad.map(Self.process) ?? Self.people
        let detail: Value = ["item": .string(trail.edit.item), "ending": .string(trail.ending)]
        slice(trail.edit.token, "edit", trail.edit.token, process, first.at, last.at, detail) { export in
            for step in trail.steps {
                export.add(
                    "n", step.kind, process, 0, at: step.at,
                    ["cat": "edit", "id": .string(trail.edit.token), "args": ["words": .string(step.words)]])
            }
        }
    }

    private mutating func writeMessage(_ index: Int) {
        let messages = picture.messages
        let name = messages.subjects.values[Int(messages.subject[index])]
        let kind = messages.kinds.values[Int(messages.kind[index])]
        let (from, to) = (
            messages.names.values[Int(messages.from[index])], messages.names.values[Int(messages.to[index])]
        )
        let (source, target) = (Self.process(from), Self.process(to))
        let isLost = messages.fate[index] == .lost
        guard messages.sent[index] < messages.until[index] || isLost else {
            // On one iPad, or in no time: a mark where it came.
            add(
                "i", name, target, thread("messages", target), at: messages.until[index],
                ["s": "t", "cat": .string(kind)])
            return
        }
        let thread = (source: thread("network", source), target: thread("network", target))
        let detail: Value = [
            "args": ["from": .string("\(from)"), "to": .string("\(to)")], "dur": 1, "cat": .string(kind),
        ]
        add("X", (isLost ? "lost: " : "") + name, source, thread.source, at: messages.sent[index], detail)
        guard !isLost else { return }
        add("X", name, target, thread.target, at: messages.until[index], detail)
        let flow: Value = ["cat": .string(kind), "id": .int(index)]
        add("s", name, source, thread.source, at: messages.sent[index], flow)
        var end = flow
        end["bp"] = "e"
        add("f", name, target, thread.target, at: messages.until[index], end)
    }

    /// An asynchronous slice: it may overlap others.
    private mutating func slice(
        _ name: String, _ category: String, _ id: String, _ process: Int, _ from: Instant, _ until: Instant,
        _ detail: Value, inside: (inout PerfettoExport) -> Void = { _ in }
    ) {
        let head: Value = ["cat": .string(category), "id": .string(id)]
        var begin = head
        begin["args"] = detail
        add("b", name, process, 0, at: from, begin)
        inside(&self)
        add("e", name, process, 0, at: until, head)
    }

    /// The number of a thread, which gets its name where it is first used.
    private mutating func thread(_ name: String, _ process: Int) -> Int {
        if let known = threads[process]?.firstIndex(of: name) { return known + 1 }
        threads[process, default: []].append(name)
        let number = threads[process]?.count ?? 1
        add("M", "thread_name", process, number, ["args": ["name": .string(name)]])
        return number
    }

    private static func micros(_ nanoseconds: Int64) -> Value {
        nanoseconds % 1000 == 0 ? .int(nanoseconds / 1000) : .double(Double(nanoseconds) / 1000)
    }

    private mutating func add(
        _ phase: String, _ name: String, _ process: Int, _ thread: Int, at: Instant = .zero, _ more: Value
    ) {
        var event = more
        event["ph"] = .string(phase)
        event["name"] = .string(name)
        event["pid"] = .int(process)
        event["tid"] = .int(thread)
        if phase != "M" { event["ts"] = Self.micros(at.nanoseconds) }
        if !isFirst { out += Array(",\n".utf8) }
        isFirst = false
        event.writeJSON(to: &out)
    }
}
