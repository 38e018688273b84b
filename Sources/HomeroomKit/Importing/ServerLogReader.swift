import FleetModel
import Run

/// The log of `homeroom-cloud serve --log`: when, which request, which status. It knows neither people nor devices nor records.
enum ServerLogReader {
    static func read(_ text: String, _ path: String) throws(RunEnd) -> FieldRecord {
        var record = FieldRecord(remarks: [
            "a server's log knows neither people nor devices nor records: one person with two iPads writes one item"
        ])
        var count = 0
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let place = "\(path):\(index + 1)"
            guard line.utf8.count <= FieldBounds.lineBytes else {
                throw .input("\(place): the line has more than \(FieldBounds.lineBytes) bytes")
            }
            guard line.contains("method="), let asked = field("path", line) else {
                guard index == 0, !line.isEmpty, !line.contains("homeroom-cloud") else { continue }
                throw .input(
                    "\(place): is no log that import knows: a field log (Docs/field-log.md), a HAR file, or what homeroom-cloud serve --log writes"
                )
            }
            guard let at = line.split(separator: " ").first.flatMap({ FieldDate.milliseconds(String($0)) }) else {
                throw .input("\(place): does not begin with a date")
            }
            guard let status = field("status", line).flatMap({ Int64($0) }) else {
                throw .input("\(place): 'status' is missing or no number")
            }
            let (device, name) = ("device \(count % 2 + 1)", "request \(index + 1)")
            let isWrite = asked.contains("/records/modify") || asked.contains("/sync") || asked.contains("/upload/")
            func add(_ deed: FieldEvent.Deed) {
                record.events.append(FieldEvent(at: at, device: device, who: "the user", deed: deed, place: place))
            }
            if isWrite {
                add(.edit(FieldEdit(action: nil, item: "the item")))
                count += 1
            }
            add(.call(name))
            add(.answer(name, FieldOutcome(status: status)))
        }
        return record
    }
    private static func field(_ name: String, _ line: Substring) -> String? {
        line.split(separator: " ").first { $0.hasPrefix(name + "=") }.map { String($0.dropFirst(name.count + 1)) }
    }
}
