import FleetModel

/// `subscriptions/list`: all that the caller has in this database (cloudkit-web-services.md 7.1).
enum ListSubscriptions {
    static func handle(_ call: Call, _ work: Work) throws -> Answer {
        let space = try Space(call)
        try call.requirePerson("a subscription")
        let rows = try work.database.query(
            "SELECT json FROM subscription WHERE owner = ? AND space = ? AND account = ? ORDER BY id",
            .int(space.owner),
            .text(space.key), .int(call.caller.account))
        var writer = ObjectWriter()
        writer.add("subscriptions", raws: rows.map { $0.blob(0) })
        return Answer(body: writer.finished())
    }
}

/// `subscriptions/lookup`: some by id, in the order asked.
enum LookupSubscriptions {
    static func handle(_ call: Call, _ work: Work) throws -> Answer {
        let space = try Space(call)
        try call.requirePerson("a subscription")
        let wanted = try call.json().list("subscriptions")
        guard wanted.count <= ModifyRecords.operationsMax else {
            throw CloudError.badRequest("\(wanted.count) subscriptions are more than \(ModifyRecords.operationsMax)")
        }
        let found: [Value] = try wanted.map { entry in
            let id = try entry.text("subscriptionID")
            if let body = try Subscription.find(id, of: call.caller.account, in: space, work) { return body }
            return CloudError(.notFound, "there is no subscription '\(id)'").naming("subscriptionID", .string(id))
                .body(uuid: ModifyRecords.uuid(id, work))
        }
        return Answer(json: ["subscriptions": .array(found)])
    }
}
