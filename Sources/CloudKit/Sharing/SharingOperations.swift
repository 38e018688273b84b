import Foundation

/// Accepts shares. Each one is refused: sharing is not modelled.
open class CKAcceptSharesOperation: CKOperation, @unchecked Sendable {
    public var shareMetadatas: [CKShare.Metadata]?
    public var perShareResultBlock: ((CKShare.Metadata, Result<CKShare, any Error>) -> Void)?
    public var acceptSharesResultBlock: ((Result<Void, any Error>) -> Void)?
    /// Older forms of the two.
    public var perShareCompletionBlock: ((CKShare.Metadata, CKShare?, (any Error)?) -> Void)?
    public var acceptSharesCompletionBlock: (((any Error)?) -> Void)?

    public override init() { super.init() }
    public convenience init(shareMetadatas: [CKShare.Metadata]) {
        self.init()
        self.shareMetadatas = shareMetadatas
    }
    override func begin() {
        finish {
            for metadata in shareMetadatas ?? [] {
                perShareResultBlock?(metadata, .failure(Sharing.refusal))
                perShareCompletionBlock?(metadata, nil, Sharing.refusal)
            }
            let outcome = OperationOutcome(Sharing.refusal)
            acceptSharesResultBlock?(outcome.result(of: self))
            acceptSharesCompletionBlock?(outcome.error(of: self))
        }
    }
}

/// Finds what links lead to. Each one is refused: sharing is not modelled.
open class CKFetchShareMetadataOperation: CKOperation, @unchecked Sendable {
    public var shareURLs: [URL]?
    public var shouldFetchRootRecord = false
    public var rootRecordDesiredKeys: [CKRecord.FieldKey]?
    public var perShareMetadataResultBlock: ((URL, Result<CKShare.Metadata, any Error>) -> Void)?
    public var fetchShareMetadataResultBlock: ((Result<Void, any Error>) -> Void)?
    /// Older forms of the two.
    public var perShareMetadataBlock: ((URL, CKShare.Metadata?, (any Error)?) -> Void)?
    public var fetchShareMetadataCompletionBlock: (((any Error)?) -> Void)?

    public override init() { super.init() }
    public convenience init(shareURLs: [URL]) {
        self.init()
        self.shareURLs = shareURLs
    }
    override func begin() {
        finish {
            for url in shareURLs ?? [] {
                perShareMetadataResultBlock?(url, .failure(Sharing.refusal))
                perShareMetadataBlock?(url, nil, Sharing.refusal)
            }
            let outcome = OperationOutcome(Sharing.refusal)
            fetchShareMetadataResultBlock?(outcome.result(of: self))
            fetchShareMetadataCompletionBlock?(outcome.error(of: self))
        }
    }
}

/// Finds people to share with. Each one is refused: sharing is not modelled.
open class CKFetchShareParticipantsOperation: CKOperation, @unchecked Sendable {
    public var userIdentityLookupInfos: [CKUserIdentity.LookupInfo]?
    public var perShareParticipantResultBlock:
        ((CKUserIdentity.LookupInfo, Result<CKShare.Participant, any Error>) -> Void)?
    public var fetchShareParticipantsResultBlock: ((Result<Void, any Error>) -> Void)?
    /// Older forms of the two; the first is never called, since nobody is found.
    public var shareParticipantFetchedBlock: ((CKShare.Participant) -> Void)?
    public var fetchShareParticipantsCompletionBlock: (((any Error)?) -> Void)?

    public override init() { super.init() }
    public convenience init(userIdentityLookupInfos: [CKUserIdentity.LookupInfo]) {
        self.init()
        self.userIdentityLookupInfos = userIdentityLookupInfos
    }
    override func begin() {
        finish {
            for info in userIdentityLookupInfos ?? [] {
                perShareParticipantResultBlock?(info, .failure(Sharing.refusal))
            }
            let outcome = OperationOutcome(Sharing.refusal)
            fetchShareParticipantsResultBlock?(outcome.result(of: self))
            fetchShareParticipantsCompletionBlock?(outcome.error(of: self))
        }
    }
}
