import FleetModel

/// Reads that are one request: query, changes, the person's own record.
extension SingleCall {
    /// `ck.query`. Without a zone a private database is searched whole or in its default zone (disagree: switch `queryWithoutZone`),
    /// a public one in its default zone (cloudkit-framework.md 6).
    static func query(
        _ message: RecordMessage, scope: RecordScope, _ switches: PadSwitches
    ) throws(RecordFault) -> SingleCall {
        guard let query = message.body["query"], query.object != nil else {
            throw .malformed("ck.query: 'query' must be a query dictionary")
        }
        var body: Value = ["query": query]
        if let zone = try message.optionalText("zone") {
            body["zoneID"] = RecordZone.id(zone)
        } else {
            body["zoneWide"] = .bool(scope.database == "private" && switches.is("queryWithoutZone", "all"))
        }
        body["resultsLimit"] = try message.pageLimit()
        if message.body["desiredKeys"]?.isNull == false {
            body["desiredKeys"] = .strings(try message.texts("desiredKeys"))
        }
        body["continuationMarker"] = try message.optionalText("cursor").map(Value.string)
        return SingleCall(call: WebCall("records/query", body)) { answer in
            let page = WebPage(lenient: answer)
            guard let records = page.records else { return .failure(.unexpected("a query gave no records")) }
            return .success(
                RecordMessages.Query.Answer {
                    $0.records = records.filter { WebEntry(lenient: $0).serverErrorCode == nil }
                    $0.cursor = page.continuationMarker
                }.body)
        }
    }

    /// `ck.zoneChanges`: one page of what changed in a custom zone after a token.
    static func zoneChanges(_ message: RecordMessage) throws(RecordFault) -> SingleCall {
        var zone: Value = ["zoneID": RecordZone.id(try message.text("zone"))]
        zone["syncToken"] = try message.optionalText("token").map(Value.string)
        zone["resultsLimit"] = try message.pageLimit()
        return SingleCall(call: WebCall("changes/zone", ["zones": [zone]], about: .zone)) { answer in
            guard let page = WebPage(lenient: answer).zones?.first else {
                return .failure(.unexpected("no zone in the changes"))
            }
            if let failure = CloudKitFailure(service: page, about: .zone) { return .failure(failure) }
            let changes = WebPage(lenient: page)
            guard let records = changes.records, let token = changes.syncToken else {
                return .failure(.unexpected("the changes of a zone have no records or no token"))
            }
            let isGone = records.map { WebEntry(lenient: $0).deleted }
            return .success(
                RecordMessages.ZoneChanges.Answer {
                    $0.records = zip(records, isGone).filter { !$1 }.map(\.0)
                    $0.deleted = zip(records, isGone).filter { $1 }.map { deletion($0.0) }
                    ($0.token, $0.moreComing) = (token, changes.moreComing)
                }.body)
        }
    }
    private static func deletion(_ record: Value) -> Value {
        ["recordName": .optional(record.recordName), "recordType": record.recordType ?? .null]
    }

