import FleetModel
import Run

/// Reads what a log is made of, whichever of the three kinds it is.
enum FieldReader {
    /// - Throws: `RunEnd.input` with file, line and what is wrong; nothing is half-read.
    static func read(_ paths: [String]) throws -> FieldRecord {
        guard paths.count <= FieldBounds.files else {
            throw RunEnd.input(
                "import takes at most \(FieldBounds.files) files; \(paths.count) are too many for one mishap")
        }
        var record = FieldRecord()
        for (number, path) in paths.enumerated() {
            let text = try Folders.read(path, bytesMax: FieldBounds.fileBytes)
            let device = "device \(number + 1)"
            let first = text.split(separator: "\n", maxSplits: 1).first ?? ""
            let one: FieldRecord
            if first.contains("\"fieldLog\"") {
                one = try FieldLogReader.read(text, path)
            } else if text.first(where: { !$0.isWhitespace }) == "{" {
                one = try HARReader.read(text, path, device: device)
            } else {
                one = try ServerLogReader.read(text, path)
            }
            if let app = one.app, let other = record.app, app != other {
                throw RunEnd.input(
                    "\(path):1: is a log of '\(app)', the one before of '\(other)'; import one app at a time")
            }
            record.app = record.app ?? one.app
            record.events += one.events
            record.remarks += one.remarks.filter { !record.remarks.contains($0) }
            guard record.events.count <= FieldBounds.events else {
                throw RunEnd.input(
                    "\(path): more than \(FieldBounds.events) events; cut the log to the hour of the mishap")
            }
        }
        guard !record.events.isEmpty else {
            throw RunEnd.input("\(paths.joined(separator: ", ")): no events; is it the right file?")
        }
        // Equal moments keep the order of their files.
        let order = record.events.enumerated().sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }
        record.events = order.map(\.element)
        return record
    }
}

/// A log that an app has kept itself: JSON lines of version 1 (Docs/field-log.md).
enum FieldLogReader {
    static let version: Int64 = 1

    static func read(_ text: String, _ path: String) throws(RunEnd) -> FieldRecord {
        var record = FieldRecord()
        var device: String?
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let place = "\(path):\(index + 1)"
            guard !line.allSatisfy(\.isWhitespace) else { continue }
            guard line.utf8.count <= FieldBounds.lineBytes else {
                throw .input("\(place): the line has more than \(FieldBounds.lineBytes) bytes")
            }
            let body: Value
            do { body = try Value(json: Array(line.utf8)) } catch {
                throw .input("\(place):\(error.offset + 1): is not JSON: \(error.reason)")
            }
            if body["fieldLog"] != nil {
                guard body["fieldLog"]?.int == version else {
                    throw .input(
                        "\(place): the log has format \(body["fieldLog"]?.json ?? ""), this homeroom reads format \(version)"
                    )
                }
                guard let name = body["device"]?.string, !name.isEmpty else {
                    throw .input("\(place): 'device' is missing")
                }
                device = name
                record.app = record.app ?? body["app"]?.string
                continue
            }
            guard let device = body["device"]?.string ?? device else {
                throw .input("\(place): no header before it: the first line has 'fieldLog', 'app' and 'device'")
            }
            guard let at = body["t"]?.int, (0...4_102_444_800_000).contains(at) else {
                throw .input("\(place): 't' is a number of milliseconds since 1970")
            }
            guard let event = body["event"]?.string else { throw .input("\(place): 'event' is missing") }
            guard let deed = try deed(event, body, place) else {
                // Later versions may log more; what is not known changes nothing.
                continue
            }
            record.events.append(
                FieldEvent(at: at, device: device, who: body["who"]?.string, deed: deed, place: place))
        }
        return record
    }

    private static func deed(_ event: String, _ body: Value, _ place: String) throws(RunEnd) -> FieldEvent.Deed? {
        switch event {
        case "signIn":
            guard body["who"]?.string != nil else {
                throw .input("\(place): 'who' is missing: the salted hash of the person")
            }
            return .signIn
        case "signOut": return .signOut
        case "launch": return .launch
        case "foreground": return .foreground
        case "background": return .background
        case "terminate": return .terminate
        case "edit":
            return .edit(
                FieldEdit(
                    action: body["action"]?.string, item: body["item"]?.string, isDelete: body["delete"]?.bool ?? false)
            )
        case "call": return .call(try name(body, place))
        case "answer": return .answer(try name(body, place), try outcome(body, place))
        case "network":
            guard let isThere = body["up"]?.bool else { throw .input("\(place): 'up' is true or false") }
            return .network(isThere: isThere)
        case "account":
            guard let state = body["state"]?.string, ["own", "none", "other"].contains(state) else {
                throw .input("\(place): 'state' is own, none or other")
            }
            return .account(state)
        default: return nil
        }
    }
    private static func name(_ body: Value, _ place: String) throws(RunEnd) -> String {
        guard let name = body["call"]?.string else {
            throw .input("\(place): 'call' is missing: a name that call and answer share")
        }
        return name
    }
    private static func outcome(_ body: Value, _ place: String) throws(RunEnd) -> FieldOutcome {
        if body["ok"]?.bool == true { return .ok }
        if let status = body["status"]?.int { return FieldOutcome(status: status) }
        guard let code = body["code"]?.int else {
            throw .input("\(place): an answer has 'ok': true, a 'status' of HTTP, or 'domain' and 'code' of an error")
        }
        return body["domain"]?.string == "NSURLErrorDomain" ? FieldOutcome(urlError: code) : FieldOutcome(ckError: code)
    }
}
