import Foundation

/// Each method is the `async` one that it names, with a completion handler (`Completion`).
extension CKContainer {
    /// `accountStatus()` with a handler, which gets `.couldNotDetermine` next to an error.
    @preconcurrency public func accountStatus(
        completionHandler: @escaping @Sendable (CKAccountStatus, (any Error)?) -> Void
    ) {
        Completion.call({ status, error in completionHandler(status ?? .couldNotDetermine, error) }) {
            try await self.accountStatus()
        }
    }
    /// `userRecordID()` with a handler.
    @preconcurrency public func fetchUserRecordID(
        completionHandler: @escaping @Sendable (CKRecord.ID?, (any Error)?) -> Void
    ) { Completion.call(completionHandler) { try await self.userRecordID() } }

    // MARK: Long-lived operations

    /// `allLongLivedOperationIDs()` with a handler.
    @preconcurrency public func fetchAllLongLivedOperationIDs(
        completionHandler: @escaping @Sendable ([CKOperation.ID]?, (any Error)?) -> Void
    ) { Completion.call(completionHandler) { try await self.allLongLivedOperationIDs() } }
    /// `longLivedOperation(for:)` with a handler. Nil without an error: no such operation is kept.
    @preconcurrency public func fetchLongLivedOperation(
        withID operationID: CKOperation.ID, completionHandler: @escaping @Sendable (CKOperation?, (any Error)?) -> Void
    ) {
        Completion.call({ found, error in completionHandler(found ?? nil, error) }) {
            try await self.longLivedOperation(for: operationID)
        }
    }

    // MARK: Permission and discovery

    /// The type of the handlers below, as older code names it.
    public typealias ApplicationPermissionBlock = (ApplicationPermissionStatus, (any Error)?) -> Void

    /// `requestApplicationPermission(_:)` with a handler, which gets `.couldNotComplete` next to an error.
    @preconcurrency public func requestApplicationPermission(
        _ applicationPermission: ApplicationPermissions,
        completionHandler: @escaping @Sendable (ApplicationPermissionStatus, (any Error)?) -> Void
    ) {
        Completion.call({ status, error in completionHandler(status ?? .couldNotComplete, error) }) {
            try await self.requestApplicationPermission(applicationPermission)
        }
    }
    /// `applicationPermissionStatus(for:)` with a handler, which gets `.couldNotComplete` next to an error.
    @preconcurrency public func status(
        forApplicationPermission applicationPermission: ApplicationPermissions,
        completionHandler: @escaping @Sendable (ApplicationPermissionStatus, (any Error)?) -> Void
    ) {
        Completion.call({ status, error in completionHandler(status ?? .couldNotComplete, error) }) {
            try await self.applicationPermissionStatus(for: applicationPermission)
        }
    }
    /// `allUserIdentitiesFromContacts()` with a handler.
    @preconcurrency public func discoverAllIdentities(
        completionHandler: @escaping @Sendable ([CKUserIdentity]?, (any Error)?) -> Void
    ) { Completion.call(completionHandler) { try await self.allUserIdentitiesFromContacts() } }
    /// `userIdentity(forEmailAddress:)` with a handler. Nil without an error: nobody that may be found.
    @preconcurrency public func discoverUserIdentity(
        withEmailAddress email: String, completionHandler: @escaping @Sendable (CKUserIdentity?, (any Error)?) -> Void
    ) {
        Completion.call({ found, error in completionHandler(found ?? nil, error) }) {
            try await self.userIdentity(forEmailAddress: email)
        }
    }
    /// `userIdentity(forPhoneNumber:)` with a handler. Nil without an error: nobody that may be found.
    @preconcurrency public func discoverUserIdentity(
        withPhoneNumber phoneNumber: String,
        completionHandler: @escaping @Sendable (CKUserIdentity?, (any Error)?) -> Void
    ) {
        Completion.call({ found, error in completionHandler(found ?? nil, error) }) {
            try await self.userIdentity(forPhoneNumber: phoneNumber)
        }
    }
    /// `userIdentity(forUserRecordID:)` with a handler. Nil without an error: nobody that may be found.
    @preconcurrency public func discoverUserIdentity(
        withUserRecordID userRecordID: CKRecord.ID,
        completionHandler: @escaping @Sendable (CKUserIdentity?, (any Error)?) -> Void
    ) {
        Completion.call({ found, error in completionHandler(found ?? nil, error) }) {
            try await self.userIdentity(forUserRecordID: userRecordID)
        }
    }
    /// `userIdentities(forEmailAddresses:)` with a handler.
    @preconcurrency public func discoverUserIdentities(
        forEmailAddresses emails: [String],
        completionHandler: @escaping @Sendable (Result<[String: CKUserIdentity], any Error>) -> Void
    ) { Completion.call(completionHandler) { try await self.userIdentities(forEmailAddresses: emails) } }
    /// `userIdentities(forPhoneNumbers:)` with a handler.
    @preconcurrency public func discoverUserIdentities(
        forPhoneNumbers phoneNumbers: [String],
        completionHandler: @escaping @Sendable (Result<[String: CKUserIdentity], any Error>) -> Void
    ) { Completion.call(completionHandler) { try await self.userIdentities(forPhoneNumbers: phoneNumbers) } }
    /// `userIdentities(forUserRecordIDs:)` with a handler.
    @preconcurrency public func discoverUserIdentities(
        forUserRecordIDs userRecordIDs: [CKRecord.ID],
        completionHandler: @escaping @Sendable (Result<[CKRecord.ID: CKUserIdentity], any Error>) -> Void
    ) { Completion.call(completionHandler) { try await self.userIdentities(forUserRecordIDs: userRecordIDs) } }
}
