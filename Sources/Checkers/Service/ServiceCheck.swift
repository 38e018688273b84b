import FleetModel

/// One question about what the Cloud answered, whatever became of anybody's edits: a service that hands out wrong answers may harm nobody today.
///
/// It judges requests and answers as a client could write them down (`Note.Kind.served`), and knows nothing of how the Cloud works. They are noted in
/// runs that ask for it (`audit: true`). Its work is linear in them.
protocol ServiceCheck {
    /// Its name in messages.
    static var name: String { get }
    /// What the Cloud has to keep; one line.
    static var summary: String { get }
    init()
    /// Takes the calls in the order in which the Cloud did them.
    /// - Parameter zones: as they stand before the call.
    /// - Returns: what this call's answer breaks, a sentence each.
    mutating func take(_ call: ServedCall, _ zones: ServedZones) -> [String]
}

/// All checks of the service: a new one is a file and a line here.
enum ServiceCheckRegistry {
    static var all: [any ServiceCheck.Type] {
        [RegisterCheck.self, FeedCheck.self, ReferenceCheck.self, AssetCheck.self]
    }

    /// What the Cloud's answers break in a history, one line each; nothing where no answers were noted.
    static func broken(_ history: [HistoryEvent]) -> [String] {
        var checks = all.map { (name: $0.name, check: $0.init()) }
        var zones = ServedZones()
        var broken: [String] = []
        for event in history {
            if event.note.kind == .zoneDeleted { zones.delete(event.note) }
            guard let call = ServedCall(event) else { continue }
            for index in checks.indices {
                broken += checks[index].check.take(call, zones).map {
                    "\(checks[index].name): \($0)   (\(call.operation) of \(call.device) at \(event.at))"
                }
            }
            zones.take(call)
        }
        return broken
    }
}

/// A request and its answer, as the Cloud noted them.
struct ServedCall {
    /// Container, environment and database, with the account that owns a private one. Nil for the shared database, where each zone has its own owner.
    var place: String?
    /// `records/modify`, `changes/zone`.
    var operation: String
    var device: String
    var asked: Value
    var answer: Value
    /// It was answered before: nothing was done again.
    var isRepeated: Bool

    init?(_ event: HistoryEvent) {
        let detail = event.note.detail
        guard event.note.kind == .served, let path = detail["path"]?.string.map({ $0.split(separator: "/") }),
            path.count >= 5
        else { return nil }
        let database = path[2]
        operation = path[3...].joined(separator: "/")
        device = detail["device"]?.string ?? ""
        (asked, answer) = (detail["asked"] ?? .empty, detail["answer"] ?? .empty)
        isRepeated = detail["repeated"]?.bool ?? false
        place =
            switch database {
            case "public": path[..<3].joined(separator: "/")
            case "private": path[..<3].joined(separator: "/") + " of \(event.note.person ?? "")"
            default: nil
            }
    }

    /// The operations of a modification with what each came to.
    var changes: [ServedChange] {
        guard operation == "records/modify", !isRepeated else { return [] }
        let (operations, records) = (asked["operations"]?.array ?? [], answer["records"]?.array ?? [])
        guard operations.count == records.count else { return [] }
        return zip(operations, records).compactMap { ServedChange($0, $1, zone: Self.zone(asked["zoneID"])) }
    }

    /// The zone that a request names.
    static func zone(_ id: Value?) -> String { id?["zoneName"]?.string ?? defaultZone }
    static let defaultZone = "_defaultZone"
}

/// One operation of a modification, and its part of the answer.
struct ServedChange {
    var zone: String
    var name: String
    /// `create`, `update`, `forceDelete`.
    var kind: String
    /// The change tag that was sent.
    var sent: String?
    var type: String?
    /// Of the answer: the tag after it; nil for a deletion and a refusal.
    var tag: String?
    var isDeleted: Bool
    /// Of a refusal: `CONFLICT`.
    var refusal: String?
    /// The record as it was answered.
    var record: Value

    init?(_ operation: Value, _ result: Value, zone: String) {
        guard let kind = operation["operationType"]?.string,
            let name = result["recordName"]?.string ?? operation["record"]?["recordName"]?.string
        else { return nil }
        (self.zone, self.name, self.kind, record) = (zone, name, kind, result)
        sent = operation["record"]?["recordChangeTag"]?.string
        type = operation["record"]?["recordType"]?.string ?? result["recordType"]?.string
        refusal = result["serverErrorCode"]?.string
        isDeleted = refusal == nil && result["deleted"]?.bool == true
        tag = refusal == nil ? result["recordChangeTag"]?.string : nil
    }
}
