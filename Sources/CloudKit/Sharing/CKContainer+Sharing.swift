import Foundation

/// All of it is refused: sharing is not modelled.
extension CKContainer {
    @discardableResult public func accept(_ metadata: CKShare.Metadata) async throws -> CKShare {
        throw Sharing.refusal
    }
    public func accept(
        _ metadatas: [CKShare.Metadata]
    ) async throws -> [CKShare.Metadata: Result<CKShare, any Error>] { throw Sharing.refusal }
    public func shareMetadata(for url: URL) async throws -> CKShare.Metadata { throw Sharing.refusal }
    public func shareMetadatas(for urls: [URL]) async throws -> [URL: Result<CKShare.Metadata, any Error>] {
        throw Sharing.refusal
    }
    public func shareParticipant(forEmailAddress email: String) async throws -> CKShare.Participant {
        throw Sharing.refusal
    }
    public func shareParticipant(forPhoneNumber phoneNumber: String) async throws -> CKShare.Participant {
        throw Sharing.refusal
    }
    public func shareParticipant(forUserRecordID userRecordID: CKRecord.ID) async throws -> CKShare.Participant {
        throw Sharing.refusal
    }
    public func shareParticipants(
        for lookupInfos: [CKUserIdentity.LookupInfo]
    ) async throws -> [CKUserIdentity.LookupInfo: Result<CKShare.Participant, any Error>] { throw Sharing.refusal }
    public func shareParticipants(
        forEmailAddresses emails: [String]
    ) async throws -> [String: Result<CKShare.Participant, any Error>] { throw Sharing.refusal }

    @preconcurrency public func accept(
        _ metadata: CKShare.Metadata, completionHandler: @escaping @Sendable (CKShare?, (any Error)?) -> Void
    ) { Completion.call(completionHandler) { try await self.accept(metadata) } }
    @preconcurrency public func fetchShareMetadata(
        with url: URL, completionHandler: @escaping @Sendable (CKShare.Metadata?, (any Error)?) -> Void
    ) { Completion.call(completionHandler) { try await self.shareMetadata(for: url) } }
    @preconcurrency public func fetchShareParticipant(
        withEmailAddress email: String,
        completionHandler: @escaping @Sendable (CKShare.Participant?, (any Error)?) -> Void
    ) { Completion.call(completionHandler) { try await self.shareParticipant(forEmailAddress: email) } }
    @preconcurrency public func fetchShareParticipant(
        withPhoneNumber phoneNumber: String,
        completionHandler: @escaping @Sendable (CKShare.Participant?, (any Error)?) -> Void
    ) { Completion.call(completionHandler) { try await self.shareParticipant(forPhoneNumber: phoneNumber) } }
    @preconcurrency public func fetchShareParticipant(
        withUserRecordID userRecordID: CKRecord.ID,
        completionHandler: @escaping @Sendable (CKShare.Participant?, (any Error)?) -> Void
    ) { Completion.call(completionHandler) { try await self.shareParticipant(forUserRecordID: userRecordID) } }
}
