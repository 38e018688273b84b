import Foundation

/// Accepts shares: from then on their zones are in the person's shared database. To accept one twice is no error.
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
        Task {
            var outcome = OperationOutcome()
            do {
                let metadatas = shareMetadatas ?? []
                let results = try await (settings.container ?? .default()).accept(metadatas, by: containerLink)
                for metadata in metadatas where !isCancelled {
                    guard let result = results[metadata] else { continue }
                    outcome.add(metadata, result)
                    perShareResultBlock?(metadata, result)
                    perShareCompletionBlock?(metadata, result.parts.value, result.parts.error)
                }
            } catch { outcome.fail(error) }
            finish {
                acceptSharesResultBlock?(outcome.result(of: self))
                acceptSharesCompletionBlock?(outcome.error(of: self))
            }
        }
    }
}

/// Finds what links lead to.
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
        Task {
            var outcome = OperationOutcome()
            do {
                let urls = shareURLs ?? []
                let keys = shouldFetchRootRecord ? rootRecordDesiredKeys : nil
                let results = try await (settings.container ?? .default()).metadatas(
                    of: urls, root: shouldFetchRootRecord, keys: keys, by: containerLink)
                for url in urls where !isCancelled {
                    guard let result = results[url] else { continue }
                    outcome.add(url, result)
                    perShareMetadataResultBlock?(url, result)
                    perShareMetadataBlock?(url, result.parts.value, result.parts.error)
                }
            } catch { outcome.fail(error) }
            finish {
                fetchShareMetadataResultBlock?(outcome.result(of: self))
                fetchShareMetadataCompletionBlock?(outcome.error(of: self))
            }
        }
    }
}

/// Finds people to share with.
open class CKFetchShareParticipantsOperation: CKOperation, @unchecked Sendable {
    public var userIdentityLookupInfos: [CKUserIdentity.LookupInfo]?
    public var perShareParticipantResultBlock:
        ((CKUserIdentity.LookupInfo, Result<CKShare.Participant, any Error>) -> Void)?
    public var fetchShareParticipantsResultBlock: ((Result<Void, any Error>) -> Void)?
    /// Older forms of the two.
    public var shareParticipantFetchedBlock: ((CKShare.Participant) -> Void)?
    public var fetchShareParticipantsCompletionBlock: (((any Error)?) -> Void)?

    public override init() { super.init() }
    public convenience init(userIdentityLookupInfos: [CKUserIdentity.LookupInfo]) {
        self.init()
        self.userIdentityLookupInfos = userIdentityLookupInfos
    }
    override func begin() {
        Task {
            var outcome = OperationOutcome()
            do {
                let infos = userIdentityLookupInfos ?? []
                let found = try await (settings.container ?? .default()).participants(infos, by: containerLink)
                for (info, participant) in zip(infos, found) where !isCancelled {
                    perShareParticipantResultBlock?(info, .success(participant))
                    shareParticipantFetchedBlock?(participant)
                }
            } catch { outcome.fail(error) }
            finish {
                fetchShareParticipantsResultBlock?(outcome.result(of: self))
                fetchShareParticipantsCompletionBlock?(outcome.error(of: self))
            }
        }
    }
}

extension CKOperation {
    /// The way to the daemon of an operation that is no database's, with what counts for it.
    fileprivate var containerLink: CloudLink {
        var link = (settings.container ?? .default()).publicCloudDatabase.link
        link.settings = settings.members
        link.requests = requests
        return link
    }
}
