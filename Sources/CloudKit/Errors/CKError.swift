// swift-format-ignore-file: AlwaysUseLowerCamelCase

import Foundation
import PadApp

/// The domain of CloudKit's errors as `NSError`s.
public let CKErrorDomain = "CKErrorDomain"
/// Key of `retryAfterSeconds`, a number.
public let CKErrorRetryAfterKey = "CKRetryAfter"
/// Key of `partialErrorsByItemID`.
public let CKPartialErrorsByItemIDKey = "CKPartialErrors"
/// Key of `serverRecord`.
public let CKRecordChangedErrorServerRecordKey = "ServerRecord"
/// Key of `clientRecord`.
public let CKRecordChangedErrorClientRecordKey = "ClientRecord"
/// Key of `ancestorRecord`.
public let CKRecordChangedErrorAncestorRecordKey = "AncestorRecord"
/// Key of `isUserEncryptedDataReset`, a Boolean.
public let CKErrorUserDidResetEncryptedDataKey = "CKErrorUserDidResetEncryptedData"

/// A failure of CloudKit (cloudkit-framework.md 13). Any of them may carry `retryAfterSeconds`: its presence is the sign that
/// a retry makes sense.
///
/// What it says beyond its code is in `userInfo`, under Apple's keys; the properties read it from there. So an error that an app makes for
/// its own tests says the same as one that came from the server.
public struct CKError: Error, CustomNSError, LocalizedError, Hashable, @unchecked Sendable {
    /// Raw values are Apple's.
    public enum Code: Int, Hashable, Sendable, CaseIterable {
        /// What each code means, and whether the request may have been done, stands at its short name: `CKError.internalError` and its
        /// like.
        case internalError = 1
        /// 2 to 7: some items failed, no network, a broken connection, a wrong container, not now, not so often.
        case partialFailure, networkUnavailable, networkFailure, badContainer, serviceUnavailable, requestRateLimited
        /// 8 to 13: the entitlement, the account, the permission, no such item, the arguments, too many results.
        case missingEntitlement, notAuthenticated, permissionFailure, unknownItem, invalidArguments, resultsTruncated
        /// 14 to 18: a newer record at the server, a refusal, the asset's file (twice), an old app.
        case serverRecordChanged, serverRejectedRequest, assetFileNotFound, assetFileModified, incompatibleVersion
        /// 19 to 24: a unique field, cancelled, an old token, another item of the batch, a busy zone, no such database.
        case constraintViolation, operationCancelled, changeTokenExpired, batchRequestFailed, zoneBusy, badDatabase
        /// 25 to 30: no space, no such zone, too much at once, a zone that the person erased, sharing (twice).
        case quotaExceeded, zoneNotFound, limitExceeded, userDeletedZone, tooManyParticipants, alreadyShared
        /// 31 to 34: a reference, the organisation, sharing, an answer that did not come.
        case referenceViolation, managedAccountRestricted, participantMayNeedVerification, serverResponseLost
        /// 35 to 37: the asset's file, an account that is not ready, sharing.
        case assetNotAvailable, accountTemporarilyUnavailable, participantAlreadyInvited
    }

    /// What kind of failure it is; see the short names (`CKError+Codes.swift`).
    public let code: Code
    /// What the error says beyond its code, under Apple's keys.
    public private(set) var userInfo: [String: Any]

    /// An error made by hand, as for an app's own tests.
    public init(_ code: Code, userInfo: [String: Any] = [:]) {
        self.code = code
        self.userInfo = userInfo
    }
    /// - Parameter message: what happened, then what to do.
    init(_ code: Code, message: String) { self.init(code, userInfo: [NSLocalizedDescriptionKey: message]) }
    /// The error that an `NSError` of CloudKit's domain stands for. A number that CloudKit has not is `internalError`.
    public init(_nsError error: NSError) {
        self.init(Code(rawValue: error.code) ?? .internalError, userInfo: error.userInfo)
    }

