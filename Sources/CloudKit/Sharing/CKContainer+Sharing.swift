import Foundation
import PadApp

/// Sharing with people: links, invitations, acceptance (cloudkit-framework.md 16).
extension CKContainer {
    /// Accepts one share; from then on its zone is in the shared database.
    /// - Throws: `unknownItem` for a share that is gone, `permissionFailure` or `participantMayNeedVerification` when the person is not invited.
    @discardableResult public func accept(_ metadata: CKShare.Metadata) async throws -> CKShare {
        guard let result = try await accept([metadata])[metadata] else { throw Self.noAnswer }
        return try result.get()
    }
    public func accept(
        _ metadatas: [CKShare.Metadata]
    ) async throws -> [CKShare.Metadata: Result<CKShare, any Error>] {
        try await accept(metadatas, by: publicCloudDatabase.link)
    }
    func accept(
        _ metadatas: [CKShare.Metadata], by link: CloudLink
    ) async throws -> [CKShare.Metadata: Result<CKShare, any Error>] {
        guard !metadatas.isEmpty else { return [:] }
        let found = try await Self.shares(
            RecordMessages.AcceptShares.name, ["guids": .strings(metadatas.map(\.guid))], by: link)
        return Dictionary(
            metadatas.map { ($0, (found[$0.guid] ?? .failure(Self.noAnswer)).map(\.share)) },
            uniquingKeysWith: { first, _ in first })
    }

    /// What a link leads to.
    /// - Throws: as `accept`; `invalidArguments` for what is no link to a share.
    public func shareMetadata(for url: URL) async throws -> CKShare.Metadata {
        guard let result = try await shareMetadatas(for: [url])[url] else { throw Self.noAnswer }
        return try result.get()
    }
    public func shareMetadatas(for urls: [URL]) async throws -> [URL: Result<CKShare.Metadata, any Error>] {
        try await metadatas(of: urls, root: false, keys: nil, by: publicCloudDatabase.link)
    }
    func metadatas(
        of urls: [URL], root: Bool, keys: [CKRecord.FieldKey]?, by link: CloudLink
    ) async throws -> [URL: Result<CKShare.Metadata, any Error>] {
        let guids = urls.compactMap(ShareLink.guid)
        var members: Value = ["guids": .strings(guids)]
        if root { members["root"] = true }
        members["rootKeys"] = keys.map(Value.strings)
        let found = guids.isEmpty ? [:] : try await Self.shares(RecordMessages.ShareMetadata.name, members, by: link)
        var results: [URL: Result<CKShare.Metadata, any Error>] = [:]
        for url in urls {
            let guid = ShareLink.guid(of: url)
            results[url] =
                guid.map { found[$0] ?? .failure(Self.noAnswer) }
                ?? .failure(CKError(.invalidArguments, message: "\(url) is no link to a share"))
        }
        return results
    }
    private static func shares(
        _ name: String, _ members: Value, by link: CloudLink
    ) async throws -> [String: Result<CKShare.Metadata, any Error>] {
        let answer = try await link.ask(name, members)
        var results: [String: Result<CKShare.Metadata, any Error>] = [:]
        for wire in answer["shares"]?.array ?? [] {
            if let metadata = CKShare.Metadata(wire: wire) { results[metadata.guid] = .success(metadata) }
        }
        for pair in answer["errors"]?.object?.pairs ?? [] { results[pair.key] = .failure(CKError(link: pair.value)) }
        return results
    }
    private static var noAnswer: CKError { CKError(.internalError, message: "there is no answer for the share") }

    // MARK: People to share with

    public func shareParticipant(forEmailAddress email: String) async throws -> CKShare.Participant {
        try await participant(CKUserIdentity.LookupInfo(emailAddress: email))
    }
    public func shareParticipant(forPhoneNumber phoneNumber: String) async throws -> CKShare.Participant {
        try await participant(CKUserIdentity.LookupInfo(phoneNumber: phoneNumber))
    }
    public func shareParticipant(forUserRecordID userRecordID: CKRecord.ID) async throws -> CKShare.Participant {
        try await participant(CKUserIdentity.LookupInfo(userRecordID: userRecordID))
    }
    public func shareParticipants(
        for lookupInfos: [CKUserIdentity.LookupInfo]
    ) async throws -> [CKUserIdentity.LookupInfo: Result<CKShare.Participant, any Error>] {
        let found = try await participants(lookupInfos, by: publicCloudDatabase.link)
        return Dictionary(
            zip(lookupInfos, found.map { .success($0) }), uniquingKeysWith: { first, _ in first })
    }
    public func shareParticipants(
        forEmailAddresses emails: [String]
    ) async throws -> [String: Result<CKShare.Participant, any Error>] {
        let infos = CKUserIdentity.LookupInfo.lookupInfos(withEmails: emails)
        let found = try await participants(infos, by: publicCloudDatabase.link)
        return Dictionary(zip(emails, found.map { .success($0) }), uniquingKeysWith: { first, _ in first })
    }
    private func participant(_ info: CKUserIdentity.LookupInfo) async throws -> CKShare.Participant {
        guard let found = try await participants([info], by: publicCloudDatabase.link).first else {
            throw Self.noAnswer
        }
        return found
    }
    /// One for each info, in their order. Who may not be found is invited all the same, known by the address alone: whether it is
    /// somebody's is not told (ASSUMED: Apple tells whether there is an account).
    func participants(
        _ infos: [CKUserIdentity.LookupInfo], by link: CloudLink
    ) async throws -> [CKShare.Participant] {
        guard !infos.isEmpty else { return [] }
        let answer = try await link.ask(RecordMessages.Discover.name, ["lookupInfos": .array(infos.map(\.wire))])
        let known = (answer["users"]?.array ?? []).map(CKUserIdentity.init(wire:))
        return infos.map { info in
            CKShare.Participant(known.first { $0.lookupInfo == info } ?? CKUserIdentity(invited: info))
        }
    }

    // MARK: Completion handlers

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
