import CloudKit
import Ubiquity

/// One line on its way to the service: it is written, or the person hears why not.
final class PageWrite: @unchecked Sendable {
    private let store: PageStore
    private let page: String
    private let line: String
    private let completion: PageStore.Completion
    private var failures = 0
    /// Where the page was found last.
    private var zoneID: CKRecordZone.ID?
    /// A save got no answer: the line may stand there.
    private var mayBeThere = false
    /// How often the app tries in vain before it refuses a line that has certainly not left. ASSUMED.
    private static let triesMax = 5

    init(_ store: PageStore, _ page: String, _ line: String, _ completion: @escaping PageStore.Completion) {
        (self.store, self.page, self.line, self.completion) = (store, page, line, completion)
    }

    func run() {
        PageFinder(store.container, page) { result in
            self.store.queue.async {
                switch result {
                case .success(let home): self.write(at: home)
                case .failure(let error): self.failed(error)
                }
            }
        }.run()
    }

    private func write(at home: PageHome) {
        zoneID = home.zoneID
        let id = CKRecord.ID(recordName: PageHome.recordName, zoneID: home.zoneID)
        store.database(of: home).fetch(withRecordID: id) { record, error in
            self.store.queue.async {
                if let record { return self.save(record, at: home) }
                self.failed(error)
            }
        }
    }
    private func save(_ record: CKRecord, at home: PageHome) {
        let lines = record["lines"] as? [String] ?? []
        store.show(record)
        // An earlier try got there, and its answer did not.
        if lines.contains(line) { return end(nil) }
        record["lines"] = lines + [line]
        store.save(record, at: home) { saved, error in
            self.store.queue.async {
                if let saved {
                    self.store.show(saved)
                    return self.end(nil)
                }
                let code = (error as? CKError)?.code
                // Somebody else has written in between.
                if code == .serverRecordChanged { return self.run() }
                if code == .networkFailure || code == .serverResponseLost { self.mayBeThere = true }
                self.failed(error)
            }
        }
    }

    /// What is not over by itself is tried again, later and later.
    private func failed(_ error: (any Error)?) {
        failures += 1
        let helps = error.map { PageError.isOfTheMoment($0) || PageError.isGone($0) } ?? false
        guard helps, mayBeThere || failures < Self.triesMax else { return end(PageError.refusal(error, page)) }
        // A page that is gone under the writer's hand is looked for once more.
        guard !(error.map(PageError.isGone) ?? false) || failures < Self.triesMax else {
            return end(PageError.refusal(error, page))
        }
        let hint = (error as? CKError)?.retryAfterSeconds
        store.queue.asyncAfter(deadline: .now() + (hint ?? Double(1 << min(failures, 5)))) { self.run() }
    }
    private func end(_ error: (any Error)?) {
        if error == nil { store.shelf.save(store.account) }
        if let zoneID { store.check(zoneID) }
        completion(error)
    }
}
