// swift-format-ignore-file: AlwaysUseLowerCamelCase

import Foundation
import PadApp

/// Whether CloudKit may be used now. Raw values are Apple's.
public enum CKAccountStatus: Int, Hashable, Sendable {
    case couldNotDetermine = 0
    case available, restricted, noAccount, temporarilyUnavailable
}

extension Notification.Name {
    /// The account's status changed: ask `accountStatus` again (identity.md 1). Posted by the app's notification center (module Ubiquity),
    /// on the main actor; `NSUbiquityIdentityDidChange` is of the token and may come with it or alone.
    public static let CKAccountChanged = Notification.Name("CKAccountChanged")
}

/// The app's data in iCloud: a private database for each person and a public one for all.
public final class CKContainer: @unchecked Sendable {
    public let containerIdentifier: String?
    public let privateCloudDatabase: CKDatabase
    public let publicCloudDatabase: CKDatabase

    public init(identifier: String) {
        containerIdentifier = identifier
        privateCloudDatabase = CKDatabase(container: identifier, scope: .private)
        publicCloudDatabase = CKDatabase(container: identifier, scope: .public)
    }
    /// The container named after the running app: `iCloud.` and its bundle identifier.
    public static func `default`() -> CKContainer {
        let link = AppLink.current
        return link.singleton { CKContainer(identifier: "iCloud.\(link.bundleIdentifier)") }
    }
    /// The shared database is not modelled.
    public func database(with scope: CKDatabase.Scope) -> CKDatabase {
        scope == .public ? publicCloudDatabase : privateCloudDatabase
    }

    public func accountStatus() async throws -> CKAccountStatus {
        let answer = try await privateCloudDatabase.link.ask("ck.accountStatus")
        return answer["accountStatus"]?.int.flatMap { Int(exactly: $0) }.flatMap(CKAccountStatus.init)
            ?? .couldNotDetermine
    }
    /// The person's own record: random for each person and container.
    /// - Throws: `notAuthenticated` without an account.
    public func userRecordID() async throws -> CKRecord.ID {
        let answer = try await privateCloudDatabase.link.ask("ck.userRecordID")
        guard let name = answer["recordName"]?.string else {
            throw CKError(.internalError, message: "no record name came")
        }
        return CKRecord.ID(recordName: name)
    }

    // MARK: Long-lived operations

    /// Names of the operations that the system keeps for this app, from earlier launches too: under way, or done within 24 h.
    public func allLongLivedOperationIDs() async throws -> [CKOperation.ID] {
        CloudLink.longLivedOperations().compactMap { $0["op"]?.string }
    }
    /// An operation of an earlier launch. Set its callbacks and add it: they are called with the stored results.
    /// It has the database in which it was begun.
    /// - Returns: nil when it is unknown, too old or of another container. Changes of records, fetches by name and queries can be taken up;
    ///   others take several messages, which no operation of the system spans here.
    public func longLivedOperation(for operationID: CKOperation.ID) async throws -> CKOperation? {
        guard let known = CloudLink.longLivedOperations(named: operationID).first,
            (known["container"]?.string ?? containerIdentifier) == containerIdentifier
        else { return nil }
        let operation: CKDatabaseOperation
        switch known["name"]?.string {
        case "ck.modify"?: operation = CKModifyRecordsOperation()
        case "ck.lookup"?: operation = CKFetchRecordsOperation()
        case "ck.query"?: operation = CKQueryOperation()
        default: return nil
        }
        operation.operationID = operationID
        operation.kept = known
        operation.requests.names = [operationID]
        operation.database = CKDatabase(container: containerIdentifier ?? "", named: known["database"]?.string)
        return operation
    }
    /// Runs an operation on the database that it names, else on the private one of its own container or of this.
    public func add(_ operation: CKDatabaseOperation) {
        (operation.database ?? (operation.settings.container ?? self).privateCloudDatabase).add(operation)
    }
}
