// swift-format-ignore-file: AlwaysUseLowerCamelCase

import Foundation
import PadApp

/// Whether CloudKit may be used now. Raw values are Apple's.
public enum CKAccountStatus: Int, Hashable, Sendable {
    /// The iPad cannot say now: ask again.
    case couldNotDetermine = 0
    /// CloudKit can be used; a restriction forbids it; nobody is signed in; the account is not ready, as while a password is asked for.
    case available, restricted, noAccount, temporarilyUnavailable
}

extension Notification.Name {
    /// The account's status changed: ask `accountStatus` again (identity.md 1). Posted by the app's notification center (module Ubiquity),
    /// on the main actor; `NSUbiquityIdentityDidChange` is of the token and may come with it or alone.
    public static let CKAccountChanged = Notification.Name("CKAccountChanged")
}

/// The app's data in iCloud: a private database for each person and a public one for all.
///
/// Each method has a completion-handler form (`CKContainer+Completion.swift`) that calls the `async` one.
public final class CKContainer: NSObject, @unchecked Sendable {
    /// `iCloud.` and a reverse domain name; never nil here.
    public let containerIdentifier: String?
    /// The signed-in person's own: for another person it is another database under the same object.
    public let privateCloudDatabase: CKDatabase
    /// One for all people of the app. It has a default zone only, and no changes to fetch.
    public let publicCloudDatabase: CKDatabase
    /// What others share with the person, once accepted.
    public let sharedCloudDatabase: CKDatabase

    /// A container that the entitlements list. One that they do not list fails with each request (`badContainer`).
    public convenience init(identifier: String) { self.init(identifier, nil) }
    private init(_ identifier: String, _ configuration: CKOperation.Configuration?) {
        containerIdentifier = identifier
        privateCloudDatabase = CKDatabase(container: identifier, scope: .private, configuration: configuration)
        publicCloudDatabase = CKDatabase(container: identifier, scope: .public, configuration: configuration)
        sharedCloudDatabase = CKDatabase(container: identifier, scope: .shared, configuration: configuration)
    }
    public override var hash: Int { containerIdentifier.hashValue }
    public override var description: String { "<CKContainer: \(containerIdentifier ?? "")>" }

    /// The container named after the running app: `iCloud.` and its bundle identifier.
    public static func `default`() -> CKContainer {
        let link = AppLink.current
        return link.singleton { CKContainer(identifier: "iCloud.\(link.bundleIdentifier)") }
    }
    /// The database of a scope; always the same object for this container.
    public func database(with scope: CKDatabase.Scope) -> CKDatabase {
        switch scope {
        case .public: publicCloudDatabase
        case .private: privateCloudDatabase
        case .shared: sharedCloudDatabase
        }
    }
    /// Gives `body` this container, whose databases have other settings than Apple's defaults.
    public func configuredWith<R>(
        configuration: CKOperation.Configuration? = nil, group: CKOperationGroup? = nil, body: (CKContainer) throws -> R
    ) rethrows -> R { try body(configured(configuration, group)) }
    /// As the form without `await`, for a body that waits.
    public func configuredWith<R>(
        configuration: CKOperation.Configuration? = nil, group: CKOperationGroup? = nil,
        isolation: isolated (any Actor)? = #isolation, body: (CKContainer) async throws -> R
    ) async rethrows -> R { try await body(configured(configuration, group)) }
    private func configured(_ configuration: CKOperation.Configuration?, _ group: CKOperationGroup?) -> CKContainer {
        let settings = (configuration ?? CKOperation.Configuration()).over(group?.defaultConfiguration)
        return CKContainer(containerIdentifier ?? "", settings)
    }

    /// Whether CloudKit can be used now; the iPad answers without the network. Ask again after `CKAccountChanged`.
    public func accountStatus() async throws -> CKAccountStatus {
        let answer = try await privateCloudDatabase.link.ask(RecordMessages.AccountStatus.name)
        return answer["accountStatus"]?.int.flatMap { Int(exactly: $0) }.flatMap(CKAccountStatus.init)
            ?? .couldNotDetermine
    }
    /// The person's own record: random for each person and container.
    /// - Throws: `notAuthenticated` without an account.
    public func userRecordID() async throws -> CKRecord.ID {
        try await Self.userRecordID(by: privateCloudDatabase.link)
    }
    static func userRecordID(by link: CloudLink) async throws -> CKRecord.ID {
        let answer = try await link.ask(RecordMessages.UserRecordID.name)
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
        case RecordMessages.Modify.name?: operation = CKModifyRecordsOperation()
        case RecordMessages.Lookup.name?: operation = CKFetchRecordsOperation()
        case RecordMessages.Query.name?: operation = CKQueryOperation()
        default: return nil
        }
        operation.operationID = operationID
        operation.kept = known
        operation.requests.names = [operationID]
        operation.database = CKDatabase(container: containerIdentifier ?? "", named: known["database"]?.string)
        return operation
    }
    /// Runs an operation on the database that it names, else on the private one of its own container or of this.
    public func add(_ operation: CKOperation) {
        guard let operation = operation as? CKDatabaseOperation else { return operation.startWhenReady() }
        (operation.database ?? (operation.settings.container ?? self).privateCloudDatabase).add(operation)
    }
}
