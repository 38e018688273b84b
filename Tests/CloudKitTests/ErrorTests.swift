import CloudKit
import Testing

@Suite("CKError", .timeLimit(.minutes(20))) struct CKErrorTests {
    @Test("An error that an app makes says what one of the server's says, from its user info")
    func made() {
        let (mine, theirs) = (CKRecord(recordType: "Note"), CKRecord(recordType: "Note"))
        let changed = CKError(
            .serverRecordChanged,
            userInfo: [
                CKRecordChangedErrorClientRecordKey: mine, CKRecordChangedErrorServerRecordKey: theirs,
                CKRecordChangedErrorAncestorRecordKey: mine,
            ])
        #expect(changed.clientRecord === mine && changed.serverRecord === theirs && changed.ancestorRecord === mine)
        for seconds in [3, 3.0, NSNumber(value: 3)] as [Any] {
            #expect(CKError(.zoneBusy, userInfo: [CKErrorRetryAfterKey: seconds]).retryAfterSeconds == 3)
        }
        let id = CKRecord.ID(recordName: "n1")
        let partial = CKError(
            .partialFailure, userInfo: [CKPartialErrorsByItemIDKey: [id: changed] as [AnyHashable: any Error]])
        #expect((partial.partialErrorsByItemID?[id] as? CKError)?.code == .serverRecordChanged)
        #expect(CKError(.zoneNotFound).retryAfterSeconds == nil && CKError(.zoneNotFound).partialErrorsByItemID == nil)
        #expect(CKError(.zoneNotFound, userInfo: [CKErrorUserDidResetEncryptedDataKey: true]).isUserEncryptedDataReset)
    }

    @Test("To and from NSError: domain, number, user info")
    func nsError() {
        let error = CKError(.quotaExceeded, userInfo: [NSLocalizedDescriptionKey: "full", CKErrorRetryAfterKey: 5])
        let foreign = error as NSError
        #expect(foreign.domain == CKErrorDomain && foreign.code == 25 && CKError.errorDomain == CKErrorDomain)
        #expect(foreign.userInfo[CKErrorRetryAfterKey] as? Int == 5)
        let back = CKError(_nsError: NSError(domain: CKErrorDomain, code: 25, userInfo: error.userInfo))
        #expect(back == error && back.retryAfterSeconds == 5 && back.errorCode == CKError.quotaExceeded.rawValue)
        #expect(CKError(_nsError: NSError(domain: CKErrorDomain, code: 999)).code == .internalError)
    }

    @Test("Caught by code, and by its short name")
    func caught() {
        func kind(_ error: any Error) -> String {
            do { throw error } catch CKError.zoneNotFound { return "zone" } catch let error as CKError
                where error.code == .limitExceeded
            { return "limit" } catch { return "other" }
        }
        #expect(kind(CKError(.zoneNotFound)) == "zone" && kind(CKError(.limitExceeded)) == "limit")
        #expect(kind(CKError(.zoneBusy)) == "other" && kind(CocoaError(.fileNoSuchFile)) == "other")
    }

    @Test("Every code has its short name")
    func shortNames() {
        let names: [CKError.Code] = [
            CKError.internalError, CKError.partialFailure, CKError.networkUnavailable, CKError.networkFailure,
            CKError.badContainer, CKError.serviceUnavailable, CKError.requestRateLimited, CKError.missingEntitlement,
            CKError.notAuthenticated, CKError.permissionFailure, CKError.unknownItem, CKError.invalidArguments,
            CKError.resultsTruncated, CKError.serverRecordChanged, CKError.serverRejectedRequest,
            CKError.assetFileNotFound, CKError.assetFileModified, CKError.incompatibleVersion,
            CKError.constraintViolation, CKError.operationCancelled, CKError.changeTokenExpired,
            CKError.batchRequestFailed, CKError.zoneBusy, CKError.badDatabase, CKError.quotaExceeded,
            CKError.zoneNotFound, CKError.limitExceeded, CKError.userDeletedZone, CKError.tooManyParticipants,
            CKError.alreadyShared, CKError.referenceViolation, CKError.managedAccountRestricted,
            CKError.participantMayNeedVerification, CKError.serverResponseLost, CKError.assetNotAvailable,
            CKError.accountTemporarilyUnavailable, CKError.participantAlreadyInvited,
        ]
        #expect(names == CKError.Code.allCases)
    }
}
