import Foundation
import PadApp

/// Saves and deletes subscriptions, one after the other.
open class CKModifySubscriptionsOperation: CKDatabaseOperation, @unchecked Sendable {
    /// Subscriptions to save, in this order; nil: none.
    public var subscriptionsToSave: [CKSubscription]?
    /// Subscriptions to delete, after the saves; nil: none.
    public var subscriptionIDsToDelete: [CKSubscription.ID]?
    /// Called for each subscription that was to be saved.
    public var perSubscriptionSaveBlock: ((CKSubscription.ID, Result<CKSubscription, any Error>) -> Void)?
    /// Called for each subscription that was to be deleted.
    public var perSubscriptionDeleteBlock: ((CKSubscription.ID, Result<Void, any Error>) -> Void)?
    /// Called last. A `partialFailure` says which subscriptions failed; the others are done.
    public var modifySubscriptionsResultBlock: ((Result<Void, any Error>) -> Void)?
    /// Older form of `modifySubscriptionsResultBlock`.
    public var modifySubscriptionsCompletionBlock: (([CKSubscription]?, [CKSubscription.ID]?, (any Error)?) -> Void)?

    public override init() { super.init() }
    /// Saves and deletes, each in a request of its own.
    public convenience init(
        subscriptionsToSave: [CKSubscription]? = nil, subscriptionIDsToDelete: [CKSubscription.ID]? = nil
    ) {
        self.init()
        self.subscriptionsToSave = subscriptionsToSave
        self.subscriptionIDsToDelete = subscriptionIDsToDelete
    }

    override func begin() {
        guard let database, let link else { return }
        let (saves, deletes) = (subscriptionsToSave ?? [], subscriptionIDsToDelete ?? [])
        Task {
            let results = await database.modifySubscriptions(saves, deletes, by: link)
            finish {
                var (outcome, saved, deleted) = (OperationOutcome(), [CKSubscription](), [CKSubscription.ID]())
                for id in saves.map(\.subscriptionID) where !isCancelled {
                    guard let result = results.saveResults[id] else { continue }
                    outcome.add(id, result)
                    perSubscriptionSaveBlock?(id, result)
                    if let subscription = result.parts.value { saved.append(subscription) }
                }
                for id in deletes where !isCancelled {
                    guard let result = results.deleteResults[id] else { continue }
                    outcome.add(id, result)
                    perSubscriptionDeleteBlock?(id, result)
                    if case .success = result { deleted.append(id) }
                }
                modifySubscriptionsResultBlock?(outcome.result(of: self))
                modifySubscriptionsCompletionBlock?(saved, deleted, outcome.error(of: self))
            }
        }
    }
}

/// Fetches subscriptions by name, or all that the person has in a database.
open class CKFetchSubscriptionsOperation: CKDatabaseOperation, @unchecked Sendable {
    /// Nil: all.
    public var subscriptionIDs: [CKSubscription.ID]?
    /// Called for each subscription in the order of `subscriptionIDs`, else by name; `unknownItem` for one that does not exist.
    public var perSubscriptionResultBlock: ((CKSubscription.ID, Result<CKSubscription, any Error>) -> Void)?
    /// Called last. A `partialFailure` says which subscriptions failed.
    public var fetchSubscriptionsResultBlock: ((Result<Void, any Error>) -> Void)?
    /// Older form of `fetchSubscriptionsResultBlock`.
    public var fetchSubscriptionCompletionBlock: (([CKSubscription.ID: CKSubscription]?, (any Error)?) -> Void)?

    public required override init() { super.init() }
    /// Fetches these subscriptions; nil: all.
    public convenience init(subscriptionIDs: [CKSubscription.ID]? = nil) {
        self.init()
        self.subscriptionIDs = subscriptionIDs
    }
    /// Fetches all that the person has in the database.
    public class func fetchAllSubscriptionsOperation() -> Self { self.init() }

    override func begin() {
        guard let database, let link else { return }
        guard subscriptionIDs?.isEmpty != true else { return end(OperationOutcome(), [:]) }
        Task {
            var (outcome, subscriptions) = (OperationOutcome(), [CKSubscription.ID: CKSubscription]())
            do {
                let found = try await database.subscriptions(subscriptionIDs ?? [], by: link)
                for id in subscriptionIDs ?? found.keys.sorted() where !isCancelled {
                    guard let result = found[id] else { continue }
                    outcome.add(id, result)
                    perSubscriptionResultBlock?(id, result)
                    subscriptions[id] = result.parts.value
                }
            } catch { outcome.fail(error) }
            end(outcome, subscriptions)
        }
    }
    private func end(_ outcome: OperationOutcome, _ subscriptions: [CKSubscription.ID: CKSubscription]) {
        finish {
            fetchSubscriptionsResultBlock?(outcome.result(of: self))
            fetchSubscriptionCompletionBlock?(subscriptions, outcome.error(of: self))
        }
    }
}
