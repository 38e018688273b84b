import Foundation
import PadApp

extension CKDatabase {
    /// Makes a custom zone; one that is there already is no error.
    @discardableResult public func save(_ zone: CKRecordZone) async throws -> CKRecordZone {
        let results = try await modifyRecordZones(saving: [zone], deleting: [])
        return try results.saveResults[zone.zoneID]?.get() ?? zone
    }
    /// Deletes a zone and its records.
    @discardableResult public func deleteRecordZone(withID zoneID: CKRecordZone.ID) async throws -> CKRecordZone.ID {
        let results = try await modifyRecordZones(saving: [], deleting: [zoneID])
        try results.deleteResults[zoneID]?.get()
        return zoneID
    }
    /// Makes and deletes zones in one request, with a result for each. Throws what befell the request as a whole.
    public func modifyRecordZones(saving: [CKRecordZone], deleting: [CKRecordZone.ID]) async throws -> (
        saveResults: [CKRecordZone.ID: Result<CKRecordZone, any Error>],
        deleteResults: [CKRecordZone.ID: Result<Void, any Error>]
    ) { try await modifyRecordZones(saving: saving, deleting: deleting, by: link) }
    func modifyRecordZones(saving: [CKRecordZone], deleting: [CKRecordZone.ID], by link: CloudLink) async throws -> (
        saveResults: [CKRecordZone.ID: Result<CKRecordZone, any Error>],
        deleteResults: [CKRecordZone.ID: Result<Void, any Error>]
    ) {
        let answer = try await link.ask(
            RecordMessages.Zones.name,
            ["save": .strings(saving.map(\.zoneID.link)), "delete": .strings(deleting.map(\.link))])
        let errors = answer["errors"]?.object ?? Value.Object()
        var saves: [CKRecordZone.ID: Result<CKRecordZone, any Error>] = [:]
        var deletes: [CKRecordZone.ID: Result<Void, any Error>] = [:]
        for zone in saving {
            saves[zone.zoneID] = errors[zone.zoneID.link].map { .failure(CKError(link: $0)) } ?? .success(zone)
        }
        for id in deleting { deletes[id] = errors[id.link].map { .failure(CKError(link: $0)) } ?? .success(()) }
        return (saves, deletes)
    }

    /// - Throws: `zoneNotFound`, or `userDeletedZone` when the person erased it.
    public func recordZone(for zoneID: CKRecordZone.ID) async throws -> CKRecordZone {
        guard let result = try await recordZones(for: [zoneID])[zoneID] else {
            throw CKError(.internalError, message: "there is no answer for the zone")
        }
        return try result.get()
    }
    /// A result for each zone: `zoneNotFound` or `userDeletedZone` where there is none. None are asked for: nothing is sent.
    public func recordZones(
        for ids: [CKRecordZone.ID]
    ) async throws -> [CKRecordZone.ID: Result<CKRecordZone, any Error>] {
        ids.isEmpty ? [:] : try await zones(ids, by: link)
    }
    /// All zones of the database, of one's own the default zone among them.
    public func allRecordZones() async throws -> [CKRecordZone] {
        try await zones([], by: link).keys.sorted { $0.link < $1.link }.map(CKRecordZone.init(zoneID:))
    }
    /// - Parameter ids: none: all.
    func zones(
        _ ids: [CKRecordZone.ID], by link: CloudLink
    ) async throws -> [CKRecordZone.ID: Result<CKRecordZone, any Error>] {
        let answer = try await link.ask(
            RecordMessages.FetchZones.name, ids.isEmpty ? .empty : ["names": .strings(ids.map(\.link))])
        var results: [CKRecordZone.ID: Result<CKRecordZone, any Error>] = [:]
        for name in answer["zones"]?.strings ?? [] {
            let id = CKRecordZone.ID(link: name)
            results[id] = .success(CKRecordZone(zoneID: id))
        }
        for pair in answer["errors"]?.object?.pairs ?? [] {
            results[CKRecordZone.ID(link: pair.key)] = .failure(CKError(link: pair.value))
        }
        return results
    }
}
