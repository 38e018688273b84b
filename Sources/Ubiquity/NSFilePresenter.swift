import Foundation
import PadApp

/// Who shows a file to a person and must know when others touch it (icloud-documents.md 6).
///
/// Others are coordinators of the same app that were not made with this presenter, and other devices. Before an access a presenter
/// relinquishes the item, then saves or makes ready for its deletion; afterwards it hears what happened, then it has the item back.
/// Every method has a default that does what is needed and no more. Methods run where the coordinator was called, those of other
/// devices on the main actor.
///
/// Of what lies in a presented folder a presenter hears after it has happened.
public protocol NSFilePresenter: AnyObject {
    var presentedItemURL: URL? { get }
    /// Not used: there is one loop.
    var presentedItemOperationQueue: OperationQueue { get }

    /// Somebody waits to read. Call `reader`, at once where the coordinator is synchronous, with what is to be done when he has read.
    func relinquishPresentedItem(toReader reader: @escaping @Sendable ((@Sendable () -> Void)?) -> Void)
    func relinquishPresentedItem(toWriter writer: @escaping @Sendable ((@Sendable () -> Void)?) -> Void)
    /// What the person changed must be in the file before it is read. An error keeps the other away.
    func savePresentedItemChanges(completionHandler: @escaping @Sendable ((any Error)?) -> Void)
    /// The item is about to be deleted, or replaced by another. An error keeps the other away.
    func accommodatePresentedItemDeletion(completionHandler: @escaping @Sendable ((any Error)?) -> Void)
    /// Somebody wrote.
    func presentedItemDidChange()
    /// The item is somewhere else; `presentedItemURL` has to say so from now on.
    func presentedItemDidMove(to newURL: URL)

    // Versions, eviction, sync and what lies in a presented folder: see NSFilePresenter+Parts.swift.
    func presentedItemDidGain(_ version: NSFileVersion)
    func presentedItemDidLose(_ version: NSFileVersion)
    func presentedItemDidResolveConflict(_ version: NSFileVersion)
    func accommodatePresentedItemEviction(completionHandler: @escaping @Sendable ((any Error)?) -> Void)
    var observedPresentedItemUbiquityAttributes: Set<URLResourceKey> { get }
    func presentedItemDidChangeUbiquityAttributes(_ attributes: Set<URLResourceKey>)
    func presentedSubitemDidAppear(at url: URL)
    func presentedSubitemDidChange(at url: URL)
    func presentedSubitem(at oldURL: URL, didMoveTo newURL: URL)
    func accommodatePresentedSubitemDeletion(
        at url: URL, completionHandler: @escaping @Sendable ((any Error)?) -> Void)
    func presentedSubitem(at url: URL, didGain version: NSFileVersion)
    func presentedSubitem(at url: URL, didLose version: NSFileVersion)
    func presentedSubitem(at url: URL, didResolve version: NSFileVersion)
}

extension NSFilePresenter {
    public var presentedItemOperationQueue: OperationQueue { .main }
    public func relinquishPresentedItem(toReader reader: @escaping @Sendable ((@Sendable () -> Void)?) -> Void) {
        reader(nil)
    }
    public func relinquishPresentedItem(toWriter writer: @escaping @Sendable ((@Sendable () -> Void)?) -> Void) {
        writer(nil)
    }
    public func savePresentedItemChanges(completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
        completionHandler(nil)
    }
    public func accommodatePresentedItemDeletion(completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
        completionHandler(nil)
    }
    public func presentedItemDidChange() {}
    public func presentedItemDidMove(to newURL: URL) {}
}

/// One coordinated access to one item, as presenters see it.
struct PresentedAccess {
    enum Kind { case reading, writing }
    var path: String
    var kind: Kind
    /// Presenters save first.
    var saves = false
    /// The item goes, or another takes its place.
    var isDeletion = false
}

/// The presenters of one app.
final class FilePresenters: @unchecked Sendable {
    static var current: FilePresenters { AppLink.current.singleton { FilePresenters(AppLink.current) } }

    private(set) var all: [any NSFilePresenter] = []
    private let link: AppLink
    private var told: [String] = []
    private var isListening = false
    /// Accesses that wait for presenters which wait for accesses, inside each other.
    private var depth = 0
    /// ASSUMED: on an iPad presenters that wait for each other never end.
    private static let depthMax = 16
    /// Accesses that presenters have not answered. One that is begun by a presenter and waits without holding anybody up is no deeper than
    /// the first, and would go round for ever.
    private var unanswered = 0
    /// ASSUMED: no app waits for so many at once.
    private static let unansweredMax = 256

    private init(_ link: AppLink) { self.link = link }

    func add(_ presenter: any NSFilePresenter) {
        guard !all.contains(where: { $0 === presenter }) else { return }
        if !isListening {
            isListening = true
            link.listen(DocumentMessages.Presented.name) { [weak self] in self?.heard($0) }
        }
        all.append(presenter)
        tellPad()
    }
    func remove(_ presenter: any NSFilePresenter) {
        all.removeAll { $0 === presenter }
        tellPad()
    }
    /// The Pad tells what other devices do to these.
    private func tellPad() {
        let paths = Set(all.compactMap { $0.presentedItemURL?.path }).filter { UbiquityPath($0) != nil }.sorted()
        guard paths != told, link.call(DocumentMessages.Present.name, ["paths": .strings(paths)]).linkError == nil
        else { return }
        told = paths
    }

