import Foundation

/// Each method is the `async` one that it names, with a completion handler (`Completion`).
extension CKContainer {
    @preconcurrency public func accountStatus(
        completionHandler: @escaping @Sendable (CKAccountStatus, (any Error)?) -> Void
    ) {
        Completion.call({ status, error in completionHandler(status ?? .couldNotDetermine, error) }) {
            try await self.accountStatus()
        }
    }
    @preconcurrency public func fetchUserRecordID(
        completionHandler: @escaping @Sendable (CKRecord.ID?, (any Error)?) -> Void
    ) { Completion.call(completionHandler) { try await self.userRecordID() } }

    // MARK: Long-lived operations

    @preconcurrency public func fetchAllLongLivedOperationIDs(
        completionHandler: @escaping @Sendable ([CKOperation.ID]?, (any Error)?) -> Void
    ) { Completion.call(completionHandler) { try await self.allLongLivedOperationIDs() } }
    @preconcurrency public func fetchLongLivedOperation(
        withID operationID: CKOperation.ID, completionHandler: @escaping @Sendable (CKOperation?, (any Error)?) -> Void
    ) {
        Completion.call({ found, error in completionHandler(found ?? nil, error) }) {
            try await self.longLivedOperation(for: operationID)
        }
    }

    // MARK: Permission and discovery

    public typealias ApplicationPermissionBlock = (ApplicationPermissionStatus, (any Error)?) -> Void

    @preconcurrency public func requestApplicationPermission(
        _ applicationPermission: ApplicationPermissions,
        completionHandler: @escaping @Sendable (ApplicationPermissionStatus, (any Error)?) -> Void
    ) {
        Completion.call({ status, error in completionHandler(status ?? .couldNotComplete, error) }) {
            try await self.requestApplicationPermission(applicationPermission)
        }
    }
    @preconcurrency public func status(
        forApplicationPermission applicationPermission: ApplicationPermissions,
        completionHandler: @escaping @Sendable (ApplicationPermissionStatus, (any Error)?) -> Void
    ) {
        Completion.call({ status, error in completionHandler(status ?? .couldNotComplete, error) }) {
            try await self.applicationPermissionStatus(for: applicationPermission)
        }
    }
    @preconcurrency public func discoverAllIdentities(
        completionHandler: @escaping @Sendable ([CKUserIdentity]?, (any Error)?) -> Void
    ) { Completion.call(completionHandler) { try await self.allUserIdentitiesFromContacts() } }
    @preconcurrency public func discoverUserIdentity(
        withEmailAddress email: String, completionHandler: @escaping @Sendable (CKUserIdentity?, (any Error)?) -> Void
    ) {
        Completion.call({ found, error in completionHandler(found ?? nil, error) }) {
            try await self.userIdentity(forEmailAddress: email)
        }
    }
    @preconcurrency public func discoverUserIdentity(
        withPhoneNumber phoneNumber: String,
        completionHandler: @escaping @Sendable (CKUserIdentity?, (any Error)?) -> Void
    ) {
        Completion.call({ found, error in completionHandler(found ?? nil, error) }) {
            try await self.userIdentity(forPhoneNumber: phoneNumber)
        }
    }
    @preconcurrency public func discoverUserIdentity(
        withUserRecordID userRecordID: CKRecord.ID,
        completionHandler: @escaping @Sendable (CKUserIdentity?, (any Error)?) -> Void
    ) {
        Completion.call({ found, error in completionHandler(found ?? nil, error) }) {
            try await self.userIdentity(forUserRecordID: userRecordID)
        }
    }
    @preconcurrency public func discoverUserIdentities(
        forEmailAddresses emails: [String],
        completionHandler: @escaping @Sendable (Result<[String: CKUserIdentity], any Error>) -> Void
    ) { Completion.call(completionHandler) { try await self.userIdentities(forEmailAddresses: emails) } }
    @preconcurrency public func discoverUserIdentities(
        forPhoneNumbers phoneNumbers: [String],
        completionHandler: @escaping @Sendable (Result<[String: CKUserIdentity], any Error>) -> Void
    ) { Completion.call(completionHandler) { try await self.userIdentities(forPhoneNumbers: phoneNumbers) } }
    @preconcurrency public func discoverUserIdentities(
        forUserRecordIDs userRecordIDs: [CKRecord.ID],
        completionHandler: @escaping @Sendable (Result<[CKRecord.ID: CKUserIdentity], any Error>) -> Void
    ) { Completion.call(completionHandler) { try await self.userIdentities(forUserRecordIDs: userRecordIDs) } }
}
