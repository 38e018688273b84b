import Foundation
import PadApp

/// A person as apps may know them: the name in this container, and given and family name of whoever lets others find them
/// (cloudkit-framework.md 12; S281, S282).
public final class CKUserIdentity: @unchecked Sendable {
    /// What a person is looked for with.
    public final class LookupInfo: Sendable {
        public let emailAddress: String?
        public let phoneNumber: String?
        public let userRecordID: CKRecord.ID?

        private init(_ emailAddress: String?, _ phoneNumber: String?, _ userRecordID: CKRecord.ID?) {
            (self.emailAddress, self.phoneNumber, self.userRecordID) = (emailAddress, phoneNumber, userRecordID)
        }
        public convenience init(emailAddress: String) { self.init(emailAddress, nil, nil) }
        public convenience init(phoneNumber: String) { self.init(nil, phoneNumber, nil) }
        public convenience init(userRecordID: CKRecord.ID) { self.init(nil, nil, userRecordID) }

        fileprivate convenience init(wire: Value) {
            let name = wire["userRecordName"]?.string.map { CKRecord.ID(recordName: $0) }
            self.init(wire["emailAddress"]?.string, wire["phoneNumber"]?.string, name)
        }
        fileprivate var wire: Value {
            var wire = Value.empty
            wire["emailAddress"] = emailAddress.map(Value.string)
            wire["phoneNumber"] = phoneNumber.map(Value.string)
            wire["userRecordName"] = userRecordID.map { .string($0.recordName) }
            return wire
        }
    }
    public let userRecordID: CKRecord.ID?
    public let lookupInfo: LookupInfo?
    public let nameComponents: PersonNameComponents?
    /// Only people with an account are found.
    public var hasiCloudAccount: Bool { userRecordID != nil }

    fileprivate init(wire: Value) {
        userRecordID = wire["userRecordName"]?.string.map { CKRecord.ID(recordName: $0) }
        lookupInfo = wire["lookupInfo"].map(LookupInfo.init(wire:))
        nameComponents = wire["nameComponents"].map { names in
            var components = PersonNameComponents()
            components.givenName = names["givenName"]?.string
            components.familyName = names["familyName"]?.string
            return components
        }
    }
}

extension CKContainer {
    public struct ApplicationPermissions: OptionSet, Hashable, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        /// Others may find the person by name or address.
        public static let userDiscoverability = ApplicationPermissions(rawValue: 1)
    }
    /// Raw values are Apple's. Here nobody is asked: the school has decided for each person (ASSUMED), so `initialState` does not occur.
    public enum ApplicationPermissionStatus: Int, Hashable, Sendable {
        case initialState = 0
        case couldNotComplete, denied, granted
    }

    /// - Throws: as `userRecordID`; without a network an error.
    public func applicationPermissionStatus(
        for permission: ApplicationPermissions
    ) async throws -> ApplicationPermissionStatus {
        let answer = try await publicCloudDatabase.link.ask("ck.permission")
        return answer["status"]?.int.flatMap { Int(exactly: $0) }.flatMap(ApplicationPermissionStatus.init)
            ?? .couldNotComplete
    }
    /// As `applicationPermissionStatus`: there is no dialog.
    public func requestApplicationPermission(
        _ permission: ApplicationPermissions
    ) async throws -> ApplicationPermissionStatus { try await applicationPermissionStatus(for: permission) }

    /// - Returns: nil when nobody has that address, or whoever has it may not be found (S280).
    public func userIdentity(forEmailAddress email: String) async throws -> CKUserIdentity? {
        try await discover([CKUserIdentity.LookupInfo(emailAddress: email)]).first
    }
    public func userIdentity(forPhoneNumber phone: String) async throws -> CKUserIdentity? {
        try await discover([CKUserIdentity.LookupInfo(phoneNumber: phone)]).first
    }
    public func userIdentity(forUserRecordID userRecordID: CKRecord.ID) async throws -> CKUserIdentity? {
        try await discover([CKUserIdentity.LookupInfo(userRecordID: userRecordID)]).first
    }
    /// Whoever of the person's address book may be found. The app needs no permission for the contacts, and sees no other addresses (S283).
    public func allUserIdentitiesFromContacts() async throws -> [CKUserIdentity] { try await discover(nil) }

    private func discover(_ infos: [CKUserIdentity.LookupInfo]?) async throws -> [CKUserIdentity] {
        let members: Value = infos.map { ["lookupInfos": .array($0.map(\.wire))] } ?? .empty
        let answer = try await publicCloudDatabase.link.ask("ck.discover", members)
        return (answer["users"]?.array ?? []).map(CKUserIdentity.init(wire:))
    }
}
