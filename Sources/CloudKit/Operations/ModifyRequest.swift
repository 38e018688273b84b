import PadApp

/// The part of a modify operation that lies in one zone.
struct ModifyRequest {
    let zoneID: CKRecordZone.ID
    var saving: [CKRecord]
    var deleting: [CKRecord.ID]

    /// Zones in the order in which they first occur.
    static func zones(_ ids: [CKRecord.ID]) -> [CKRecordZone.ID] {
        var zones: [CKRecordZone.ID] = []
        for id in ids where !zones.contains(id.zoneID) { zones.append(id.zoneID) }
        return zones
    }
    static func split(_ saving: [CKRecord], _ deleting: [CKRecord.ID]) -> [ModifyRequest] {
        zones(saving.map(\.recordID) + deleting).map { zoneID in
            ModifyRequest(
                zoneID: zoneID, saving: saving.filter { $0.recordID.zoneID == zoneID },
                deleting: deleting.filter { $0.zoneID == zoneID })
        }
    }

    func members(_ policy: CKModifyRecordsOperation.RecordSavePolicy, atomic: Bool) -> Value {
        [
            "zone": .string(zoneID.link), "policy": .int(policy.rawValue), "atomic": .bool(atomic),
            "save": .array(saving.map { $0.saved(allFields: policy == .allKeys) }),
            "delete": .strings(deleting.map(\.recordName)),
        ]
    }
    /// Every item fails for the same reason.
    func failed(_ error: CKError) -> ModifyAnswer { ModifyAnswer(error, saving: saving, deleting: deleting) }
    func answer(_ answer: Value) -> ModifyAnswer {
        ModifyAnswer(answer, saving: saving, deleting: deleting, zoneID: zoneID)
    }
}
