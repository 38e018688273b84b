// swift-format-ignore-file: AlwaysUseLowerCamelCase

import Foundation
import PadApp

public let CKErrorDomain = "CKErrorDomain"
public let CKErrorRetryAfterKey = "CKRetryAfter"
public let CKPartialErrorsByItemIDKey = "CKPartialErrors"
public let CKRecordChangedErrorServerRecordKey = "ServerRecord"
public let CKRecordChangedErrorClientRecordKey = "ClientRecord"
public let CKRecordChangedErrorAncestorRecordKey = "AncestorRecord"
public let CKErrorUserDidResetEncryptedDataKey = "CKErrorUserDidResetEncryptedData"

/// A failure of CloudKit (cloudkit-framework.md 13). Any of them may carry `retryAfterSeconds`: its presence is the sign that
/// a retry makes sense.
public struct CKError: Error, CustomNSError, LocalizedError, @unchecked Sendable {
    /// Raw values are Apple's.
    public enum Code: Int, Hashable, Sendable, CaseIterable {
        case internalError = 1
        case partialFailure, networkUnavailable, networkFailure, badContainer, serviceUnavailable, requestRateLimited
        case missingEntitlement, notAuthenticated, permissionFailure, unknownItem, invalidArguments, resultsTruncated
        case serverRecordChanged, serverRejectedRequest, assetFileNotFound, assetFileModified, incompatibleVersion
        case constraintViolation, operationCancelled, changeTokenExpired, batchRequestFailed, zoneBusy, badDatabase
        case quotaExceeded, zoneNotFound, limitExceeded, userDeletedZone, tooManyParticipants, alreadyShared
        case referenceViolation, managedAccountRestricted, participantMayNeedVerification, serverResponseLost
        case assetNotAvailable, accountTemporarilyUnavailable, participantAlreadyInvited
    }

    public let code: Code
    /// What happened, then what to do.
    public let message: String
    public internal(set) var retryAfterSeconds: Double?
    /// The server's copy, for `serverRecordChanged`: merge into this one and save it.
    public internal(set) var serverRecord: CKRecord?
    /// The copy that was to be saved.
    public internal(set) var clientRecord: CKRecord?
    /// What the app's copy was before the app changed it: what both have in common.
    public internal(set) var ancestorRecord: CKRecord?
    /// For `zoneNotFound`: the person reset the keys of encrypted data, and the zone went with them.
    public internal(set) var isUserEncryptedDataReset = false
    /// For `partialFailure`: errors by `CKRecord.ID` or `CKRecordZone.ID`.
    public internal(set) var partialErrorsByItemID: [AnyHashable: any Error]?

    public init(_ code: Code, message: String = "") {
        self.code = code
        self.message = message
    }

    public static var errorDomain: String { CKErrorDomain }
    public var errorCode: Int { code.rawValue }
    public var errorUserInfo: [String: Any] {
        var info: [String: Any] = [NSLocalizedDescriptionKey: message]
        info[CKErrorRetryAfterKey] = retryAfterSeconds
        info[CKRecordChangedErrorServerRecordKey] = serverRecord
        info[CKRecordChangedErrorClientRecordKey] = clientRecord
        info[CKRecordChangedErrorAncestorRecordKey] = ancestorRecord
        if isUserEncryptedDataReset { info[CKErrorUserDidResetEncryptedDataKey] = true }
        info[CKPartialErrorsByItemIDKey] = partialErrorsByItemID
        return info
    }
    public var userInfo: [String: Any] { errorUserInfo }
    public var errorDescription: String? { "\(code): \(message)" }

    /// The error of a local-link answer. What the daemon calls malformed was not understood: the app's arguments are at fault.
    init(link error: Value, client: CKRecord? = nil, zoneID: CKRecordZone.ID = .default) {
        let isCloudKit = error["domain"]?.string == CKErrorDomain
        let raw = error["code"]?.int.flatMap { Int(exactly: $0) }.flatMap(Code.init)
        self.init(isCloudKit ? raw ?? .internalError : .invalidArguments, message: error["message"]?.string ?? "")
        retryAfterSeconds = error["retryAfter"]?.double
        serverRecord = error["serverRecord"].flatMap { CKRecord(wire: $0, zoneID: zoneID) }
        isUserEncryptedDataReset = error["encryptedDataReset"]?.bool ?? false
        if code == .serverRecordChanged {
            clientRecord = client
            ancestorRecord = client?.ancestor
        }
    }
    /// Several items failed, each for its own reason.
    static func partial(_ errors: [AnyHashable: any Error]) -> CKError {
        var error = CKError(.partialFailure, message: "\(errors.count) items failed; look at partialErrorsByItemID")
        error.partialErrorsByItemID = errors
        return error
    }
}

/// `catch CKError.zoneNotFound`, as with Apple's.
public func ~= (code: CKError.Code, error: any Error) -> Bool { (error as? CKError)?.code == code }

extension CKError {
    public static var partialFailure: Code { .partialFailure }
    public static var networkUnavailable: Code { .networkUnavailable }
    public static var networkFailure: Code { .networkFailure }
    public static var serviceUnavailable: Code { .serviceUnavailable }
    public static var requestRateLimited: Code { .requestRateLimited }
    public static var notAuthenticated: Code { .notAuthenticated }
    public static var permissionFailure: Code { .permissionFailure }
    public static var unknownItem: Code { .unknownItem }
    public static var invalidArguments: Code { .invalidArguments }
    public static var serverRecordChanged: Code { .serverRecordChanged }
    public static var changeTokenExpired: Code { .changeTokenExpired }
    public static var batchRequestFailed: Code { .batchRequestFailed }
    public static var zoneBusy: Code { .zoneBusy }
    public static var quotaExceeded: Code { .quotaExceeded }
    public static var assetNotAvailable: Code { .assetNotAvailable }
    public static var managedAccountRestricted: Code { .managedAccountRestricted }
    public static var serverResponseLost: Code { .serverResponseLost }
    public static var zoneNotFound: Code { .zoneNotFound }
    public static var limitExceeded: Code { .limitExceeded }
    public static var userDeletedZone: Code { .userDeletedZone }
    public static var accountTemporarilyUnavailable: Code { .accountTemporarilyUnavailable }
}
