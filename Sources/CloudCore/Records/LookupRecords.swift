import FleetModel

/// `records/lookup`: records by name, in the order asked (cloudkit-web-services.md 5.3).
enum LookupRecords {
    /// cloudkit-web-services.md 10.
    static let namesMax = 200

    static func handle(_ call: Call, _ work: Work) throws -> Answer {
        let space = try Space(call)
        let body = try call.json()
        let wanted = try body.list("records")
        guard wanted.count <= namesMax else {
            throw CloudError.badRequest("\(wanted.count) records are more than \(namesMax); split the request")
        }
        let zone = try Zone.live(try Zone.name(body["zoneID"]), in: space, work)
        let allKeys = try body.optionalTexts("desiredKeys")
        var writer = ObjectWriter()
        writer.add(
            "records",
            raws: try wanted.map { entry in
                let name = try entry.text("recordName")
                if let row = try RecordRow.find(name, in: zone, work), !row.isDeleted {
                    return try row.json(try entry.optionalTexts("desiredKeys") ?? allKeys)
                }
                return CloudError(.notFound, "there is no record '\(name)' in zone '\(zone.name)'")
                    .naming("recordName", .string(name)).body(uuid: ModifyRecords.uuid(name, work)).jsonBytes
            })
        return Answer(body: writer.finished())
    }
}
