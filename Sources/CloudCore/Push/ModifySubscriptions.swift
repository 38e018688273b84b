import FleetModel

/// `subscriptions/modify` (cloudkit-web-services.md 7.1). A subscription belongs to the account that made it.
///
/// Creating one that is there with the same content succeeds, so that a retry may come twice (ASSUMED).
enum ModifySubscriptions {
    static func handle(_ call: Call, _ work: Work) throws -> Answer {
        let space = try Space(call)
        try call.requirePerson("a subscription")
        let operations = try call.json().list("operations")
        guard operations.count <= ModifyRecords.operationsMax else {
            throw CloudError.badRequest(
                "\(operations.count) operations are more than \(ModifyRecords.operationsMax); split them")
        }
        // Without an id in it only the request's own tells a retry from another wish.
        let isNameless = operations.contains { $0["subscription"]?["subscriptionID"]?.string == nil }
        return isNameless
            ? try RequestLog.once(call, work) { try modify(operations, space, call, work) }
            : try modify(operations, space, call, work)
    }

    private static func modify(_ operations: [Value], _ space: Space, _ call: Call, _ work: Work) throws -> Answer {
        var answers: [Value] = []
        for (index, operation) in operations.enumerated() {
            let (wish, named): (Value, String?)
            do { (wish, named) = try self.wish(operation) } catch { throw error.at("operations", index) }
            let id = try named ?? work.newUUID(call.caller.account)
            do {
                answers.append(try modify(try operation.text("operationType"), id, wish, space, call, work))
            } catch let problem as CloudError {
                answers.append(problem.naming("subscriptionID", .string(id)).body(uuid: ModifyRecords.uuid(id, work)))
            }
        }
        return Answer(json: ["subscriptions": .array(answers)])
    }

    /// The subscription of an operation, and its ID if it has one.
    private static func wish(_ operation: Value) throws(CloudError) -> (Value, String?) {
        guard let wish = operation["subscription"], wish.object != nil else {
            throw .badRequest("an operation has no 'subscription'")
        }
        let id = try wish.optionalText("subscriptionID")
        guard (1...255).contains(id?.utf8.count ?? 1) else {
            throw .badRequest("'subscriptionID' must have 1 to 255 bytes")
        }
        return (wish, id)
    }

    private static func modify(
        _ kind: String, _ id: String, _ wish: Value, _ space: Space, _ call: Call, _ work: Work
    ) throws -> Value {
        let account = call.caller.account
        let present = try Subscription.find(id, of: account, in: space, work)
        if kind == "delete" {
            try Subscription.remove(id, of: account, in: space, work)
            return ["subscriptionID": .string(id), "deleted": true]
        }
        guard kind == "create" || kind == "update" else {
            throw CloudError.badRequest("there is no operation '\(kind)'; use 'create', 'update' or 'delete'")
        }
        try Reach.checkOwner(of: wish["zoneID"], in: space, call.caller, work)
        let subscription = try Subscription(wish, id: id, in: space, work.policy.settings)
        if kind == "create", let present, present != subscription.body {
            throw CloudError(.exists, "subscription '\(id)' exists with other content; update it")
        }
        if kind == "update", present == nil {
            throw CloudError(.notFound, "there is no subscription '\(id)'; create it")
        }
        if present == nil { try Subscription.checkRoom(of: account, in: space, work) }
        switch subscription.kind {
        case .zone(let name?): _ = try Zone.live(name, in: space, work)
        case .query(let filter, _, _):
            try SchemaGate(space.place, work).checkSubscription(filter)
            var catalogue = Catalogue(space.place, work)
            try catalogue.checkSubscription(filter.recordType)
        case .zone(nil), .database: break
        }
        try subscription.save(of: account, in: space, work)
        return subscription.body
    }
}