    func of(_ path: String, but own: (any NSFilePresenter)?) -> [any NSFilePresenter] {
        all.filter { $0 !== own && $0.presentedItemURL?.path == path }
    }

    func areConcerned(by accesses: [PresentedAccess], besides own: (any NSFilePresenter)?) -> Bool {
        accesses.contains { !of($0.path, but: own).isEmpty }
    }

    // MARK: Before and after

    /// Asks all others one after the other. `done` is called in the same instant when all answer at once, with what gives the items back, in
    /// the order of the asking; or with the error of one, and then nobody waits any more.
    /// - Returns: the waiting, for whoever gives up: then the items are given back, nobody else is asked, and `done` is not called.
    @discardableResult func prepare(
        _ accesses: [PresentedAccess], besides own: (any NSFilePresenter)?,
        done: @escaping @Sendable (Result<[@Sendable () -> Void], any Error>) -> Void
    ) -> PresenterWait {
        guard depth < Self.depthMax, unanswered < Self.unansweredMax else {
            let error = CocoaError(
                .fileReadUnknown, userInfo: [NSLocalizedDescriptionKey: "file presenters wait for each other"])
            done(.failure(error))
            return PresenterWait {}
        }
        depth += 1
        defer { depth -= 1 }
        unanswered += 1
        let wait = PresenterWait { self.unanswered -= 1 }
        let asked = accesses.flatMap { access in of(access.path, but: own).map { Asked(presenter: $0, access: access) }
        }
        ask(asked[...], wait, done)
        return wait
    }
    private struct Asked: @unchecked Sendable {
        let presenter: any NSFilePresenter
        let access: PresentedAccess
    }
    private func ask(
        _ rest: ArraySlice<Asked>, _ wait: PresenterWait,
        _ done: @escaping @Sendable (Result<[@Sendable () -> Void], any Error>) -> Void
    ) {
        guard let next = rest.first else { return done(.success(wait.end())) }
        let (isFirst, isFirstAnswer) = (Once(), Once())
        let relinquished: @Sendable ((@Sendable () -> Void)?) -> Void = { reacquirer in
            guard isFirst.take() else { return }
            guard !wait.isOver else {
                reacquirer?()
                return
            }
            if let reacquirer { wait.back.append(reacquirer) }
            let answered: @Sendable ((any Error)?) -> Void = { error in
                guard isFirstAnswer.take(), !wait.isOver else { return }
                guard let error else { return self.ask(rest.dropFirst(), wait, done) }
                wait.giveUp()
                done(.failure(error))
            }
            if next.access.isDeletion {
                next.presenter.accommodatePresentedItemDeletion(completionHandler: answered)
            } else if next.access.saves {
                next.presenter.savePresentedItemChanges(completionHandler: answered)
            } else {
                answered(nil)
            }
        }
        switch next.access.kind {
        case .reading: next.presenter.relinquishPresentedItem(toReader: relinquished)
        case .writing: next.presenter.relinquishPresentedItem(toWriter: relinquished)
        }
    }

    /// ASSUMED: presenters that answer each other's changes with changes hear of no more after some rounds.
    func changed(_ path: String, besides own: (any NSFilePresenter)?) {
        guard depth < Self.depthMax else { return }
        depth += 1
        defer { depth -= 1 }
        for presenter in of(path, but: own) { presenter.presentedItemDidChange() }
        for folder in above(path, but: own) { folder.presentedSubitemDidChange(at: URL(filePath: path)) }
    }
    /// The coordinator's own presenter has moved it and knows.
    func moved(_ path: String, to url: URL, besides own: (any NSFilePresenter)?) {
        for presenter in of(path, but: own) { presenter.presentedItemDidMove(to: url) }
        for folder in above(path, but: own) { folder.presentedSubitem(at: URL(filePath: path), didMoveTo: url) }
        tellPad()
    }

    /// What another device did has happened already: the order is the same, and no error can keep it away.
    private func heard(_ message: Message) {
        guard let path = message["path"]?.string, !heardOfParts(message, path) else { return }
        let target = message["to"]?.string
        let access = PresentedAccess(
            path: path, kind: .writing, isDeletion: message["change"] == "deleted")
        prepare([access], besides: nil) { outcome in
            switch message["change"]?.string {
            case "changed": self.changed(path, besides: nil)
            case "moved": if let target { self.moved(path, to: URL(filePath: target), besides: nil) }
            default: break
            }
            for giveBack in (try? outcome.get()) ?? [] { giveBack() }
        }
    }
}

/// One access that waits for presenters: what they have handed over so far.
final class PresenterWait: @unchecked Sendable {
    fileprivate(set) var isOver = false
    /// What gives the items back, in the order of the asking.
    fileprivate var back: [@Sendable () -> Void] = []
    private let ended: () -> Void

    fileprivate init(ended: @escaping () -> Void) { self.ended = ended }

    /// All have answered: the items are the waiter's, who gives them back.
    fileprivate func end() -> [@Sendable () -> Void] {
        guard !isOver else { return [] }
        isOver = true
        ended()
        return back
    }
    /// Nobody waits any more: what was handed over is given back at once, and what is handed over later too.
    func giveUp() { for giveBack in end() { giveBack() } }
}

/// An app may answer twice; only the first counts.
private final class Once: @unchecked Sendable {
    private var isTaken = false
    func take() -> Bool {
        defer { isTaken = true }
        return !isTaken
    }
}
