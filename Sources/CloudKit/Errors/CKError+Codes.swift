/// The codes under their short names: `CKError.zoneNotFound` is `CKError.Code.zoneNotFound`. Source: CKError, Getting Error Codes.
extension CKError {
    /// The service failed or broke its protocol: what it did is open. Also: there is no room on the iPad's disk, and nothing was sent.
    public static var internalError: Code { .internalError }
    /// Some items failed, each for its own reason: look at `partialErrorsByItemID`. The others are done, unless the request was atomic.
    public static var partialFailure: Code { .partialFailure }
    /// There is no network. Nothing was sent.
    public static var networkUnavailable: Code { .networkUnavailable }
    /// The connection broke before the answer came, or something that is not CloudKit answered: it may have acted.
    public static var networkFailure: Code { .networkFailure }
    /// The container's name is not valid, or the entitlements do not list it. Nothing was sent.
    public static var badContainer: Code { .badContainer }
    /// The service refused for now, as for too much traffic. Nothing was done: try again after `retryAfterSeconds`.
    public static var serviceUnavailable: Code { .serviceUnavailable }
    /// The iPad throttles the app, because the service asked for it. Nothing was sent: try again after `retryAfterSeconds`.
    public static var requestRateLimited: Code { .requestRateLimited }
    /// The app has no entitlement for CloudKit. Nothing was sent.
    public static var missingEntitlement: Code { .missingEntitlement }
    /// Nobody is signed in to iCloud, or the service does not accept the account now. Nothing was done.
    public static var notAuthenticated: Code { .notAuthenticated }
    /// The account may not do that to the record. Nothing was done, and trying again does not help.
    public static var permissionFailure: Code { .permissionFailure }
    /// There is no such record, also one that was deleted since, or no such subscription or operation kept. Nothing was done.
    public static var unknownItem: Code { .unknownItem }
    /// The request cannot be understood: a predicate, a name twice, a long-lived operation over zones. Nothing was done.
    public static var invalidArguments: Code { .invalidArguments }
    /// Never given here: pages say `moreComing` instead. Apple has deprecated it.
    public static var resultsTruncated: Code { .resultsTruncated }
    /// The record changed at the server since the app fetched it. Nothing was saved: merge into `serverRecord` and save that.
    public static var serverRecordChanged: Code { .serverRecordChanged }
    /// The service does not do that. Nothing was done, and trying again does not help.
    public static var serverRejectedRequest: Code { .serverRejectedRequest }
    /// There is no file where the asset says, or it is sealed. Nothing was saved.
    public static var assetFileNotFound: Code { .assetFileNotFound }
    /// Never given here: the iPad copies the file when the save is handed over.
    public static var assetFileModified: Code { .assetFileModified }
    /// Never given here: no schema asks for a newer app.
    public static var incompatibleVersion: Code { .incompatibleVersion }
    /// A field that must be unique in the zone is not. Nothing was saved.
    public static var constraintViolation: Code { .constraintViolation }
    /// The app cancelled the operation. What was sent may have happened.
    public static var operationCancelled: Code { .operationCancelled }
    /// The token is too old: fetch from nil and reconcile what the app keeps.
    public static var changeTokenExpired: Code { .changeTokenExpired }
    /// Another item of an atomic request failed, so this one was not done. Save the batch again without the other.
    public static var batchRequestFailed: Code { .batchRequestFailed }
    /// The zone is busy with other requests. Nothing was done: try again after seconds, later and later.
    public static var zoneBusy: Code { .zoneBusy }
    /// There is no such database. Nothing was sent.
    public static var badDatabase: Code { .badDatabase }
    /// There is no space left: the person's in the private database, the app's in the public one. Nothing was saved.
    public static var quotaExceeded: Code { .quotaExceeded }
    /// There is no such zone: make it, then save again. Nothing was done.
    public static var zoneNotFound: Code { .zoneNotFound }
    /// Too many items or too large a request (cloudkit-framework.md 9). Nothing was done: send two halves.
    public static var limitExceeded: Code { .limitExceeded }
    /// The person erased the app's data in Settings: drop what is kept of the zone, and do not make it again unasked.
    public static var userDeletedZone: Code { .userDeletedZone }
    /// The share has more participants than it may. Nothing was saved.
    public static var tooManyParticipants: Code { .tooManyParticipants }
    /// The record, or one above or below it, is in a share already. Nothing was saved.
    public static var alreadyShared: Code { .alreadyShared }
    /// The parent does not exist, or still has children. Nothing was done: save the target first, delete it last.
    public static var referenceViolation: Code { .referenceViolation }
    /// The organisation does not let the account use iCloud. Nothing was sent; wait for the account to change.
    public static var managedAccountRestricted: Code { .managedAccountRestricted }
    /// The person has to confirm who they are before they may take part. Nothing was done.
    public static var participantMayNeedVerification: Code { .participantMayNeedVerification }
    /// The answer did not come: the write may have happened. Send it so that twice is once, or look first.
    public static var serverResponseLost: Code { .serverResponseLost }
    /// The service does not give the file of an asset. Fetch the record again later.
    public static var assetNotAvailable: Code { .assetNotAvailable }
    /// The account is not ready, as while a password is asked for. Nothing was sent: keep caches, wait for the account to change.
    public static var accountTemporarilyUnavailable: Code { .accountTemporarilyUnavailable }
    /// The person is a participant already. Nothing was done.
    public static var participantAlreadyInvited: Code { .participantAlreadyInvited }
}
