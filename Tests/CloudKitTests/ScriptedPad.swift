import CloudKit
import DeterministicRuntime
import FleetModel
import Testing

@testable import PadApp

/// The Pad's end of the local link, played by a closure: every post is answered in a later step, as the real Pad does.
final class ScriptedPad: CallLink {
    /// What the app posted, in order.
    private(set) var asked: [Message] = []
    /// What `ck.longLived` answers, all of it or the one that is asked for.
    var longLived: Value = []
    /// Whether there is room for a long-lived operation.
    var takesLongLived = true
    var answer: (Message) -> Value
    private var waiting: [(message: Message, exchange: UInt64)] = []

    init(_ answer: @escaping (Message) -> Value = { _ in .empty }) { self.answer = answer }

    func call(_ message: Message, after posts: [Output]) -> Message? {
        take(posts)
        if message["longLived"] == true {
            let exchange = message["exchange"]?.int.flatMap(UInt64.init(exactly:)) ?? 0
            take([Output(to: .pad(1), .post(message), exchange: exchange)])
            return Message(message.name, ["kept": .bool(takesLongLived)])
        }
        let kept = (longLived.array ?? []).filter { message["op"] == nil || $0["op"] == message["op"] }
        return Message(message.name, ["ops": .array(kept)])
    }
    private func take(_ posts: [Output]) {
        for output in posts {
            guard case .post(let message) = output.payload else { continue }
            asked.append(message)
            waiting.append((message, output.exchange))
        }
    }

    /// Runs app code to its end.
    func run(_ body: @escaping @MainActor @Sendable () async throws -> Void) {
        let loop = AppLoop(seed: 1, epochNanoseconds: Instant.epochNanoseconds)
        let link = AppLink(pad: .pad(1), spec: ["bundle": "com.example.notebook"])
        loop.context = link
        let end = End()
        step(loop, link) {
            loop.start {
                do { try await body() } catch { Issue.record(error) }
                end.isReached = true
            }
        }
        while !waiting.isEmpty {
            let (message, exchange) = waiting.removeFirst()
            let reply = Message(message.name, answer(message))
            step(loop, link) { loop.enter { _ = link.deliver(reply, exchange: exchange) } }
        }
        #expect(end.isReached, "the app waits for ever")
    }
    private final class End: @unchecked Sendable {
        var isReached = false
    }

    private func step(_ loop: AppLoop, _ link: AppLink, _ body: () -> Void) {
        link.open(self)
        body()
        loop.run(until: 0)
        take(link.close())
    }

    /// The first record that was sent to be saved.
    func sent(_ index: Int = 0) -> Value {
        asked.indices.contains(index) ? asked[index]["save"]?.array?.first ?? .null : .null
    }
}

/// A modify answer that saves everything under a tag.
func savesAll(_ message: Message, tag: String = "t1") -> Value {
    let saved = (message["save"]?.array ?? []).map { record -> Value in
        var record = record
        record["recordChangeTag"] = .string(tag)
        record["modified"] = ["timestamp": 1_788_249_600_000, "userRecordName": "_ab"]
        return record
    }
    return [
        "zone": message["zone"] ?? .null, "saved": .array(saved), "deleted": message["delete"] ?? [], "errors": .empty,
    ]
}
func failure(_ code: Int, _ more: Value = .empty) -> Value {
    var error: Value = ["domain": "CKErrorDomain", "code": .int(code), "message": "test"]
    for pair in more.object?.pairs ?? [] { error[pair.key] = pair.value }
    return error
}

let zone = CKRecordZone.ID(zoneName: "Notes")
func record(_ name: String = "n1", in zone: CKRecordZone.ID = zone) -> CKRecord {
    CKRecord(recordType: "Note", recordID: CKRecord.ID(recordName: name, zoneID: zone))
}
@MainActor var database: CKDatabase { CKContainer.default().privateCloudDatabase }
