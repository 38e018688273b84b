import CloudKit
import Ubiquity

/// Where a page lies for this person.
struct PageHome: Sendable {
    /// Types of the records of a page, and of the links that all find in the public database.
    static let (type, linkType) = ("Page", "PageLink")
    /// Name of the one record in a page's zone.
    static let recordName = "page"

    var zoneID: CKRecordZone.ID
    var isMine: Bool
}

/// Finds where a page lies: by its link, taking part in it if need be, or by making it when nobody has.
///
/// Of two who make the page at once, one comes first with the link; the other takes the empty zone away again and joins.
final class PageFinder: @unchecked Sendable {
    typealias Found = @Sendable (Result<PageHome, any Error>) -> Void
    private let container: CKContainer
    private let page: String
    private let completion: Found

    init(_ container: CKContainer, _ page: String, _ completion: @escaping Found) {
        (self.container, self.page, self.completion) = (container, page, completion)
    }
    private var link: CKRecord.ID { CKRecord.ID(recordName: page) }
    private var zoneID: CKRecordZone.ID { CKRecordZone.ID(zoneName: page) }
    private var root: CKRecord.ID { CKRecord.ID(recordName: PageHome.recordName, zoneID: zoneID) }
    private func fail(_ error: (any Error)?) { completion(.failure(error ?? Refusal("\(page): no answer"))) }

    func run() {
        container.publicCloudDatabase.fetch(withRecordID: link) { record, error in
            if let record { return self.open(record["url"] as? String ?? "") }
            guard let error, CKError.unknownItem ~= error else { return self.fail(error) }
            self.make()
        }
    }

    // MARK: Somebody's page

    private func open(_ text: String) {
        guard let url = URL(string: text) else { return fail(Refusal("\(page): its link is damaged")) }
        container.fetchShareMetadata(with: url) { metadata, error in
            guard let metadata else { return self.fail(error) }
            let home = PageHome(zoneID: metadata.share.recordID.zoneID, isMine: metadata.participantRole == .owner)
            if home.isMine || metadata.participantStatus == .accepted { return self.completion(.success(home)) }
            self.accept(metadata, home)
        }
    }
    private func accept(_ metadata: CKShare.Metadata, _ home: PageHome) {
        let operation = CKAcceptSharesOperation(shareMetadatas: [metadata])
        operation.acceptSharesResultBlock = { result in
            switch result {
            case .success: self.completion(.success(home))
            case .failure(let error): self.fail((error as? CKError)?.partialErrorsByItemID?.values.first ?? error)
            }
        }
        container.add(operation)
    }

    // MARK: A new page

    private func make() {
        container.privateCloudDatabase.save(CKRecordZone(zoneID: zoneID)) { zone, error in
            guard zone != nil else { return self.fail(error) }
            self.share(CKRecord(recordType: PageHome.type, recordID: self.root))
        }
    }
    /// Root and share are saved together.
    private func share(_ record: CKRecord) {
        let share = CKShare(rootRecord: record)
        share[CKShare.SystemFieldKey.title] = page
        share.publicPermission = .readWrite
        let operation = CKModifyRecordsOperation(recordsToSave: [record, share])
        var saved: CKShare?
        operation.perRecordSaveBlock = { _, result in
            if let found = (try? result.get()) as? CKShare { saved = found }
        }
        operation.modifyRecordsResultBlock = { result in
            switch result {
            case .success: self.publish(saved)
            // The person's other iPad was first, or an earlier try whose answer was lost.
            case .failure(let error) where (error as? CKError)?.code == .partialFailure: self.look()
            case .failure(let error): self.fail(error)
            }
        }
        container.privateCloudDatabase.add(operation)
    }
    private func look() {
        let database = container.privateCloudDatabase
        database.fetch(withRecordID: root) { record, error in
            guard let record else { return self.fail(error) }
            guard let id = record.share?.recordID else { return self.share(record) }
            database.fetch(withRecordID: id) { share, error in
                guard let share = share as? CKShare else { return self.fail(error) }
                self.publish(share)
            }
        }
    }
    private func publish(_ share: CKShare?) {
        guard let url = share?.url?.absoluteString else { return fail(Refusal("\(page): the share has no link")) }
        let record = CKRecord(recordType: PageHome.linkType, recordID: link)
        record["url"] = url
        container.publicCloudDatabase.save(record) { saved, error in
            if saved != nil { return self.completion(.success(PageHome(zoneID: self.zoneID, isMine: true))) }
            guard let error = error as? CKError, error.code == .serverRecordChanged,
                let theirs = error.serverRecord?["url"] as? String
            else { return self.fail(error) }
            guard theirs != url else { return self.open(theirs) }
            self.container.privateCloudDatabase.delete(withRecordZoneID: self.zoneID) { _, _ in self.open(theirs) }
        }
    }
}