    /// `CKErrorDomain`.
    public static var errorDomain: String { CKErrorDomain }
    /// Apple's number of the code.
    public var errorCode: Int { code.rawValue }
    /// `userInfo`, for those who see an `NSError`.
    public var errorUserInfo: [String: Any] { userInfo }
    /// Code and message, for logs.
    public var errorDescription: String? { "\(code): \(message)" }
    /// What happened, then what to do; empty when nobody said.
    public var message: String { userInfo[NSLocalizedDescriptionKey] as? String ?? "" }

    /// For retries: seconds to wait first.
    public internal(set) var retryAfterSeconds: Double? {
        get { (userInfo[CKErrorRetryAfterKey] as? NSNumber)?.doubleValue }
        set { userInfo[CKErrorRetryAfterKey] = newValue }
    }
    /// The server's copy, for `serverRecordChanged`: merge into this one and save it.
    public var serverRecord: CKRecord? { userInfo[CKRecordChangedErrorServerRecordKey] as? CKRecord }
    /// The copy that was to be saved.
    public var clientRecord: CKRecord? { userInfo[CKRecordChangedErrorClientRecordKey] as? CKRecord }
    /// What the app's copy was before the app changed it: what both have in common.
    public var ancestorRecord: CKRecord? { userInfo[CKRecordChangedErrorAncestorRecordKey] as? CKRecord }
    /// For `zoneNotFound`: the person reset the keys of encrypted data, and the zone went with them.
    public var isUserEncryptedDataReset: Bool { userInfo[CKErrorUserDidResetEncryptedDataKey] as? Bool ?? false }
    /// For `partialFailure`: errors by `CKRecord.ID`, `CKRecordZone.ID` or `CKSubscription.ID`.
    public var partialErrorsByItemID: [AnyHashable: any Error]? {
        userInfo[CKPartialErrorsByItemIDKey] as? [AnyHashable: any Error]
    }

    /// Equal in code and message: what else they carry has no order.
    public static func == (a: CKError, b: CKError) -> Bool { a.code == b.code && a.message == b.message }
    /// Over what is compared.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(code)
        hasher.combine(message)
    }

    /// The error of a local-link answer. What the daemon calls malformed was not understood: the app's arguments are at fault.
    init(link error: Value, client: CKRecord? = nil, zoneID: CKRecordZone.ID = .default) {
        let isCloudKit = error["domain"]?.string == CKErrorDomain
        let raw = error["code"]?.int.flatMap { Int(exactly: $0) }.flatMap(Code.init)
        self.init(isCloudKit ? raw ?? .internalError : .invalidArguments, message: error["message"]?.string ?? "")
        userInfo[CKErrorRetryAfterKey] = error["retryAfter"]?.double
        userInfo[CKRecordChangedErrorServerRecordKey] = error["serverRecord"].flatMap {
            CKRecord.of(wire: $0, zoneID: zoneID)
        }
        if error["encryptedDataReset"]?.bool == true { userInfo[CKErrorUserDidResetEncryptedDataKey] = true }
        if code == .serverRecordChanged {
            userInfo[CKRecordChangedErrorClientRecordKey] = client
            userInfo[CKRecordChangedErrorAncestorRecordKey] = client?.ancestor
        }
    }
    /// Several items failed, each for its own reason.
    static func partial(_ errors: [AnyHashable: any Error]) -> CKError {
        CKError(
            .partialFailure,
            userInfo: [
                NSLocalizedDescriptionKey: "\(errors.count) items failed; look at partialErrorsByItemID",
                CKPartialErrorsByItemIDKey: errors,
            ])
    }
    /// Any error as one of CloudKit's: what Apple's interfaces promise to be one.
    init(_ error: any Error) { self = error as? CKError ?? CKError(.internalError, message: "\(error)") }
}

/// `catch CKError.zoneNotFound`, as with Apple's.
public func ~= (code: CKError.Code, error: any Error) -> Bool { (error as? CKError)?.code == code }
