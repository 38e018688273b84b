/// One table of error codes: meaning and certainty. `fail` only where the operation certainly did not happen: a checker may rely on it.
public enum ErrorTable {
    /// One code, with what it says about the operation.
    public struct Row: Hashable, Sendable {
        /// Apple's name of the case: `serverRecordChanged`.
        public var name: String
        /// CKError raw value, HTTP status or Cocoa code, by domain.
        public var code: Int
        /// `fail` where the operation certainly did not happen, `info` where nobody knows.
        public var outcome: Outcome
        /// What it means, and what to do, in a few words for reports.
        public var meaning: String
    }

    /// Every code of CKError (cloudkit-framework.md 13); Docs/local-link.md says which ones this testbed gives, and when.
    public static let cloudKit: [Row] = [
        Row(name: "internalError", code: 1, outcome: .info, meaning: "nonrecoverable client fault"),
        Row(name: "partialFailure", code: 2, outcome: .info, meaning: "some items failed; look at each"),
        Row(name: "networkUnavailable", code: 3, outcome: .fail, meaning: "no network; nothing was sent"),
        Row(
            name: "networkFailure", code: 4, outcome: .info, meaning: "the connection broke; the server may have acted"),
        Row(name: "badContainer", code: 5, outcome: .fail, meaning: "the container is not known"),
        Row(
            name: "serviceUnavailable", code: 6, outcome: .fail,
            meaning: "the server refused for now; retry after the hint"),
        Row(name: "requestRateLimited", code: 7, outcome: .fail, meaning: "throttled; retry after the hint"),
        Row(name: "missingEntitlement", code: 8, outcome: .fail, meaning: "the app has no entitlement for CloudKit"),
        Row(name: "notAuthenticated", code: 9, outcome: .fail, meaning: "no usable account"),
        Row(name: "permissionFailure", code: 10, outcome: .fail, meaning: "not allowed"),
        Row(name: "unknownItem", code: 11, outcome: .fail, meaning: "the record does not exist"),
        Row(name: "invalidArguments", code: 12, outcome: .fail, meaning: "the request is malformed"),
        Row(name: "resultsTruncated", code: 13, outcome: .info, meaning: "deprecated, never given"),
        Row(
            name: "serverRecordChanged", code: 14, outcome: .fail,
            meaning: "stale change tag; merge into the server's record"),
        Row(name: "serverRejectedRequest", code: 15, outcome: .fail, meaning: "refused"),
        Row(name: "assetFileNotFound", code: 16, outcome: .fail, meaning: "the asset's file is not there"),
        Row(name: "assetFileModified", code: 17, outcome: .fail, meaning: "the asset's file changed during the save"),
        Row(name: "incompatibleVersion", code: 18, outcome: .fail, meaning: "the app is older than allowed"),
        Row(name: "constraintViolation", code: 19, outcome: .fail, meaning: "a unique field clashes"),
        Row(name: "operationCancelled", code: 20, outcome: .info, meaning: "cancelled; the server may have acted"),
        Row(name: "changeTokenExpired", code: 21, outcome: .fail, meaning: "fetch again from nil"),
        Row(name: "batchRequestFailed", code: 22, outcome: .fail, meaning: "another item sank the atomic batch"),
        Row(name: "zoneBusy", code: 23, outcome: .fail, meaning: "contention; retry after the hint"),
        Row(name: "badDatabase", code: 24, outcome: .fail, meaning: "the wrong database for the call"),
        Row(name: "quotaExceeded", code: 25, outcome: .fail, meaning: "no space in the account"),
        Row(name: "zoneNotFound", code: 26, outcome: .fail, meaning: "the zone does not exist"),
        Row(name: "limitExceeded", code: 27, outcome: .fail, meaning: "too many items or bytes; split"),
        Row(name: "userDeletedZone", code: 28, outcome: .fail, meaning: "the person erased the zone"),
        Row(name: "tooManyParticipants", code: 29, outcome: .fail, meaning: "more people than a share may have"),
        Row(name: "alreadyShared", code: 30, outcome: .fail, meaning: "the record or a relative is shared already"),
        Row(name: "referenceViolation", code: 31, outcome: .fail, meaning: "a reference's target is missing"),
        Row(
            name: "managedAccountRestricted", code: 32, outcome: .fail,
            meaning: "the organisation does not let the account use it"),
        Row(
            name: "participantMayNeedVerification", code: 33, outcome: .fail,
            meaning: "the person must open the share's URL"),
        Row(
            name: "serverResponseLost", code: 34, outcome: .info,
            meaning: "the answer was lost; the server may have acted"),
        Row(name: "assetNotAvailable", code: 35, outcome: .fail, meaning: "the asset cannot be had"),
        Row(name: "accountTemporarilyUnavailable", code: 36, outcome: .fail, meaning: "the account is not ready"),
        Row(
            name: "participantAlreadyInvited", code: 37, outcome: .fail,
            meaning: "the person is invited and must accept"),
    ]

    /// The row of a CKError code; unknown codes are indefinite.
    public static func cloudKit(_ code: Int) -> Row {
        cloudKit.first { $0.code == code }
            ?? Row(name: "code\(code)", code: code, outcome: .info, meaning: "not in the table")
    }
}
