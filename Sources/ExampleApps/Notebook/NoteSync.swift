import CloudKit
import Ubiquity

/// Moves notes between the shelf and CloudKit: sends what is dirty, fetches what changed, merges conflicts.
///
/// What variants do differently is a method of its own.
@MainActor class NoteSync {
    /// How the app saves; the broken twins differ here.
    struct Policy {
        var save = CKModifyRecordsOperation.RecordSavePolicy.ifServerRecordUnchanged
        /// Hands each batch to the system, which goes on without the app.
        var isLongLived = true
        /// An edit is on disk before it is shown as taken.
        var keepsEditsOnDisk = true
    }

    let shelf: NoteShelf
    private let policy: Policy
    let database = CKContainer.default().privateCloudDatabase
    /// Names in an operation whose answer has not come, with the lines that were sent.
    private var underWay: [String: [String]] = [:]
    /// Lines that the server will never take: they are not sent again in this launch, and the person still sees them.
    private var refused: [String: [String]] = [:]
    /// How many notes go into one operation: fewer when the server refused so many.
    private var batch = NoteSync.batchMax
    private static let batchMax = 200
    private var isFetching = false
    private var mustFetchAgain = false
    private var failures = 0
    private var isRetryDue = false
    /// Whether the app fetches because it was launched or looked at, not because a push says so.
    var looksUnasked: Bool { true }
    /// Whether the app is on the screen: behind it there may be no later.
    var isActive = false
    /// Whether the account of the shelf is known to be there. Without its token nothing is sent or fetched: with Documents & Data off CloudKit
    /// works, and may be another account's by now.
    var isSignedIn: Bool
    /// The zone is the person's, not the iPad's: that it was made is known on every iPad, also without a network after a purge (S22).
    private var zoneIsMade: Bool {
        get { store.bool(forKey: "zoneIsMade") }
        set { if newValue != zoneIsMade { store.set(newValue, forKey: "zoneIsMade") } }
    }
    private let store = NSUbiquitousKeyValueStore.default
    /// Where the store was told nothing, an edit that waits on the shelf tells of a zone, for none is kept before there is one: a power cut
    /// may have taken what the store was told a moment before. Without a network the edit would go with the person and a purge.
    func recallZone() {
        if store.object(forKey: "zoneIsMade") == nil, !shelf.dirty.isEmpty { zoneIsMade = true }
    }
    /// Whether everything the server had has been seen since launch.
    private(set) var isUpToDate = false

    required init(shelf: NoteShelf, policy: Policy, isSignedIn: Bool) {
        self.shelf = shelf
        self.policy = policy
        self.isSignedIn = isSignedIn
    }

    // MARK: Sending

    /// Between two tries to make the zone where nobody says how long to wait, and two looks for the account. ASSUMED.
    static let zonePause = Duration.seconds(2)

    /// Edits of the same moment go into one operation.
    static let gathering = Duration.milliseconds(20)

    /// Behind the screen at once: what was refused is the app's alone again, and gone when the person leaves.
    func sendSoon() {
        let isActive = self.isActive
        Task {
            if isActive { try? await Task.sleep(for: Self.gathering) }
            send()
        }
    }

    /// Hands over everything that no operation under way already carries. A newer version does not wait for the answer to an older one,
    /// which may take hours: it meets its conflict with it, and the system keeps that answer until the app has taken it.
    /// - Returns: false when the system did not take all: there is no zone yet, or no room on the iPad.
    @discardableResult func send() -> Bool { zoneIsMade && sendAll() }
    private func sendAll() -> Bool {
        guard isSignedIn else { return false }
        let names = shelf.dirty.filter { underWay[$0.key] != $0.value && refused[$0.key] != $0.value }.keys.sorted()
        let batch = self.batch
        var isTaken = true
        for start in stride(from: 0, to: names.count, by: batch) {
            isTaken = modify(Array(names[start..<min(start + batch, names.count)])) && isTaken
        }
        return isTaken
    }

