import Foundation
import PadApp

/// Where Foundation's coordinated calls leave their error.
public typealias NSErrorPointer = UnsafeMutablePointer<NSError?>?

/// Coordinated access to documents (icloud-documents.md 6): the Pad's daemon keeps its hands off meanwhile, and answers for what was
/// written once the accessor has returned.
///
/// The synchronous read cannot wait for a download (nothing else can happen in its instant): it gives error 4353; the read by
/// `NSFileAccessIntent` downloads first. Not modelled: presenters, `prepare`, cancelling.
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

    /// - Parameter filePresenterOrNil: presenters are not modelled; pass nil.
    public init(filePresenter filePresenterOrNil: AnyObject? = nil) {}

    /// Reads an item that is on this iPad. `outError` 4353: it is not; the accessor is not called.
    public func coordinate(
        readingItemAt url: URL, options: ReadingOptions = [], error outError: NSErrorPointer,
        byAccessor reader: (URL) -> Void
    ) {
        if !options.contains(.immediatelyAvailableMetadataOnly), case .failure(let error) = available(url) {
            outError?.pointee = error as NSError
            return
        }
        reader(url)
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
        coordinate(begin, url.path, outError) { writer(url) }
    }
    /// Moves an item; the accessor does the move.
    public func coordinate(
        writingItemAt url1: URL, options options1: WritingOptions = [], writingItemAt url2: URL,
        options options2: WritingOptions = [], error outError: NSErrorPointer, byAccessor writer: (URL, URL) -> Void
    ) {
        var begin: Value = ["path": .string(url1.path)]
        if options1.contains(.forMoving) { begin["movedTo"] = .string(url2.path) }
        coordinate(begin, url1.path, outError) { writer(url1, url2) }
    }
    private func coordinate(_ begin: Value, _ path: String, _ outError: NSErrorPointer, _ accessor: () -> Void) {
        guard UbiquityPath(path) != nil else { return accessor() }
        if let error = link.call("docs.beginWrite", begin).linkError {
            outError?.pointee = error as NSError
            return
        }
        accessor()
        if let error = link.call("docs.endWrite", ["path": .string(path)]).linkError {
            outError?.pointee = error as NSError
        }
    }

    /// Waits for the items to be read (downloading what is not here), then calls the accessor on the main actor: with an error when one
    /// cannot be had, such as 4353 without a network.
    public func coordinate(
        with intents: [NSFileAccessIntent], queue: OperationQueue,
        byAccessor accessor: @escaping @MainActor ((any Error)?) -> Void
    ) {
        Task { @MainActor in
            for intent in intents where intent.isReading {
                guard case .failure = available(intent.url) else { continue }
                let answer = await link.ask("docs.download", ["path": .string(intent.url.path)])
                if let error = answer.linkError { return accessor(error) }
            }
            for intent in intents where !intent.isReading {
                if let error = link.call("docs.beginWrite", ["path": .string(intent.url.path)]).linkError {
                    return accessor(error)
                }
            }
            accessor(nil)
            for intent in intents where !intent.isReading {
                link.call("docs.endWrite", ["path": .string(intent.url.path)])
            }
        }
    }
}

/// What a coordinated access is going to do with an item.
public final class NSFileAccessIntent: Sendable {
    public let url: URL
    let isReading: Bool

    private init(_ url: URL, isReading: Bool) {
        self.url = url
        self.isReading = isReading
    }
    public static func readingIntent(with url: URL, options: NSFileCoordinator.ReadingOptions = [])
        -> NSFileAccessIntent
    {
        NSFileAccessIntent(url, isReading: true)
    }
    public static func writingIntent(with url: URL, options: NSFileCoordinator.WritingOptions = [])
        -> NSFileAccessIntent
    {
        NSFileAccessIntent(url, isReading: false)
    }
}