    /// `ck.databaseChanges`: the zones that changed after a token.
    static func databaseChanges(_ message: RecordMessage) throws(RecordFault) -> SingleCall {
        var body = Value.empty
        body["syncToken"] = try message.optionalText("token").map(Value.string)
        body["resultsLimit"] = try message.pageLimit()
        return SingleCall(call: WebCall("changes/database", body)) { answer in
            let page = WebPage(lenient: answer)
            guard let zones = page.zones, let token = page.syncToken else {
                return .failure(.unexpected("the changes of a database have no zones or no token"))
            }
            let entries = zones.map { WebEntry(lenient: $0) }
            let reasons = entries.compactMap { zone -> (String, Value)? in
                guard let name = zone.zoneName, let reason = zone.deletionReason else { return nil }
                return (name, reason)
            }
            return .success(
                RecordMessages.DatabaseChanges.Answer {
                    $0.zones = entries.filter { !$0.deleted }.compactMap(\.zoneName)
                    $0.deleted = entries.filter(\.deleted).compactMap(\.zoneName)
                    ($0.token, $0.moreComing) = (token, page.moreComing)
                    $0.reasons = reasons.isEmpty ? nil : Value.Object(reasons)
                }.body)
        }
    }
    /// `ck.fetchZones`: the zones of those names, or all of the database.
    static func zones(_ message: RecordMessage) throws(RecordFault) -> SingleCall {
        let names = try message.texts("names")
        var call = WebCall("zones/list", .empty, about: .zone)
        if names.isEmpty {
            call.method = "GET"
        } else {
            call = WebCall("zones/lookup", ["zones": .array(names.map(RecordZone.id))], about: .zone)
        }
        return SingleCall(call: call) { answer in
            var (found, errors) = ([String](), Value.Object())
            for zone in WebPage(lenient: answer).zones ?? [] {
                guard let name = zoneName(zone) else { continue }
                if let failure = CloudKitFailure(service: zone, about: .zone) {
                    errors[name] = failure.value
                } else {
                    found.append(name)
                }
            }
            for name in names where !found.contains(name) && errors[name] == nil {
                errors[name] = CloudKitFailure.unexpected("there is no answer for zone '\(name)'").value
            }
            return .success(RecordMessages.FetchZones.Answer { ($0.zones, $0.errors) = (found, errors) }.body)
        }
    }
    private static func zoneName(_ zone: Value) -> String? { WebEntry(lenient: zone).zoneName }
}

/// `ck.lookup`: records by name, 200 a request.
struct LookupOperation: RecordOperation {
    private let zone: String
    private var remaining: [String]
    private var asked: [String] = []
    private var records: [Value] = []
    private var errors = Value.Object()

    /// Guideline of the framework for one operation (cloudkit-framework.md 9).
    static let namesMax = 400

    init(_ message: RecordMessage) throws(RecordFault) {
        zone = try message.zoneName()
        remaining = try message.texts("names")
        guard !remaining.isEmpty else { throw .malformed("ck.lookup: 'names' must name a record") }
        guard remaining.count <= Self.namesMax else {
            throw .refused(
                CloudKitFailure(code: 27, "\(remaining.count) names are more than \(Self.namesMax); split the list"))
        }
    }

    static func call(_ names: [String], zone: String) -> WebCall {
        WebCall(
            "records/lookup",
            ["zoneID": RecordZone.id(zone), "records": .array(names.map { ["recordName": .string($0)] })])
    }

    mutating func start() -> OperationStep {
        asked = Array(remaining.prefix(ModifyOperation.wireOperationsMax))
        return .send(Self.call(asked, zone: zone))
    }
    mutating func receive(_ answer: WebAnswer, retried: Bool) -> OperationStep {
        switch answer {
        case .failure(let failure): return .finish(OperationResult(failure.answer))
        case .success(let body):
            let found = RecordAnswers(body)
            for name in asked {
                switch found.of(name) {
                case .success(let record): records.append(record)
                case .failure(let failure): errors[name] = failure.value
                }
            }
            remaining.removeFirst(asked.count)
            if !remaining.isEmpty { return start() }
            return .finish(OperationResult(["records": .array(records), "errors": .object(errors)]))
        }
    }
}

/// The per-record answers of one request, by name.
struct RecordAnswers {
    private var byName: [String: Value] = [:]

    init(_ body: Value) {
        for record in WebPage(lenient: body).records ?? [] {
            if let name = record.recordName { byName[name] = record }
        }
    }
    /// The record, or its own failure.
    func of(_ name: String) -> WebAnswer {
        guard let record = byName[name] else { return .failure(.unexpected("there is no answer for record '\(name)'")) }
        if let failure = CloudKitFailure(service: record, about: .record) { return .failure(failure) }
        return .success(record)
    }
}
