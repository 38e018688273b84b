import Foundation

/// What people may choose when they share. There is no sharing interface; the options are kept for the app. Raw values are Apple's.
public final class CKAllowedSharingOptions: NSObject, NSCopying, @unchecked Sendable {
    public var allowedParticipantPermissionOptions: CKSharingParticipantPermissionOption
    public var allowedParticipantAccessOptions: CKSharingParticipantAccessOption
    public var allowsParticipantsToInviteOthers = false
    public var allowsAccessRequests = false

    public init(
        allowedParticipantPermissionOptions: CKSharingParticipantPermissionOption,
        allowedParticipantAccessOptions: CKSharingParticipantAccessOption
    ) {
        self.allowedParticipantPermissionOptions = allowedParticipantPermissionOptions
        self.allowedParticipantAccessOptions = allowedParticipantAccessOptions
    }
    public static var standard: CKAllowedSharingOptions {
        CKAllowedSharingOptions(allowedParticipantPermissionOptions: .any, allowedParticipantAccessOptions: .any)
    }
    public override var hash: Int { Int(allowedParticipantPermissionOptions.rawValue) }
    public override var description: String { "<CKAllowedSharingOptions>" }
    public func copy(with zone: NSZone? = nil) -> Any {
        let copy = CKAllowedSharingOptions(
            allowedParticipantPermissionOptions: allowedParticipantPermissionOptions,
            allowedParticipantAccessOptions: allowedParticipantAccessOptions)
        copy.allowsParticipantsToInviteOthers = allowsParticipantsToInviteOthers
        copy.allowsAccessRequests = allowsAccessRequests
        return copy
    }
}

public struct CKSharingParticipantAccessOption: OptionSet, Hashable, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let anyoneWithLink = CKSharingParticipantAccessOption(rawValue: 1)
    public static let specifiedRecipientsOnly = CKSharingParticipantAccessOption(rawValue: 2)
    public static let any: CKSharingParticipantAccessOption = [.anyoneWithLink, .specifiedRecipientsOnly]
}
public struct CKSharingParticipantPermissionOption: OptionSet, Hashable, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let readOnly = CKSharingParticipantPermissionOption(rawValue: 1)
    public static let readWrite = CKSharingParticipantPermissionOption(rawValue: 2)
    public static let any: CKSharingParticipantPermissionOption = [.readOnly, .readWrite]
}

@available(*, unavailable, message: "there is no system interface for sharing on these iPads: leave the observer out")
public enum CKSystemSharingUIObserver {}
@available(*, unavailable, message: "there is no system interface for sharing on these iPads: leave the transfer out")
public enum CKShareTransferRepresentation {}
