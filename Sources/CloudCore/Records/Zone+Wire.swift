import FleetModel

extension Zone {
    /// A zone ID dictionary (cloudkit-web-services.md 8.1).
    static func identifier(_ name: String, owner: String = currentOwner) -> Value {
        ["ownerRecordName": .string(owner), "zoneName": .string(name)]
    }

    /// Reads the name in a zone ID dictionary; absent or null is the default zone.
    static func name(_ identifier: Value?) throws(CloudError) -> String {
        guard let identifier, !identifier.isNull else { return defaultName }
        let name = try identifier.text("zoneName")
        guard !name.isEmpty, name.utf8.count <= 255, name.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7f }) else {
            throw .badRequest("a zone name is 1 to 255 ASCII characters")
        }
        return name
    }
    /// Reads the owner; clients write `ownerRecordName` or `ownerName`.
    static func ownerName(_ identifier: Value?) throws(CloudError) -> String? {
        guard let identifier, !identifier.isNull else { return nil }
        if let owner = try identifier.optionalText("ownerRecordName") { return owner }
        return try identifier.optionalText("ownerName")
    }

    /// A zone ID as it is shown in lists of zones: web clients are told the zone's type (cloudkit-web-services.md 8.1), iPads
    /// what they have always been told.
    static func shown(_ identifier: Value, to caller: Caller) -> Value {
        guard caller.kind != .device else { return identifier }
        var shown = identifier
        shown["zoneType"] = identifier["zoneName"]?.string == defaultName ? "DEFAULT_ZONE" : "REGULAR_CUSTOM_ZONE"
        return shown
    }

    /// The zone dictionary (cloudkit-web-services.md 8.2) with the token that stands for its present state.
    func body(in space: Space, for caller: Caller, _ work: Work) throws -> Value {
        try Reach(space: space, zone: self).body(for: caller, work)
    }
}

extension Reach {
    /// The zone dictionary (cloudkit-web-services.md 8.2) with the token that stands for its present state.
    func body(for caller: Caller, _ work: Work) throws -> Value {
        var body: Value = [
            "zoneID": Zone.shown(identifier, to: caller), "atomic": .bool(zone.isAtomic && !space.isPublic),
        ]
        // The public database has no tokens (11); of a default zone nothing can be fetched by it, but a list has one of each (6).
        let hasToken = !zone.isDefault || !space.isPublic && caller.kind != .device
        if hasToken { body["syncToken"] = .string(try ZoneToken.text(self, at: zone.sequence, work)) }
        return body
    }
}
