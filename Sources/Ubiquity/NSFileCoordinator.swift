import Foundation
import PadApp

/// Where Foundation's coordinated calls leave their error.
public typealias NSErrorPointer = UnsafeMutablePointer<NSError?>?

/// Coordinated access to documents (icloud-documents.md 6): the Pad's daemon keeps its hands off meanwhile, and answers for what was
/// written once the accessor has returned.
///
/// The synchronous read cannot wait for a download (nothing else can happen in its instant): it gives error 4353; the read by
/// `NSFileAccessIntent` downloads first. Likewise the synchronous forms need presenters that answer at once, and give error 256 or 512
/// where one does not, or 255 where another app is at the place; the form with intents waits. Not modelled: `prepare`, cancelling, presenters
/// of other apps before an access (they hear of it after).
public final class NSFileCoordinator: @unchecked Sendable {
    public struct ReadingOptions: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static let withoutChanges = ReadingOptions(rawValue: 1)
        public static let resolvesSymbolicLink = ReadingOptions(rawValue: 2)
        public static let immediatelyAvailableMetadataOnly = ReadingOptions(rawValue: 4)
        public static let forUploading = ReadingOptions(rawValue: 8)
    }
    public struct WritingOptions: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static let forDeleting = WritingOptions(rawValue: 1)
        public static let forMoving = WritingOptions(rawValue: 2)
        public static let forMerging = WritingOptions(rawValue: 4)
        public static let forReplacing = WritingOptions(rawValue: 8)
        public static let contentIndependentMetadataOnly = WritingOptions(rawValue: 16)
    }

    private let link = AppLink.current
    private let presenters = FilePresenters.current
    private let own: (any NSFilePresenter)?
    /// Moves that the accessor under way has told of.
    private var moves: [(from: String, to: URL)] = []

    /// - Parameter filePresenterOrNil: whose access it is: it is told nothing of it.
    public init(filePresenter filePresenterOrNil: (any NSFilePresenter)? = nil) { own = filePresenterOrNil }

    // MARK: Presenters

    /// From now on the presenter is asked and told; it lives until it is removed. Remove it in `didEnterBackground`.
    public static func addFilePresenter(_ filePresenter: any NSFilePresenter) {
        FilePresenters.current.add(filePresenter)
    }
    public static func removeFilePresenter(_ filePresenter: any NSFilePresenter) {
        FilePresenters.current.remove(filePresenter)
    }
    /// In the order in which they were added.
    public static var filePresenters: [any NSFilePresenter] { FilePresenters.current.all }

    /// Said by an accessor that is about to move an item. Nobody is told before it has (`item(at:didMoveTo:)`).
    public func item(at oldURL: URL, willMoveTo newURL: URL) {}
    /// Said by an accessor that has moved an item: its presenters hear of it when the accessor has returned.
    public func item(at oldURL: URL, didMoveTo newURL: URL) { moves.append((oldURL.path, newURL)) }

    /// What the presenters say to an access in this instant.
    private func prepared(_ accesses: [PresentedAccess]) -> Result<[@Sendable () -> Void], any Error> {
        let answer = PresenterAnswer()
        let wait = presenters.prepare(accesses, besides: own) { answer.result = $0 }
        if let result = answer.result { return result }
        wait.giveUp()
        let isWriting = accesses.contains { $0.kind == .writing }
        return .failure(CocoaError(isWriting ? .fileWriteUnknown : .fileReadUnknown))
    }
    /// The access is over: what happened is told, then the items are given back.
    private func finish(_ accesses: [PresentedAccess], _ back: [@Sendable () -> Void]) {
        let moves = self.moves
        self.moves = []
        for access in accesses where access.kind == .writing && !access.isDeletion {
            guard !moves.contains(where: { $0.from == access.path }) else { continue }
            presenters.changed(access.path, besides: own)
        }
        for move in moves { presenters.moved(move.from, to: move.to, besides: own) }
        for giveBack in back { giveBack() }
    }
    fileprivate static func access(_ url: URL, _ options: WritingOptions) -> PresentedAccess {
        PresentedAccess(
            path: url.path, kind: .writing, saves: options.contains(.forMerging),
            isDeletion: !options.isDisjoint(with: [.forDeleting, .forReplacing]))
    }
    fileprivate static func access(_ url: URL, _ options: ReadingOptions) -> PresentedAccess {
        PresentedAccess(
            path: url.path, kind: .reading,
            saves: options.isDisjoint(with: [.withoutChanges, .immediatelyAvailableMetadataOnly]))
    }

    // MARK: Access

    /// Reads an item that is on this iPad. `outError` 4353: it is not; the accessor is not called.
    public func coordinate(
        readingItemAt url: URL, options: ReadingOptions = [], error outError: NSErrorPointer,
        byAccessor reader: (URL) -> Void
    ) {
        let access = [Self.access(url, options)]
        switch prepared(access) {
        case .failure(let error): outError?.pointee = error as NSError
        case .success(let back):
            read(url, options, outError, reader)
            finish(access, back)
        }
    }
    private func read(_ url: URL, _ options: ReadingOptions, _ outError: NSErrorPointer, _ reader: (URL) -> Void) {
        guard UbiquityPath(url.path) != nil, !options.contains(.immediatelyAvailableMetadataOnly) else {
            return reader(url)
        }
        if case .failure(let error) = available(url) { outError?.pointee = error as NSError; return }
        let place: Value = ["path": .string(url.path)]
        if let error = link.call(DocumentMessages.BeginRead.name, place).linkError {
            outError?.pointee = error as NSError; return
        }
        reader(url)
        link.call(DocumentMessages.EndRead.name, place)
    }
    /// An absent item is the accessor's business, a placeholder is not.
    private func available(_ url: URL) -> Result<Void, any Error> {
        guard UbiquityPath(url.path) != nil, !FileManager.default.fileExists(atPath: url.path) else {
            return .success(())
        }
        do {
            _ = try FileManager.default.read(url.path)
            return .success(())
        } catch let error as CocoaError where error.code == .ubiquitousFileUnavailable {
            return .failure(error)
        } catch {
            return .success(())
        }
    }

    /// Writes, deletes (`.forDeleting`) or replaces an item.
    /// - Parameter outError: the Pad's refusal before the accessor (signed out), or its failure to keep what was written (no space):
    ///   then the document is on this iPad but nobody answers for it yet.
    public func coordinate(
        writingItemAt url: URL, options: WritingOptions = [], error outError: NSErrorPointer,
        byAccessor writer: (URL) -> Void
    ) {
        var begin: Value = ["path": .string(url.path)]
        if options.contains(.forDeleting) { begin["deleting"] = true }
        coordinate([Self.access(url, options)], begin, url.path, outError) { writer(url) }
    }
    /// Moves an item; the accessor does the move.
    public func coordinate(
        writingItemAt url1: URL, options options1: WritingOptions = [], writingItemAt url2: URL,
        options options2: WritingOptions = [], error outError: NSErrorPointer, byAccessor writer: (URL, URL) -> Void
    ) {
        var begin: Value = ["path": .string(url1.path)]
        if options1.contains(.forMoving) { begin["movedTo"] = .string(url2.path) }
        let accesses = [Self.access(url1, options1), Self.access(url2, options2)]
        coordinate(accesses, begin, url1.path, outError) { writer(url1, url2) }
    }
    private func coordinate(
        _ accesses: [PresentedAccess], _ begin: Value, _ path: String, _ outError: NSErrorPointer,
        _ accessor: () -> Void
    ) {
        switch prepared(accesses) {
        case .failure(let error): outError?.pointee = error as NSError
        case .success(let back):
            finish(write(begin, path, outError, accessor) ? accesses : [], back)
        }
    }
    /// - Returns: whether the accessor ran.
    private func write(_ begin: Value, _ path: String, _ outError: NSErrorPointer, _ accessor: () -> Void) -> Bool {
        guard UbiquityPath(path) != nil else {
            accessor()
            return true
        }
        if let error = link.call(DocumentMessages.BeginWrite.name, begin).linkError {
            outError?.pointee = error as NSError
            return false
        }
        accessor()
        if let error = link.call(DocumentMessages.EndWrite.name, ["path": .string(path)]).linkError {
            outError?.pointee = error as NSError
        }
        return true
    }

    /// Waits for the items to be read (downloading what is not here), then calls the accessor on the main actor: with an error when one
    /// cannot be had, such as 4353 without a network.
    public func coordinate(
        with intents: [NSFileAccessIntent], queue: OperationQueue,
        byAccessor accessor: @escaping @MainActor ((any Error)?) -> Void
    ) {
        Task { @MainActor in
            let accesses = intents.map(\.access)
            var back: [@Sendable () -> Void] = []
            if presenters.areConcerned(by: accesses, besides: own) {
                switch await granted(accesses) {
                case .success(let given): back = given
                case .failure(let error): return accessor(error)
                }
            }
            var done: [PresentedAccess] = []
            defer { finish(done, back) }
            for intent in intents where intent.isReading {
                guard case .failure = available(intent.url) else { continue }
                let answer = await link.ask(DocumentMessages.Download.name, ["path": .string(intent.url.path)])
                if let error = answer.linkError { return accessor(error) }
            }
            // In the order of the paths: two apps that want the same never wait for each other.
            var begun: [NSFileAccessIntent] = []
            defer {
                for intent in begun {
                    link.call(
                        intent.isReading ? DocumentMessages.EndRead.name : DocumentMessages.EndWrite.name, intent.place)
                }
            }
            for intent in intents.sorted(by: { $0.url.path < $1.url.path }) where UbiquityPath(intent.url.path) != nil {
                if let error = await turn(intent) { return accessor(error) }
                begun.append(intent)
            }
            accessor(nil)
            done = accesses
        }
    }
    /// Begins an access; while another app is at the place it waits (icloud-documents.md 6).
    @MainActor private func turn(_ intent: NSFileAccessIntent) async -> (any Error)? {
        let name = intent.isReading ? DocumentMessages.BeginRead.name : DocumentMessages.BeginWrite.name
        let error = link.call(name, intent.place).linkError
        guard let busy = error as? CocoaError, busy.code == .fileLocking else { return error }
        return await link.ask(name, intent.place).linkError
    }
    @MainActor private func granted(_ accesses: [PresentedAccess]) async -> Result<[@Sendable () -> Void], any Error> {
        await withCheckedContinuation { continuation in
            presenters.prepare(accesses, besides: own) { continuation.resume(returning: $0) }
        }
    }
}

/// What presenters say, if they say it in this instant.
private final class PresenterAnswer: @unchecked Sendable {
    var result: Result<[@Sendable () -> Void], any Error>?
}

/// What a coordinated access is going to do with an item.
public final class NSFileAccessIntent: Sendable {
    public let url: URL
    let access: PresentedAccess
    var isReading: Bool { access.kind == .reading }
    fileprivate var place: Value { ["path": .string(url.path)] }

    private init(_ url: URL, _ access: PresentedAccess) {
        self.url = url
        self.access = access
    }
    public static func readingIntent(with url: URL, options: NSFileCoordinator.ReadingOptions = [])
        -> NSFileAccessIntent
    {
        NSFileAccessIntent(url, NSFileCoordinator.access(url, options))
    }
    public static func writingIntent(with url: URL, options: NSFileCoordinator.WritingOptions = [])
        -> NSFileAccessIntent
    {
        NSFileAccessIntent(url, NSFileCoordinator.access(url, options))
    }
}
