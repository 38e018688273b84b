import CloudKit
import Ubiquity

/// A class's notice board in the public database: everybody reads every note, and who pinned one changes it or takes it down (S233, S294).
///
/// The public database has no changes to fetch (cloudkit-framework.md 1): the board is asked for by query, page after page, when the app comes
/// to the screen and when a push says that somebody pinned something. Nothing is kept on the iPad: a note hangs when the service has it, and
/// until then the person waits. A person who cannot even look at the place hears so after a few tries.
///
/// A place whose note was taken down stays its owner's, as a record without text: a delete carries no change tag, and could take along what
/// its owner pinned meanwhile on another iPad.
class Bulletin: PadApp {
    nonisolated class var declaration: AppDeclaration {
        AppDeclaration(
            name: "bulletin", infoPlistPath: infoPlistPath("bulletin"), channel: .record,
            actions: [
                AppManifest.Action("pin", kind: "note", verb: .put, weight: 7, pool: 100, prefix: "place"),
                AppManifest.Action("takeDown", kind: "note", verb: .delete, weight: 1, pool: 100, prefix: "place"),
            ],
            promises: ["note": .keepsAll], forEveryone: ["note"])
    }
    /// Whether the board is read to its last page.
    var readsOn: Bool { true }
    private static let type = "Notice"
    /// Records in one page: small, so that a class fills several.
    private static let pageSize = 20
    /// How often the app looks at a place in vain before it refuses the note. ASSUMED.
    private static let looksMax = 5
    /// What the service means when it says no; anything else is waited out (cloudkit-framework.md 13).
    private static let noes: Set<CKError.Code> = [
        .permissionFailure, .notAuthenticated, .quotaExceeded, .limitExceeded, .invalidArguments,
        .serverRejectedRequest,
        .managedAccountRestricted, .missingEntitlement, .badContainer,
    ]

    /// What hangs in one place, and since when.
    private struct Notice {
        var text: String
        var changed: Date?
    }
    private let database = CKContainer.default().publicCloudDatabase
    private var board: [String: Notice] = [:]
    /// The whole board was read since the app came to the screen or heard of a change.
    private var isUpToDate = false
    private var isActive = false
    private var isReading = false
    private var mustReadAgain = false

    required init() {}

    // MARK: Life

    func application(didFinishLaunching reason: LaunchReason) async { Task { await subscribe() } }
    func applicationDidBecomeActive() async {
        isActive = true
        look()
    }
    func applicationWillResignActive() async { isActive = false }
    func application(didReceiveRemoteNotification userInfo: Value) async -> UIBackgroundFetchResult {
        guard isActive else { return .noData }
        look()
        return .newData
    }

    /// A silent push whenever somebody pins or changes something; without it the board is as old as the last look.
    private func subscribe() async {
        let subscription = CKQuerySubscription(
            recordType: Self.type, predicate: NSPredicate(value: true), subscriptionID: "board",
            options: [.firesOnRecordCreation, .firesOnRecordUpdate])
        let info = CKSubscription.NotificationInfo()
        info.shouldSendContentAvailable = true
        subscription.notificationInfo = info
        _ = try? await database.save(subscription)
    }

    // MARK: Reading

