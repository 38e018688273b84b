import Ubiquity

/// The pages as files in `Documents` of the app's ubiquity container. Every access is coordinated.
@MainActor struct PageFiles {
    let documents: URL

    /// Why a page cannot be read or written now.
    enum Problem: Error {
        /// In iCloud, but not on this iPad.
        case notHere
        case failed(any Error)
    }
    /// A page as it lies here: what the file holds, and what lost a conflict and waits for a decision.
    struct Found {
        var current = Page([])
        var losers: [NSFileVersion] = []
        var copies: [Page] = []
        /// Everything there is to see.
        var whole: Page { current.merged(with: copies) }
    }

    /// Nil for a name that cannot be a file's, or whose first or last character would melt into what stands next to it in a path.
    func url(_ id: String) -> URL? {
        let name = PlainName.normal(id)
        let bytes = name.utf8
        guard let first = bytes.first, first != UInt8(ascii: "."), bytes.count <= 200,
            !bytes.contains(UInt8(ascii: "/")), !bytes.contains(0), "/\(name)".first == "/", "\(name).".last == "."
        else { return nil }
        return documents.appending(path: "\(name).txt", directoryHint: .notDirectory)
    }
    /// Nil for what is no page: a file of another type or in a folder.
    func id(_ url: URL) -> String? {
        guard url.pathExtension == "txt", url.deletingLastPathComponent().path == documents.path else { return nil }
        return url.deletingPathExtension().lastPathComponent
    }

    // MARK: Reading

    /// - Returns: nil when there is no such page.
    /// - Throws: `Problem.notHere` when it must be downloaded first.
    func read(_ url: URL) throws(Problem) -> Found? {
        var error: NSError?
        var outcome: Result<Found?, Problem> = .success(nil)
        NSFileCoordinator(filePresenter: nil).coordinate(readingItemAt: url, error: &error) { outcome = found($0) }
        if let error { throw Self.problem(error) }
        return try outcome.get()
    }
    private func found(_ url: URL) -> Result<Found?, Problem> {
        do {
            var found = Found(current: Page(text: String(decoding: try Data(contentsOf: url), as: UTF8.self)))
            for version in NSFileVersion.unresolvedConflictVersionsOfItem(at: url) ?? [] {
                found.losers.append(version)
                found.copies.append(Page(text: String(decoding: try Data(contentsOf: version.url), as: UTF8.self)))
            }
            return .success(found)
        } catch let error as CocoaError where error.code == .fileReadNoSuchFile || error.code == .fileNoSuchFile {
            return .success(nil)
        } catch {
            return .failure(Self.problem(error))
        }
    }
    private static func problem(_ error: any Error) -> Problem {
        let error = error as NSError
        let isPlaceholder =
            error.domain == NSCocoaErrorDomain && error.code == CocoaError.Code.ubiquitousFileUnavailable.rawValue
        return isPlaceholder ? .notHere : .failed(error)
    }

    // MARK: Writing

    /// Replaces a page by what `change` makes of it; nil changes nothing. Conflict copies that `change` was given are resolved once the
    /// new text is safe with the system: a kill in between leaves them to be merged again.
    func write(_ url: URL, _ change: (Found) -> Page?) throws(Problem) {
        var error: NSError?
        var outcome: Result<Found?, Problem> = .success(nil)
        NSFileCoordinator(filePresenter: nil).coordinate(writingItemAt: url, options: .forMerging, error: &error) {
            url in
            outcome = found(url)
            guard case .success(let present) = outcome, let page = change(present ?? Found()) else { return }
            do {
                try page.text.write(to: url, atomically: true, encoding: .utf8)
                // The system answers for the page from the end of the write on; on a full disk only once there is room again, and until
                // then a power cut takes what is not synced.
                try FileHandle(forWritingTo: url).synchronize()
            } catch { outcome = .failure(Self.problem(error)) }
        }
        if let error { throw Self.problem(error) }
        for loser in try outcome.get()?.losers ?? [] { loser.isResolved = true }
    }

    /// Makes one page of a page in conflict, both sides kept.
    func mergeConflicts(_ url: URL) throws(Problem) {
        try write(url) { found in found.copies.isEmpty || found.whole == found.current ? nil : found.whole }
    }

    // MARK: Downloading

    /// Waits until the pages are on this iPad.
    /// - Returns: false when one cannot be had now, or not in time.
    func download(_ urls: [URL], within limit: Duration) async -> Bool {
        for url in urls { try? FileManager.default.startDownloadingUbiquitousItem(at: url) }
        let outcome = Outcome()
        let timeout = Task {
            try? await Task.sleep(for: limit)
            outcome.settle(false)
        }
        NSFileCoordinator(filePresenter: nil).coordinate(with: urls.map { .readingIntent(with: $0) }, queue: .main) {
            error in
            outcome.settle(error == nil)
        }
        defer { timeout.cancel() }
        return await outcome.value
    }

    /// The first of two things to happen.
    @MainActor private final class Outcome {
        private var settled: Bool?
        private var waiter: CheckedContinuation<Bool, Never>?
        func settle(_ value: Bool) {
            guard settled == nil else { return }
            settled = value
            waiter?.resume(returning: value)
            waiter = nil
        }
        var value: Bool {
            get async {
                if let settled { return settled }
                return await withCheckedContinuation { waiter = $0 }
            }
        }
    }
}
