import Foundation
import PadApp

extension CKContainer {
    /// What an app asks a person for (cloudkit-framework.md 12). Apple has deprecated it.
    public struct ApplicationPermissions: OptionSet, Hashable, Sendable {
        /// Apple's bits.
        public let rawValue: UInt
        /// Takes any bits; those without a constant have no effect.
        public init(rawValue: UInt) { self.rawValue = rawValue }
        /// Others may find the person by name or address.
        public static let userDiscoverability = ApplicationPermissions(rawValue: 1)
    }
    /// Raw values are Apple's. Here nobody is asked: the school has decided for each person (ASSUMED), so `initialState` does not occur.
    public enum ApplicationPermissionStatus: Int, Hashable, Sendable {
        /// Nobody has been asked yet; does not occur here.
        case initialState = 0
        /// The answer could not be had; the person may not be found by others; the person may.
        case couldNotComplete, denied, granted
    }

    /// - Throws: as `userRecordID`; without a network an error.
    public func applicationPermissionStatus(
        for permission: ApplicationPermissions
    ) async throws -> ApplicationPermissionStatus {
        let answer = try await publicCloudDatabase.link.ask(RecordMessages.Permission.name)
        return answer["status"]?.int.flatMap { Int(exactly: $0) }.flatMap(ApplicationPermissionStatus.init)
            ?? .couldNotComplete
    }
    /// As `applicationPermissionStatus`: there is no dialog.
    public func requestApplicationPermission(
        _ permission: ApplicationPermissions
    ) async throws -> ApplicationPermissionStatus { try await applicationPermissionStatus(for: permission) }

    /// - Returns: nil when nobody has that address, or the person who has it may not be found (S280).
    public func userIdentity(forEmailAddress email: String) async throws -> CKUserIdentity? {
        try await discover([CKUserIdentity.LookupInfo(emailAddress: email)]).first
    }
    /// As `userIdentity(forEmailAddress:)`.
    public func userIdentity(forPhoneNumber phone: String) async throws -> CKUserIdentity? {
        try await discover([CKUserIdentity.LookupInfo(phoneNumber: phone)]).first
    }
    /// As `userIdentity(forEmailAddress:)`, by the name of the person's record in this container.
    public func userIdentity(forUserRecordID userRecordID: CKRecord.ID) async throws -> CKUserIdentity? {
        try await discover([CKUserIdentity.LookupInfo(userRecordID: userRecordID)]).first
    }
    /// Whoever of the person's address book may be found. The app needs no permission for the contacts, and sees no other addresses (S283).
    public func allUserIdentitiesFromContacts() async throws -> [CKUserIdentity] { try await discover(nil) }

    func discover(_ infos: [CKUserIdentity.LookupInfo]?) async throws -> [CKUserIdentity] {
        let members: Value = infos.map { ["lookupInfos": .array($0.map(\.wire))] } ?? .empty
        let answer = try await publicCloudDatabase.link.ask(RecordMessages.Discover.name, members)
        return (answer["users"]?.array ?? []).map(CKUserIdentity.init(wire:))
    }

    /// Of several people those who may be found, by what they were looked for with.
    public func userIdentities(forEmailAddresses emails: [String]) async throws -> [String: CKUserIdentity] {
        try await identities(CKUserIdentity.LookupInfo.lookupInfos(withEmails: emails)) { $0.emailAddress }
    }
    /// As `userIdentities(forEmailAddresses:)`: numbers of nobody are left out.
    public func userIdentities(forPhoneNumbers phoneNumbers: [String]) async throws -> [String: CKUserIdentity] {
        try await identities(CKUserIdentity.LookupInfo.lookupInfos(withPhoneNumbers: phoneNumbers)) { $0.phoneNumber }
    }
    /// As `userIdentities(forEmailAddresses:)`: names of nobody are left out.
    public func userIdentities(
        forUserRecordIDs userRecordIDs: [CKRecord.ID]
    ) async throws -> [CKRecord.ID: CKUserIdentity] {
        try await identities(CKUserIdentity.LookupInfo.lookupInfos(with: userRecordIDs)) { $0.userRecordID }
    }
    private func identities<Key: Hashable>(
        _ infos: [CKUserIdentity.LookupInfo], _ key: (CKUserIdentity.LookupInfo) -> Key?
    ) async throws -> [Key: CKUserIdentity] {
        let found = infos.isEmpty ? [] : try await discover(infos)
        let pairs = found.compactMap { identity in identity.lookupInfo.flatMap(key).map { ($0, identity) } }
        return Dictionary(pairs, uniquingKeysWith: { first, _ in first })
    }
}