    private func look() {
        isUpToDate = false
        Task { await read() }
    }
    /// Reads the board, and once more what changed meanwhile; tries again for as long as the app is on the screen.
    private func read() async {
        guard !isReading else { mustReadAgain = true; return }
        isReading = true
        defer { isReading = false }
        var failures = 0
        repeat {
            mustReadAgain = false
            do {
                try await readPages()
                isUpToDate = !mustReadAgain
            } catch {
                failures += 1
                await pause(error as? CKError, failures)
                mustReadAgain = isActive
            }
        } while mustReadAgain
    }
    private func readPages() async throws {
        let query = CKQuery(recordType: Self.type, predicate: NSPredicate(value: true))
        var page = try await database.records(matching: query, resultsLimit: Self.pageSize)
        show(page.matchResults)
        while readsOn, let cursor = page.queryCursor {
            page = try await database.records(continuingMatchFrom: cursor, resultsLimit: Self.pageSize)
            show(page.matchResults)
        }
    }
    private func show(_ results: [(CKRecord.ID, Result<CKRecord, any Error>)]) {
        for case (_, .success(let record)) in results { show(record) }
    }
    /// An answer may be older than what is shown: a page may come after the answer to a save that it does not hold yet.
    private func show(_ record: CKRecord) {
        let name = record.recordID.recordName
        if let known = board[name]?.changed, let told = record.modificationDate, told < known { return }
        board[name] = Notice(text: Self.text(of: record), changed: record.modificationDate)
    }
    private static func text(of record: CKRecord) -> String { record["text"] as? String ?? "" }

    /// Until the service wants to be asked again, else longer each time.
    private func pause(_ error: CKError?, _ failures: Int) async {
        try? await Task.sleep(for: .seconds(error?.retryAfterSeconds ?? Double(min(60, 1 << min(failures, 6)))))
    }

    // MARK: What people do and see

    /// How far an edit has come.
    private struct Progress {
        /// A save has left: nobody but the service knows what came of it.
        var isSent = false
        /// It got no answer: the note may hang there.
        var mayBeThere = false
        var failures = 0
    }

    /// Returns when the service has the note. While nobody knows whether it came there, it is neither taken nor refused.
    func perform(_ edit: Edit) async throws {
        guard let place = Self.recordName(edit.item) else { throw Refusal("no place can be called '\(edit.item)'") }
        let seen = board[place]?.text ?? ""
        var progress = Progress()
        while true {
            do { return try await pin(edit.value, at: place, over: seen, &progress) } catch let error as CKError {
                if Self.noes.contains(error.code), !progress.mayBeThere {
                    let isTaken = error.code == .permissionFailure
                    throw Refusal("\(edit.item): \(isTaken ? "somebody else's note hangs there" : error.message)")
                }
                progress.failures += 1
                if !progress.isSent, progress.failures == Self.looksMax {
                    throw Refusal("\(edit.item): the board cannot be reached now: pin it when it can")
                }
                await pause(error, progress.failures)
            }
        }
    }
    /// - Parameter seen: what hung there when the person decided; what somebody pinned since is not pinned over.
    private func pin(_ text: String, at place: String, over seen: String, _ progress: inout Progress) async throws {
        let record = try await record(at: place)
        let present = Self.text(of: record)
        show(record)
        // An earlier try got there and its answer did not, or there is nothing to take down.
        if present == text { return }
        guard present == seen else { throw Refusal("\(place) has another note by now: look at it first") }
        record["text"] = text
        progress.isSent = true
        do { show(try await database.save(record)) } catch let error as CKError {
            if error.code == .networkFailure || error.code == .serverResponseLost { progress.mayBeThere = true }
            throw error
        }
    }
    private func record(at place: String) async throws -> CKRecord {
        let id = CKRecord.ID(recordName: place)
        do { return try await database.record(for: id) } catch CKError.unknownItem {
            return CKRecord(recordType: Self.type, recordID: id)
        }
    }

    func visibleState() async -> VisibleState {
        VisibleState(board.keys.sorted().compactMap(item), complete: isUpToDate)
    }
    func visibleItem(_ id: String) async -> Item? { Self.recordName(id).flatMap(item) }

    /// Of a place; nil for a name that is empty or too long (cloudkit-web-services.md 10).
    private static func recordName(_ place: String) -> String? { PlainName.encoded(place, bytesMax: 255) }

    private func item(_ place: String) -> Item? {
        guard let text = board[place]?.text, !text.isEmpty else { return nil }
        return Item(id: PlainName.decoded(place) ?? place, kind: "note", text: text)
    }
}
