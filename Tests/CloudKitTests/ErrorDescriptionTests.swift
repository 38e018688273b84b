import Testing

@testable import CloudKit

@Suite("Errors as text", .timeLimit(.minutes(20))) struct ErrorDescriptionTests {
    @Test(
        "CKError: number, name, what happened; of several items each by its name, in their order; no fields that are empty"
    )
    func text() {
        #expect("\(CKError(.serverRecordChanged, message: "fetch it"))" == "CKError 14 (serverRecordChanged): fetch it")
        var busy = CKError(.requestRateLimited)
        busy.retryAfterSeconds = 3
        #expect("\(busy)" == "CKError 7 (requestRateLimited); try again after 3.0 s")
        let partial = CKError.partial([
            CKRecord.ID(recordName: "note-2"): CKError(.unknownItem), CKRecord.ID(recordName: "note-1"): busy,
        ])
        #expect(
            "\(partial)"
                == "CKError 2 (partialFailure): 2 items failed; look at partialErrorsByItemID [note-1: \(busy); note-2: CKError 11 (unknownItem)]"
        )
    }
}
