import FleetModel
import Run

/// An archive of a browser's or proxy's requests to CloudKit Web Services: HAR 1.2, one device a file.
enum HARReader {
    static func read(_ text: String, _ path: String, device: String) throws(RunEnd) -> FieldRecord {
        let body: Value
        do { body = try Value(json: Array(text.utf8)) } catch {
            let before = text.utf8.prefix(error.offset)
            let line = before.count { $0 == UInt8(ascii: "\n") } + 1
            throw .input("\(path):\(line): is not JSON: \(error.reason)")
        }
        guard let entries = body["log"]?["entries"]?.array else {
            throw .input("\(path):1: is neither a field log (Docs/field-log.md) nor a HAR file: it has no log.entries")
        }
        let lines = lineNumbers(of: text)
        var record = FieldRecord(remarks: [
            "a HAR file does not know when the app came and went: it is open from the first request on"
        ])
        var reader = Traffic(device: device)
        for (index, entry) in entries.enumerated() {
            let place = "\(path):\(index < lines.count ? lines[index] : 1)"
            guard let at = entry["startedDateTime"]?.string.flatMap(FieldDate.milliseconds) else {
                throw .input("\(place): entry \(index + 1): 'startedDateTime' is no date of ISO 8601 with a zone")
            }
            guard let url = entry["request"]?["url"]?.string else {
                throw .input("\(place): entry \(index + 1): 'request.url' is missing")
            }
            let took = entry["time"]?.double ?? 0
            guard took.isFinite, took >= -1, took < 1e9 else {
                throw .input("\(place): entry \(index + 1): 'time' is no number of milliseconds")
            }
            let asked = entry["request"]?["postData"]?["text"]?.string.flatMap { try? Value(json: Array($0.utf8)) }
            let answered = entry["response"]?["content"]?["text"]?.string.flatMap { try? Value(json: Array($0.utf8)) }
            let request = Traffic.Request(
                at: at, until: at + Int64(max(0, took)), path: Self.path(of: url),
                status: entry["response"]?["status"]?.int ?? 0, asked: asked ?? .empty, answered: answered ?? .empty,
                place: place)
            record.events += reader.events(of: request)
        }
        return record
    }
    /// The line on which each entry says when it began: a parsed value no longer knows.
    private static func lineNumbers(of text: String) -> [Int] {
        var lines: [Int] = []
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let count = line.split(separator: "\"startedDateTime\"", omittingEmptySubsequences: false).count - 1
            lines += [Int](repeating: index + 1, count: count)
        }
        return lines
    }
    private static func path(of url: String) -> String {
        let noQuery = url.split(separator: "?", maxSplits: 1).first.map(String.init) ?? ""
        guard let scheme = noQuery.firstRange(of: "://") else { return noQuery }
        let rest = noQuery[scheme.upperBound...]
        return rest.firstIndex(of: "/").map { String(rest[$0...]) } ?? "/"
    }
}

/// Requests of one device in their order, and what they say about edits.
struct Traffic {
    struct Request {
        var at: Int64
        var until: Int64
        var path: String
        /// 0: no answer.
        var status: Int64
        var asked: Value
        var answered: Value
        var place: String
    }
    let device: String
    private var person = "the user"
    private var number = 0
    /// Saves that did not succeed yet: a request that says the same is the same edit.
    private var open: Set<String> = []

    init(device: String) { self.device = device }

    mutating func events(of request: Request) -> [FieldEvent] {
        if let user = request.answered["userRecordName"]?.string { person = user }
        guard request.path.contains("/records/modify") else { return call(request) }
        var events: [FieldEvent] = []
        let operations = request.asked["operations"]?.array ?? []
        let answers = request.answered["records"]?.array ?? []
        for (index, operation) in operations.enumerated() {
            let kind = operation["operationType"]?.string ?? ""
            let record = operation["record"] ?? .empty
            let name = record["recordName"]?.string
            let isDelete = kind.lowercased().contains("delete")
            let content = "\(isDelete) \(name ?? "?") \((record["fields"] ?? .null).json)"
            if !open.contains(content) {
                let edit = FieldEdit(action: nil, item: name, isDelete: isDelete)
                events.append(
                    FieldEvent(at: request.at, device: device, who: person, deed: .edit(edit), place: request.place))
            }
            let error = index < answers.count ? answers[index]["serverErrorCode"]?.string : nil
            if FieldOutcome(status: request.status) == .ok, error == nil {
                open.remove(content)
            } else {
                open.insert(content)
            }
        }
        return events + call(request)
    }
    private mutating func call(_ request: Request) -> [FieldEvent] {
        number += 1
        let name = "\(device) request \(number)"
        return [
            FieldEvent(at: request.at, device: device, who: person, deed: .call(name), place: request.place),
            FieldEvent(
                at: request.until, device: device, who: person,
                deed: .answer(name, FieldOutcome(status: request.status)), place: request.place),
        ]
    }
}
