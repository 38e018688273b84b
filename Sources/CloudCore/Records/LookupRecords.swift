import FleetModel

/// `records/lookup`: records by name, in the order asked (cloudkit-web-services.md 5.3).
enum LookupRecords {
    static func handle(_ call: Call, _ work: Work) throws -> Answer {
        let space = try Space(call)
        let body = try call.json()
        let wanted = try body.list("records")
        let namesMax = ModifyRecords.operationsMax(of: call.caller)
        guard wanted.count <= namesMax else {
            throw CloudError.badRequest("\(wanted.count) records are more than \(namesMax); split the request")
        }
        let reach = try Reach(body["zoneID"], space, call.caller, work)
        let view = try RecordView(body)
        var writer = ObjectWriter()
        writer.add(
            "records",
            raws: try wanted.enumerated().map { index, entry in
                let name: String
                do throws(CloudError) { name = try entry.text("recordName") } catch { throw error.at("records", index) }
                try UserRecords.prepare(name, in: reach, call.caller, work)
                if let row = try reach.find(name, work), !row.isDeleted {
                    return try view.overridden(by: entry).json(row, in: reach, call.caller, work)
                }
                return CloudError(.notFound, "there is no record '\(name)' in zone '\(reach.zone.name)'")
                    .naming("recordName", .string(name)).body(uuid: ModifyRecords.uuid(name, work)).jsonBytes
            })
        return Answer(body: writer.finished())
    }
}
