import FleetModel
import Foundation
import Testing

@testable import Trace

@Suite("Scan of a trace", .timeLimit(.minutes(20))) struct TraceScanTests {
    @Test("Lines: messages, choices of the schedule and notes, in their order; nothing of them is held")
    func lines() throws {
        try withFolder { folder in
            let path = folder.appending(path: "t.jsonl").path
            try Data(SmallRecording.bytes).write(to: URL(filePath: path))
            var told: [String] = []
            try RecordedTrace.scan(path: path) { line in
                switch line {
                case .message(let message):
                    told.append("\(message.at) \(message.from) \(message.to) \(message.kind) \(message.subject)")
                case .pass(let key, let fate): told.append("\(key) \(fate.json)")
                case .note(let event): told.append("\(event.at) \(event.note.kind)")
                }
            }
            #expect(
                told == [
                    #"request ipad-1 maya.1 0 {"latency":20000000}"#,
                    #"response ipad-1 maya.1 0 {"ending":"lost","latency":30000000}"#,
                    "3s people ipad-1 command app.perform", "4s ipad-1 cloud request POST /kvs",
                    "0s phase", "3s performed", "4s mark",
                ])
        }
    }

    @Test("A line that is not JSON: told with its place")
    func corrupted() throws {
        try withFolder { folder in
            let path = folder.appending(path: "t.jsonl").path
            var lines = SmallRecording.lines
            lines[3] += "x"
            try Data(SmallRecording.text(lines)).write(to: URL(filePath: path))
            var message = ""
            do throws(TraceProblem) { try RecordedTrace.scan(path: path) { _ in } } catch { message = error.message }
            #expect(message.hasPrefix("\(path):4:"), "\(message)")
        }
    }
}
