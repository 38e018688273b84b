import Foundation
import PadApp

extension CKDatabase {
    /// Saves a subscription; one that is there already is brought up to date.
    @discardableResult public func save(_ subscription: CKSubscription) async throws -> CKSubscription {
        try await save(subscription, by: link)
        return subscription
    }
    func save(_ subscription: CKSubscription, by link: CloudLink) async throws {
        _ = try await link.ask(RecordMessages.Subscribe.name, ["subscription": subscription.wire()])
    }
    /// Deletes a subscription; one that is gone is no error.
    @discardableResult public func deleteSubscription(
        withID subscriptionID: CKSubscription.ID
    ) async throws -> CKSubscription.ID {
        try await delete(subscriptionID, by: link)
        return subscriptionID
    }
    func delete(_ id: CKSubscription.ID, by link: CloudLink) async throws {
        _ = try await link.ask(RecordMessages.Unsubscribe.name, ["subscriptionID": .string(id)])
    }

    /// - Throws: `unknownItem` when the person has none of that name here.
    public func subscription(for subscriptionID: CKSubscription.ID) async throws -> CKSubscription {
        guard let result = try await subscriptions(for: [subscriptionID])[subscriptionID] else {
            throw CKError(.unknownItem, message: "there is no subscription '\(subscriptionID)'")
        }
        return try result.get()
    }
    public func subscriptions(
        for ids: [CKSubscription.ID]
    ) async throws -> [CKSubscription.ID: Result<CKSubscription, any Error>] {
        ids.isEmpty ? [:] : try await subscriptions(ids, by: link)
    }
    /// All that the person has in this database, whichever device made them, by name.
    public func allSubscriptions() async throws -> [CKSubscription] {
        try await subscriptions([], by: link).values.compactMap { try? $0.get() }
            .sorted { $0.subscriptionID < $1.subscriptionID }
    }
    /// - Parameter ids: none: all.
    func subscriptions(
        _ ids: [CKSubscription.ID], by link: CloudLink
    ) async throws -> [CKSubscription.ID: Result<CKSubscription, any Error>] {
        let answer = try await link.ask(
            RecordMessages.Subscriptions.name, ids.isEmpty ? .empty : ["names": .strings(ids)])
        var results: [CKSubscription.ID: Result<CKSubscription, any Error>] = [:]
        for subscription in (answer["subscriptions"]?.array ?? []).compactMap(CKSubscription.of(wire:)) {
            results[subscription.subscriptionID] = .success(subscription)
        }
        for pair in answer["errors"]?.object?.pairs ?? [] { results[pair.key] = .failure(CKError(link: pair.value)) }
        return results
    }

    public func modifySubscriptions(
        saving: [CKSubscription], deleting: [CKSubscription.ID]
    ) async throws -> (
        saveResults: [CKSubscription.ID: Result<CKSubscription, any Error>],
        deleteResults: [CKSubscription.ID: Result<Void, any Error>]
    ) { await modifySubscriptions(saving, deleting, by: link) }
    func modifySubscriptions(
        _ saving: [CKSubscription], _ deleting: [CKSubscription.ID], by link: CloudLink
    ) async -> (
        saveResults: [CKSubscription.ID: Result<CKSubscription, any Error>],
        deleteResults: [CKSubscription.ID: Result<Void, any Error>]
    ) {
        var saves: [CKSubscription.ID: Result<CKSubscription, any Error>] = [:]
        var deletes: [CKSubscription.ID: Result<Void, any Error>] = [:]
        for subscription in saving {
            do {
                try await save(subscription, by: link)
                saves[subscription.subscriptionID] = .success(subscription)
            } catch { saves[subscription.subscriptionID] = .failure(error) }
        }
        for id in deleting {
            do {
                try await delete(id, by: link)
                deletes[id] = .success(())
            } catch { deletes[id] = .failure(error) }
        }
        return (saves, deletes)
    }
}
