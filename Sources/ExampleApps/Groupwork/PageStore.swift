import CloudKit
import Ubiquity

/// The pages of one account: what of them is here, and what is done to them. All of it happens on one queue.
class PageStore: @unchecked Sendable {
    typealias Completion = @Sendable ((any Error)?) -> Void

    let queue = DispatchQueue(label: "com.example.groupwork.pages")
    let container = CKContainer.default()
    let account: String
    var shelf: PageShelf
    /// Everything was fetched since the app came to the screen or heard of a change.
    private var isUpToDate = false
    private var isFetching = false
    /// Who waits for the fetch that goes on, and who for the one after it.
    private var waiting: [@Sendable (Bool) -> Void] = []
    private var failures = 0
    private var wantsOut: [String] = []

    required init(account: String) {
        self.account = account
        shelf = PageShelf.load(account)
    }

    /// What the person sees: lines by page, and whether that is all.
    func read(_ completion: @escaping @Sendable ([String: [String]], Bool) -> Void) {
        queue.async { completion(self.shelf.pages, self.isUpToDate) }
    }
    /// Hears of changes in both databases; without it the pages are as old as the last look.
    func subscribe() {
        for database in [container.privateCloudDatabase, container.sharedCloudDatabase] {
            let all = CKDatabaseSubscription(subscriptionID: "pages-\(database.databaseScope.rawValue)")
            let info = CKSubscription.NotificationInfo()
            info.shouldSendContentAvailable = true
            all.notificationInfo = info
            database.save(all) { _, _ in }
        }
    }

    // MARK: Fetching

    /// Fetches, and tries again until it has everything.
    /// - Parameter wanted: pages that the person has left, of which this iPad may not know yet.
    func look(wanted: [String]) {
        queue.async {
            self.isUpToDate = false
            self.wantsOut = wanted
        }
        fetch { done in
            guard !done else { return }
            self.queue.asyncAfter(deadline: .now() + self.pause) { self.look(wanted: wanted) }
        }
    }
    private var pause: Double { Double(min(60, 1 << min(failures, 6))) }

    /// Fetches what has changed; `completion` says whether all came.
    func fetch(_ completion: @escaping @Sendable (Bool) -> Void) {
        queue.async {
            self.waiting.append(completion)
            self.fetchNext()
        }
    }
    private func fetchNext() {
        guard !isFetching, !waiting.isEmpty else { return }
        isFetching = true
        let told = waiting
        waiting = []
        let group = DispatchGroup()
        let outcome = Outcome()
        for database in [container.privateCloudDatabase, container.sharedCloudDatabase] {
            group.enter()
            PageFetch(self, database).run { done in
                if !done { outcome.isComplete = false }
                group.leave()
            }
        }
        group.notify(queue: queue) {
            self.isFetching = false
            self.failures = outcome.isComplete ? 0 : self.failures + 1
            self.isUpToDate = outcome.isComplete && self.waiting.isEmpty
            self.shelf.save(self.account)
            for completion in told { completion(outcome.isComplete) }
            self.goOut()
            self.fetchNext()
        }
    }
    private final class Outcome: @unchecked Sendable {
        var isComplete = true
    }
    /// What the person left on an iPad that could not finish it.
    private func goOut() {
        for page in wantsOut
        where shelf.zones.contains(where: { $0.page == page && $0.owner != CKCurrentUserDefaultName }) {
            leave(page) { _ in }
        }
        wantsOut = []
    }

    /// The service's newest text of a page; older ones may come after it.
    func show(_ record: CKRecord) {
        let zoneID = record.recordID.zoneID
        var zone = shelf[zoneID] ?? PageShelf.Zone(zoneID)
        if let told = record.modificationDate, let known = zone.modified, told < known { return }
        zone.lines = record["lines"] as? [String] ?? []
        zone.share = record.share?.recordID.recordName ?? zone.share
        zone.modified = record.modificationDate
        shelf[zoneID] = zone
    }
    /// A page came otherwise than by a fetch: whether it is the person's still, the next fetch tells.
    func check(_ zoneID: CKRecordZone.ID) {
        guard let zone = shelf[zoneID], zone.token == nil, isUpToDate else { return }
        isUpToDate = false
        fetch { done in
            guard !done else { return }
            self.queue.asyncAfter(deadline: .now() + self.pause) { self.look(wanted: []) }
        }
    }
    /// The service says that the zone is not there any more: it is deleted, or the person has no part in it.
    func lost(_ zoneID: CKRecordZone.ID) { shelf[zoneID] = nil }

