import FleetModel
import Storage

/// `zones/modify`: makes and deletes custom zones of the private database, in order, all attempted (cloudkit-web-services.md 6).
///
/// Both may be repeated: making a zone that is there and deleting one that was deleted succeed, as a retry needs it (ASSUMED).
enum ModifyZones {
    static func handle(_ call: Call, _ work: Work) throws -> Answer {
        let space = try Space(call)
        try space.requirePrivate("making or deleting zones")
        try RestrictUser.check(space, work)
        let operations = try call.json().list("operations")
        guard operations.count <= ModifyRecords.operationsMax else {
            throw CloudError.badRequest(
                "\(operations.count) operations are more than \(ModifyRecords.operationsMax); split them")
        }
        var answers: [Value] = []
        var seen: Set<String> = []
        for (index, operation) in operations.enumerated() {
            let wish: Wish
            do { wish = try Wish(operation, &seen) } catch { throw error.at("operations", index) }
            let name = wish.name
            do {
                try Reach.checkOwner(of: wish.id, in: space, call.caller, work)
                answers.append(try modify(wish.kind, name, space, call.caller, work))
            } catch let problem as CloudError {
                let owner = try Zone.ownerName(wish.id) ?? Zone.currentOwner
                let named = problem.naming("zoneID", Zone.identifier(name, owner: owner))
                answers.append(named.body(uuid: ModifyRecords.uuid(name, work)))
            }
        }
        return Answer(json: ["zones": .array(answers)])
    }

    /// What one operation wants.
    private struct Wish {
        var kind: String
        var name: String
        /// Zone ID as it was sent.
        var id: Value?

        /// - Throws: `BAD_REQUEST`: the request is malformed as a whole.
        init(_ operation: Value, _ seen: inout Set<String>) throws(CloudError) {
            guard let zone = operation["zone"], zone["zoneID"]?.object != nil else {
                throw .badRequest("an operation has no 'zone' with a 'zoneID'")
            }
            id = zone["zoneID"]
            name = try Zone.name(id)
            guard seen.insert(name).inserted else {
                throw .badRequest("zone '\(name)' is named twice; send one operation a zone")
            }
            kind = try operation.text("operationType")
        }
    }

    private static func modify(
        _ kind: String, _ name: String, _ space: Space, _ caller: Caller, _ work: Work
    ) throws -> Value {
        guard !name.hasPrefix("_") else {
            throw CloudError.badRequest("'\(name)': names that begin with '_' are the system's")
        }
        let present = try Zone.find(name, in: space, work)
        switch kind {
        case "create":
            if let present, !present.isDeleted { return try present.body(in: space, for: caller, work) }
            let zone = try Zone.make(name, in: space, work)
            try SubscriptionCourier.announceZone(zone, in: space, caller, work)
            return try zone.body(in: space, for: caller, work)
        case "delete":
            guard let present else { throw CloudError(.zoneNotFound, "there never was a zone '\(name)'") }
            if !present.isDeleted { try delete(present, space, caller, work) }
            return ["zoneID": Zone.shown(Zone.identifier(name), to: caller), "deleted": true]
        default: throw CloudError.badRequest("there is no zone operation '\(kind)'; use 'create' or 'delete'")
        }
    }

    /// Its records go with it. They leave no tombstones: tokens of the zone are refused from now on.
    static func delete(
        _ zone: Zone, _ space: Space, _ caller: Caller, because reason: ZoneDeletion = .deleted, _ work: Work
    ) throws {
        let rows = try work.database.query(
            "SELECT name, tokens, length(json) FROM record WHERE zone = ? AND deleted = 0 ORDER BY name", .int(zone.id))
        for row in rows {
            work.noteReplaced(
                .record, of: caller.name, at: "\(zone.name)/\(row.text(0))", old: TokenList.read(row.text(1)), by: [])
        }
        try work.use(bytes: -rows.reduce(0) { $0 + $1.int(2) }, of: space.owner)
        try work.database.execute("DELETE FROM record WHERE zone = ?", .int(zone.id))
        try work.database.execute("DELETE FROM link WHERE zone = ?", .int(zone.id))
        try FieldIndex.forget(zone: zone.id, work)
        for row in try work.database.query(
            "SELECT DISTINCT record FROM assetuse WHERE zone = ? ORDER BY record", .int(zone.id))
        {
            try Assets.release(record: row.text(0), in: zone, work)
        }
        try SharedZones.forget(Reach(space: space, zone: zone), work)
        let sequence = try work.nextSequence(space.owner)
        try work.database.execute(
            "UPDATE zone SET deleted = ?, seq = ? WHERE id = ?", .int(reason.rawValue), .int(sequence), .int(zone.id))
        try SubscriptionCourier.announceZone(zone, in: space, caller, work)
    }
}

/// `zones/list`: all zones with their present tokens.
enum ListZones {
    static func handle(_ call: Call, _ work: Work) throws -> Answer {
        let space = try Space(call)
        if space.isShared {
            let zones = try SharedZones.all(in: space, call.caller, work)
            return Answer(json: ["zones": .array(try zones.map { try $0.body(for: call.caller, work) })])
        }
        try RestrictUser.check(space, work)
        _ = try Zone.live(Zone.defaultName, in: space, work)
        let zones = try Zone.all(in: space, work).map { try $0.body(in: space, for: call.caller, work) }
        return Answer(json: ["zones": .array(zones)])
    }
}

/// `zones/lookup`: some zones by name.
enum LookupZones {
    static func handle(_ call: Call, _ work: Work) throws -> Answer {
        let space = try Space(call)
        let wanted = try call.json().list("zones")
        guard wanted.count <= ZoneFeed.recordsMax else {
            throw CloudError.badRequest("\(wanted.count) zones are more than \(ZoneFeed.recordsMax); split the request")
        }
        let zones: [Value] = try wanted.map { entry in
            guard entry.object != nil else { throw CloudError.badRequest("an entry of 'zones' is no zone ID") }
            // Clients write a zone ID, or a dictionary around one.
            let id = entry["zoneID"] ?? entry
            let name = try Zone.name(id)
            do {
                return try Reach(id, space, call.caller, work).body(for: call.caller, work)
            } catch let problem as CloudError {
                return problem.body(uuid: ModifyRecords.uuid(name, work))
            }
        }
        return Answer(json: ["zones": .array(zones)])
    }
}