    private func modify(_ names: [String]) -> Bool {
        let operation = CKModifyRecordsOperation(
            recordsToSave: names.compactMap { name in shelf.notes[name].map { record(name, $0) } })
        var sent: [String: [String]] = [:]
        for name in names { sent[name] = shelf.notes[name]?.lines }
        underWay.merge(sent) { _, new in new }
        operation.savePolicy = policy.save
        operation.isAtomic = false
        operation.isLongLived = policy.isLongLived
        listen(to: operation, sent: sent)
        var isTaken = !policy.isLongLived
        operation.longLivedOperationWasPersistedBlock = { isTaken = true }
        database.add(operation)
        if !isTaken { for name in names { underWay[name] = nil } }
        return isTaken
    }

    private func listen(to operation: CKModifyRecordsOperation, sent: [String: [String]]) {
        operation.perRecordSaveBlock = { [weak self] id, result in
            MainActor.assumeIsolated { self?.saved(id.recordName, result) }
        }
        operation.modifyRecordsResultBlock = { [weak self] result in
            MainActor.assumeIsolated { self?.ended(sent, result) }
        }
    }

    /// A note as it is sent.
    func record(_ name: String, _ note: Note) -> CKRecord { NoteRecord.make(name, note) }

    func saved(_ name: String, _ result: Result<CKRecord, any Error>) {
        underWay[name] = nil
        guard var note = shelf.notes[name] else { return }
        switch result {
        case .success(let record):
            // Somebody may have written between: what the server has now is the new base, whatever we had sent.
            guard acknowledge(&note, record) else { return }
        case .failure(let error as CKError):
            switch error.code {
            case .invalidArguments, .limitExceeded: return  // `ended` knows whether it was this note
            case .serverRecordChanged:
                guard let server = error.serverRecord else { return retryLater(error) }
                guard settle(&note, name, server) else { return }
            case .unknownItem:
                // Gone at the server: what the person still sees here is made anew.
                note.base = []
                note.systemFields = nil
                note.modified = nil
            default: return failed(name, error)
            }
        case .failure: return failed(name, nil)
        }
        shelf.put(note, as: name)
    }
    /// The server has what was sent.
    /// - Returns: false for an answer that was overtaken.
    func acknowledge(_ note: inout Note, _ record: CKRecord) -> Bool {
        NoteRecord.tell(&note, of: record) { $0.acknowledge($1) }
    }
    /// The server has something newer than what a note was made from.
    /// - Returns: false for an answer that was overtaken.
    func settle(_ note: inout Note, _ name: String, _ server: CKRecord) -> Bool {
        NoteRecord.tell(&note, of: server) { $0.merge(server: $1) }
    }
    /// A note was not saved, for the moment.
    func failed(_ name: String, _ error: CKError?) { retryLater(error) }

    private func ended(_ sent: [String: [String]], _ result: Result<Void, any Error>) {
        for name in sent.keys { underWay[name] = nil }
        try? shelf.save()
        guard case .failure(let error) = result else {
            (failures, batch) = (0, Self.batchMax)
            if !shelf.dirty.isEmpty { sendSoon() }
            return
        }
        let codes =
            (error as? CKError).map { [$0] + ($0.partialErrorsByItemID?.values.compactMap { $0 as? CKError } ?? []) }
            ?? []
        giveUp(sent, error as? CKError)
        if codes.contains(where: { $0.code == .zoneNotFound || $0.code == .userDeletedZone }) {
            zoneIsGone(codes)
            Task { if let problem = await makeZone() { retryLater(problem as? CKError) } else { send() } }
            // Behind the screen there may be no later: the system has it while the zone is made.
            if !isActive { Task { _ = sendAll() } }
        } else if codes.allSatisfy({
            [.partialFailure, .serverRecordChanged, .unknownItem, .invalidArguments, .limitExceeded].contains($0.code)
        }), !codes.isEmpty {
            sendSoon()
        } else {
            retryLater(codes.first { $0.retryAfterSeconds != nil })
        }
    }