    // MARK: Writing

    func write(_ line: String, on page: String, completion: @escaping Completion) {
        queue.async { PageWrite(self, page, line, completion).run() }
    }
    /// Sends a page's new text to where its zone lies.
    func save(_ record: CKRecord, at home: PageHome, completion: @escaping @Sendable (CKRecord?, (any Error)?) -> Void)
    {
        database(of: home).save(record, completionHandler: completion)
    }
    func database(of home: PageHome) -> CKDatabase {
        home.isMine ? container.privateCloudDatabase : container.sharedCloudDatabase
    }
    func accept(_ metadata: CKShare.Metadata) {
        container.accept(metadata) { _, _ in self.look(wanted: []) }
    }

    // MARK: Ending

    /// Who takes part and deletes the share leaves it.
    func leave(_ page: String, completion: @escaping Completion) {
        queue.async {
            let zone = self.shelf.zones.first { $0.page == page && $0.owner != CKCurrentUserDefaultName }
            guard let zone, let share = zone.share else {
                return completion(Refusal("\(page): you take no part in a page of somebody else's"))
            }
            let id = CKRecord.ID(recordName: share, zoneID: zone.zoneID)
            self.container.sharedCloudDatabase.delete(withRecordID: id) { _, error in
                self.queue.async {
                    if let error, !PageError.isGone(error) { return completion(PageError.refusal(error, page)) }
                    self.shelf[zone.zoneID] = nil
                    self.shelf.save(self.account)
                    completion(nil)
                }
            }
        }
    }
    /// Who made a page takes all others out of it; nobody comes in any more.
    func close(_ page: String, completion: @escaping Completion) {
        queue.async {
            guard let zone = self.shelf[CKRecordZone.ID(zoneName: page)], let share = zone.share else {
                return completion(Refusal("\(page): only who made a page closes it"))
            }
            self.close(CKRecord.ID(recordName: share, zoneID: zone.zoneID), page, tries: 5, completion)
        }
    }
    private func close(_ id: CKRecord.ID, _ page: String, tries: Int, _ completion: @escaping Completion) {
        let database = container.privateCloudDatabase
        database.fetch(withRecordID: id) { record, error in
            guard let share = record as? CKShare else { return completion(PageError.refusal(error, page)) }
            share.publicPermission = .none
            database.save(share) { _, error in
                // Somebody has come or gone in between.
                if let error, CKError.serverRecordChanged ~= error, tries > 0 {
                    return self.close(id, page, tries: tries - 1, completion)
                }
                completion(error.map { PageError.refusal($0, page) })
            }
        }
    }
}

/// What an error means to a person.
enum PageError {
    /// What is asked for is not there any more.
    static func isGone(_ error: any Error) -> Bool {
        [.unknownItem, .zoneNotFound, .userDeletedZone].contains((error as? CKError)?.code)
    }
    /// Waiting may help.
    static func isOfTheMoment(_ error: any Error) -> Bool {
        let codes: [CKError.Code] = [
            .networkUnavailable, .networkFailure, .serviceUnavailable, .requestRateLimited, .zoneBusy,
            .serverResponseLost, .internalError, .notAuthenticated, .accountTemporarilyUnavailable,
        ]
        return (error as? CKError).map { $0.retryAfterSeconds != nil || codes.contains($0.code) } ?? false
    }
    static func refusal(_ error: (any Error)?, _ page: String) -> Refusal {
        let reason =
            switch (error as? CKError)?.code {
            case .permissionFailure?, .participantMayNeedVerification?: "it is closed to you"
            case .networkUnavailable?: "there is no network"
            default: error.map { "\($0)" } ?? "it cannot be done"
            }
        return Refusal("\(page): \(reason)")
    }
}
