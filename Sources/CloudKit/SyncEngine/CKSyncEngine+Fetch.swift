import PadApp

/// A fetch: `willFetchChanges`, the database's changes, those of each zone that changed, `didFetchChanges`.
///
/// A position is stored after the delegate has dealt with what came before it: what a power cut takes comes again.
extension CKSyncEngine {
    func fetch(_ wished: FetchChangesOptions, _ reason: SyncReason) async throws {
        let options = await asDelegate {
            await configuration.delegate.nextFetchChangesOptions(
                FetchChangesContext(reason: reason, options: wished), syncEngine: self)
        }
        let context = FetchChangesContext(reason: reason, options: options)
        let link = link(options.operationGroup)
        await deliver(.willFetchChanges(Event.WillFetchChanges(context: context)))
        var failure: CKError?
        do {
            try await fetchDatabase(link)
            for zone in Self.order(state.value.unfetched.filter(options.scope.contains), options.prioritizedZoneIDs) {
                try checkCancelled()
                let error = await fetchZone(zone, link)
                failure = failure ?? error
            }
        } catch { failure = CKError(error) }
        await deliver(.didFetchChanges(Event.DidFetchChanges(context: context)))
        await deliverState()
        if let failure { throw failure }
    }
    /// What comes first, then the others in their order.
    static func order(_ zones: [CKRecordZone.ID], _ first: [CKRecordZone.ID]) -> [CKRecordZone.ID] {
        first.filter(zones.contains) + zones.filter { !first.contains($0) }
    }

    private func fetchDatabase(_ link: CloudLink) async throws {
        while true {
            let token = state.value.databaseToken
            do {
                let page = try await database.databaseChanges(
                    since: token.map(CKServerChangeToken.init), resultsLimit: nil, by: link)
                if !page.modifications.isEmpty || !page.deletions.isEmpty {
                    fetchedEvents += 1
                    await deliver(
                        .fetchedDatabaseChanges(
                            Event.FetchedDatabaseChanges(modifications: page.modifications, deletions: page.deletions)))
                }
                state.change {
                    $0.learn(changed: page.modifications.map(\.zoneID), deleted: page.deletions.map(\.zoneID))
                    $0.databaseToken = page.changeToken.text
                }
                await deliverState()
                guard page.moreComing else { return }
            } catch let error as CKError where error.code == .changeTokenExpired && token != nil {
                state.change { $0.databaseToken = nil }
            }
        }
    }

    /// - Returns: what the fetch failed with.
    private func fetchZone(_ zone: CKRecordZone.ID, _ link: CloudLink) async -> CKError? {
        await deliver(.willFetchRecordZoneChanges(Event.WillFetchRecordZoneChanges(zoneID: zone)))
        var failure: CKError?
        do { try await fetchPages(zone, link) } catch {
            let error = CKError(error)
            if [.zoneNotFound, .userDeletedZone].contains(error.code) { state.change { $0.forget(zone) } }
            failure = error
        }
        await deliver(.didFetchRecordZoneChanges(Event.DidFetchRecordZoneChanges(zoneID: zone, error: failure)))
        await deliverState()
        return failure
    }
    private func fetchPages(_ zone: CKRecordZone.ID, _ link: CloudLink) async throws {
        while true {
            let token = state.value.zoneTokens[zone]
            do {
                let page = try await database.zoneChangesPage(
                    zone, since: token.map(CKServerChangeToken.init), desiredKeys: nil, resultsLimit: nil, by: link)
                if !page.records.isEmpty || !page.deletions.isEmpty {
                    fetchedEvents += 1
                    await deliver(
                        .fetchedRecordZoneChanges(
                            Event.FetchedRecordZoneChanges(
                                modifications: page.records.map {
                                    CKDatabase.RecordZoneChange.Modification(record: $0)
                                },
                                deletions: page.deletions)))
                }
                state.change { $0.advance(zone, to: page.token.text, moreComing: page.moreComing) }
                await deliverState()
                guard page.moreComing else { return }
            } catch let error as CKError where error.code == .changeTokenExpired && token != nil {
                state.change { $0.restart(zone) }
            }
        }
    }
}