    /// What the server will never take is not sent again. Where it took nothing at all, half as much is sent, until one note is left to blame.
    private func giveUp(_ sent: [String: [String]], _ error: CKError?) {
        let reasons = error?.partialErrorsByItemID ?? [:]
        let failed = sent.keys.sorted().filter { name in
            let id = CKRecord.ID(recordName: name, zoneID: NoteRecord.zone.zoneID)
            let code = (reasons[id] as? CKError ?? error)?.code
            return code == .invalidArguments || code == .limitExceeded
        }
        if failed.count == sent.count, sent.count > 1 {
            batch = sent.count / 2
        } else {
            for name in failed { refused[name] = sent[name] }
        }
    }
    /// The person looks: whatever was refused may be tried once more.
    func tryRefusedAgain() { refused = [:] }

    /// After a reset of encrypted data the server has nothing any more that anybody could read: all goes up again (cloudkit-framework.md 3).
    private func zoneIsGone(_ errors: [CKError]) {
        zoneIsMade = false
        guard errors.contains(where: \.isUserEncryptedDataReset) else { return }
        shelf.forgetServer()
        try? shelf.save()
        sendSoon()
    }

    /// - Returns: nil when there is a zone, else why none could be made.
    func makeZone() async -> (any Error)? {
        guard isSignedIn else { return CKError(.notAuthenticated) }
        if zoneIsMade { return nil }
        do { _ = try await database.save(NoteRecord.zone) } catch { return error }
        zoneIsMade = true
        return nil
    }

    /// Backs off, or does what the server asks for; one retry is under way at a time. Behind the screen there may be no later.
    func retryLater(_ error: CKError?) {
        if error?.code == .quotaExceeded, !isActive { return sendSoon() }
        guard !isRetryDue else { return }
        isRetryDue = true
        failures += 1
        let wait = error?.retryAfterSeconds ?? Double(min(60, 1 << min(failures, 6)))
        Task {
            try? await Task.sleep(for: .seconds(wait))
            isRetryDue = false
            send()
            await fetch()
        }
    }

    // MARK: Fetching

    /// Fetches everything that changed; what comes in meanwhile is fetched once more.
    /// - Returns: whether there was something new; of a fetch that goes on already, its caller hears.
    @discardableResult func fetch() async -> UIBackgroundFetchResult {
        guard isSignedIn else { return .noData }
        guard !isFetching else { mustFetchAgain = true; return .noData }
        isFetching = true
        defer { isFetching = false }
        var result = UIBackgroundFetchResult.noData
        repeat {
            mustFetchAgain = false
            do {
                if try await fetchPages() { result = .newData }
                isUpToDate = true
                failures = 0
            } catch let error as CKError where error.code == .zoneNotFound || error.code == .userDeletedZone {
                zoneIsGone([error])
                if let problem = await makeZone() {
                    retryLater(problem as? CKError)
                    result = .failed
                } else {
                    isUpToDate = shelf.notes.isEmpty || isUpToDate; mustFetchAgain = !isUpToDate
                }
            } catch let error as CKError where error.code == .changeTokenExpired {
                mustFetchAgain = tokenExpired()
            } catch {
                retryLater(error as? CKError)
                result = .failed
            }
        } while mustFetchAgain
        return result
    }

    /// - Returns: whether to fetch once more.
    func tokenExpired() -> Bool {
        shelf.token = nil
        return true
    }

    func take(_ record: CKRecord) {
        let name = record.recordID.recordName
        var note = shelf.notes[name] ?? Note()
        guard take(&note, record) else { return }
        shelf.put(note, as: name)
        if note.isDirty { sendSoon() }
    }
    /// Another iPad has changed a note, or this one did.
    /// - Returns: false for an answer that was overtaken.
    func take(_ note: inout Note, _ record: CKRecord) -> Bool {
        NoteRecord.tell(&note, of: record) { $0.merge(server: $1) }
    }
}
