import Foundation
import PadDouble
import Testing
import Ubiquity

extension UbiquityTests {
    @Suite("Documents", .timeLimit(.minutes(20))) struct Documents {
        private static let folder = "/var/mobile/Library/Mobile Documents/iCloud.com.example.test/Documents"
        private let page = URL(filePath: "\(folder)/page.txt")

        @Test("Coordinated write: begun, written, ended, and only then answered for")
        func write() {
            let pad = PadDouble()
            let found = pad.run { [page] in
                var error: NSError?
                NSFileCoordinator(filePresenter: nil).coordinate(
                    writingItemAt: page, options: .forReplacing, error: &error
                ) {
                    try? "drawn".write(to: $0, atomically: false, encoding: .utf8)
                }
                return [error.map { "\($0.code)" } ?? "no error"]
            }
            #expect(found == ["no error"])
            #expect(pad.calls.suffix(3).map(\.name) == ["docs.beginWrite", "file.write", "docs.endWrite"])
            #expect(pad.documents.journaled == [page.path])
        }

        @Test(
            "Coordinated write: refused at its begin, the accessor does not run; refused at its end, the error says so",
            arguments: ["begin", "end"])
        func refusedWrite(which: String) {
            let pad = PadDouble()
            pad.refusals["docs.\(which)Write"] = linkError("NSCocoaErrorDomain", 640)
            let found = pad.run { [page] in
                var error: NSError?
                var hasRun = false
                NSFileCoordinator().coordinate(writingItemAt: page, error: &error) { _ in hasRun = true }
                return ["\(error?.code ?? 0) \(hasRun)"]
            }
            #expect(found == [which == "begin" ? "640 false" : "640 true"])
        }

        @Test(
            "Coordinated read: 4353 for a placeholder; by intent it is downloaded, or fails without a network (S68, S116)"
        )
        func read() {
            let pad = PadDouble()
            pad.documents.remote[page.path] = Array("far".utf8)
            let now: @MainActor () async throws -> [String] = { [page] in
                var error: NSError?
                var text = "not read"
                NSFileCoordinator().coordinate(readingItemAt: page, error: &error) {
                    text = (try? Data(contentsOf: $0)).map { String(decoding: $0, as: UTF8.self) } ?? "unreadable"
                }
                return [error.map { "\($0.code)" } ?? text]
            }
            let later: @MainActor () async throws -> [String] = { [page] in
                try await withCheckedThrowingContinuation { (done: CheckedContinuation<Void, any Error>) in
                    NSFileCoordinator().coordinate(with: [.readingIntent(with: page)], queue: .main) { error in
                        if let error { done.resume(throwing: error) } else { done.resume() }
                    }
                }
                return [String(decoding: try Data(contentsOf: page), as: UTF8.self)]
            }
            #expect(pad.run(now) == ["4353"])
            pad.online = false
            #expect(pad.run(later) == ["NSCocoaErrorDomain 4353"])
            pad.online = true
            #expect(pad.run(later) == ["far"])
            #expect(pad.run(now) == ["far"])
        }

        @Test("Another app at the place: the synchronous forms give 255, the form with intents waits its turn (S39)")
        func turns() {
            let pad = PadDouble()
            pad.files[page.path] = [7]
            for name in ["docs.beginWrite", "docs.beginRead"] {
                pad.refusals[name] = linkError("NSCocoaErrorDomain", 255)
            }
            let found = pad.run { [page] in
                var (write, read): (NSError?, NSError?)
                NSFileCoordinator().coordinate(writingItemAt: page, error: &write) { _ in read = nil }
                NSFileCoordinator().coordinate(readingItemAt: page, error: &read) { _ in write = nil }
                return ["\(write?.code ?? 0) \(read?.code ?? 0)"]
            }
            #expect(found == ["255 255"])
            nonisolated(unsafe) var done: [String] = []
            _ = pad.run { [page] in
                let intents: [NSFileAccessIntent] = [.writingIntent(with: page), .readingIntent(with: page)]
                NSFileCoordinator().coordinate(with: [intents[0]], queue: .main) { done.append("write \($0 == nil)") }
                NSFileCoordinator().coordinate(with: [intents[1]], queue: .main) { done.append("read \($0 == nil)") }
                return []
            }
            #expect(done.isEmpty && pad.calls("docs.endWrite").isEmpty)
            pad.answerLate("docs.beginWrite", .empty)
            #expect(done == ["write true"] && pad.calls("docs.endWrite").count == 1)
            pad.answerLate("docs.beginRead", linkError("NSCocoaErrorDomain", 257))
            #expect(done == ["write true", "read false"] && pad.calls("docs.endRead").isEmpty)
        }

        @Test("Resource values: how far a document is in sync, also when its data are elsewhere; errors as Cocoa's")
        func resourceValues() {
            let pad = PadDouble()
            pad.documents.remote[page.path] = Array("far".utf8)
            pad.documents.more[page.path] = [
                "uploaded": false, "uploading": true, "requested": true, "downloadError": 4355,
                "containerName": "Pages",
            ]
            let found = pad.run { [page] in
                let keys: [URLResourceKey] = [
                    .isUbiquitousItemKey, .ubiquitousItemDownloadingStatusKey, .ubiquitousItemIsDownloadingKey,
                    .ubiquitousItemDownloadRequestedKey, .ubiquitousItemIsUploadedKey, .ubiquitousItemIsUploadingKey,
                    .ubiquitousItemHasUnresolvedConflictsKey, .ubiquitousItemContainerDisplayNameKey,
                    .ubiquitousItemIsSharedKey, .ubiquitousItemIsExcludedFromSyncKey,
                    .ubiquitousItemUploadingErrorKey, .ubiquitousItemDownloadingErrorKey,
                ]
                let values = try page.resourceValues(forKeys: keys)
                let none = URL(filePath: "\(Self.folder)/none.txt")
                return [
                    "\(values.isUbiquitousItem == true) \(values.ubiquitousItemDownloadingStatus == .notDownloaded)",
                    "\([values.ubiquitousItemIsDownloading, values.ubiquitousItemDownloadRequested].map { $0 == true })",
                    "\([values.ubiquitousItemIsUploaded, values.ubiquitousItemIsUploading].map { $0 == true })",
                    "\(values.ubiquitousItemHasUnresolvedConflicts == false) \(values.ubiquitousItemContainerDisplayName ?? "")",
                    "\(values.ubiquitousItemIsShared == false) \(values.ubiquitousItemIsExcludedFromSync == false)",
                    "\(values.ubiquitousItemUploadingError?.code ?? 0) \(values.ubiquitousItemDownloadingError?.code ?? 0)",
                    "\((try? none.resourceValues(forKeys: keys)) == nil) \((try? page.resourceValues(forKeys: [.fileSizeKey])) == nil)",
                ]
            }
            #expect(
                found == [
                    "true true", "[false, true]", "[false, true]", "true Pages", "true true", "0 4355", "true true",
                ])
            pad.documents.remote = [:]
            pad.files[page.path] = [1]
            pad.documents.more[page.path] = ["uploaded": false, "uploadError": 4354]
            let local = pad.run { [page] in
                let values = try page.resourceValues(
                    forKeys: [.ubiquitousItemUploadingErrorKey, .ubiquitousItemDownloadingStatusKey])
                let query = NSMetadataQuery()
                query.start()
                try await Task.sleep(for: .milliseconds(10))
                let item = query.results.first as? NSMetadataItem
                let error = item?.value(forAttribute: NSMetadataUbiquitousItemUploadingErrorKey) as? NSError
                return [
                    "\(values.ubiquitousItemUploadingError?.domain ?? "") \(values.ubiquitousItemUploadingError?.code ?? 0)",
                    "\(values.ubiquitousItemDownloadingStatus == .current) \(error?.code ?? 0)",
                    "\(item?.value(forAttribute: NSMetadataUbiquitousItemPercentUploadedKey) as? Double ?? -1)",
                ]
            }
            #expect(local == ["NSCocoaErrorDomain 4354", "true 4354", "0.0"])
        }

        @Test("Versions: a loser takes the item's place, by copy or used up by it; the others are those that wait")
        func replaceItem() {
            let pad = PadDouble()
            pad.files[page.path] = Array("mine".utf8)
            pad.documents.conflicts[page.path] = [("c1", Array("theirs".utf8)), ("c2", Array("older".utf8))]
            let found = pad.run { [page] in
                func read() throws -> String { String(decoding: try Data(contentsOf: page), as: UTF8.self) }
                let others = NSFileVersion.otherVersionsOfItem(at: page) ?? []
                let place = try others[0].replaceItem(at: page)
                let first = try read()
                let waiting = NSFileVersion.otherVersionsOfItem(at: page)?.count ?? -1
                try others[1].replaceItem(at: page, options: .byMoving)
                let left = NSFileVersion.otherVersionsOfItem(at: page)?.count ?? -1
                return [
                    "\(others.count) \(place == page) \(first) \(waiting)",
                    "\(try read()) \(left) \(others[1].isResolved)",
                    "\(NSFileVersion.otherVersionsOfItem(at: URL(filePath: "/x")) == nil)",
                ]
            }
            #expect(found == ["2 true theirs 2", "older 1 true", "true"])
        }

        @Test("Moved into the container and out again: coordinated; evicted only when the Pad allows it (S111)")
        func ubiquitous() {
            let pad = PadDouble()
            pad.files["\(pad.home)/Documents/a.txt"] = [7]
            let found = pad.run { [page] in
                let files = FileManager.default
                let local = files.homeDirectoryForCurrentUser.appending(path: "Documents/a.txt")
                try files.setUbiquitous(true, itemAt: local, destinationURL: page)
                let isThere = files.isUbiquitousItem(at: page) && files.fileExists(atPath: page.path)
                try files.evictUbiquitousItem(at: page)
                try files.setUbiquitous(false, itemAt: page, destinationURL: local)
                return ["\(isThere) \(files.fileExists(atPath: local.path)) \(files.isUbiquitousItem(at: local))"]
            }
            #expect(found == ["true true false"])
            let targets = pad.calls("docs.beginWrite").map { $0["movedTo"]?.string ?? "-" }
            #expect(targets == ["-", "\(pad.home)/Documents/a.txt"])
            #expect(pad.documents.journaled == [page.path, page.path])
            pad.refusals["docs.evict"] = linkError("NSCocoaErrorDomain", 512)
            let refused = pad.run { [page] in
                try FileManager.default.evictUbiquitousItem(at: page)
                return []
            }
            #expect(refused == ["NSCocoaErrorDomain 512"])
        }

        @Test("Conflict versions: read by their URL, resolved one by one or all")
        func versions() {
            let pad = PadDouble()
            pad.files[page.path] = Array("winner".utf8)
            pad.documents.conflicts[page.path] = [
                ("v1", Array("one".utf8)), ("v2", Array("two".utf8)), ("v3", Array("three".utf8)),
            ]
            let found = pad.run { [page] in
                let versions = NSFileVersion.unresolvedConflictVersionsOfItem(at: page) ?? []
                let texts = try versions.map { String(decoding: try Data(contentsOf: $0.url), as: UTF8.self) }
                versions[0].isResolved = true
                let left = NSFileVersion.unresolvedConflictVersionsOfItem(at: page)?.count ?? -1
                try NSFileVersion.removeOtherVersionsOfItem(at: page)
                return texts + ["\(left) \(NSFileVersion.unresolvedConflictVersionsOfItem(at: page)?.count ?? -1)"]
                    + [
                        "\(NSFileVersion.currentVersionOfItem(at: page)?.isConflict ?? true) \(versions[1].localizedNameOfSavingComputer ?? "")"
                    ]
            }
            #expect(found == ["one", "two", "three", "2 0", "false ipad-2"])
            #expect(pad.calls("docs.resolve").map { $0["ids"]?.strings ?? [] } == [["v1"], ["v2", "v3"]])
        }

        @Test("Query: gathers placeholders too, follows changes, stops (S108)")
        func query() {
            let pad = PadDouble()
            pad.documents.remote[page.path] = Array("far".utf8)
            nonisolated(unsafe) var updates = 0
            nonisolated(unsafe) var query: NSMetadataQuery?
            let found = pad.run {
                let made = NSMetadataQuery()
                query = made
                NotificationCenter.default.addObserver(forName: .NSMetadataQueryDidUpdate, object: made, queue: .main) {
                    _ in updates += 1
                }
                let gathered = NotificationCenter.default.notifications(
                    named: .NSMetadataQueryDidFinishGathering, object: made)
                made.start()
                for await _ in gathered { break }
                let item = made.results.first as? NSMetadataItem
                return [
                    item?.value(forAttribute: NSMetadataItemFSNameKey) as? String ?? "",
                    item?.value(forAttribute: NSMetadataUbiquitousItemDownloadingStatusKey) as? String ?? "",
                ]
            }
            #expect(found == ["page.txt", NSMetadataUbiquitousItemDownloadingStatusNotDownloaded])
            pad.files["\(Self.folder)/second.txt"] = []
            pad.deliver("docs.changed", ["paths": []])
            #expect(updates == 1)
            #expect(pad.run { ["\(query?.resultCount ?? 0)"] } == ["2"])
            _ = pad.run {
                query?.stop(); return []
            }
            pad.deliver("docs.changed", ["paths": []])
            #expect(updates == 1)
        }

        @Test(
            "Query with a predicate: names, sizes, dates and states, joined by AND, OR and NOT; wrong ones do not start",
            arguments: [
                ("kMDItemFSName = 'a.txt' OR kMDItemFSName = 'c.md'", ["a.txt", "c.md"]),
                ("kMDItemFSName LIKE '*.txt' AND NOT kMDItemFSName BEGINSWITH 'a'", ["B.txt"]),
                ("NOT (kMDItemFSName = 'a.txt' || kMDItemFSName = 'c.md') AND TRUEPREDICATE", ["B.txt"]),
                ("kMDItemFSName LIKE[c] 'b.T?T'", ["B.txt"]),
                ("kMDItemFSName ENDSWITH '.md' || FALSEPREDICATE", ["c.md"]),
                ("kMDItemFSName IN {'a.txt', 'x'}", ["a.txt"]), ("kMDItemFSName CONTAINS[c] 'B'", ["B.txt"]),
                ("'.TXT' IN[c] kMDItemFSName", ["B.txt", "a.txt"]), ("NOT 'txt' IN kMDItemFSName", ["c.md"]),
                ("'txt' IN nothing", []), ("'txt' = kMDItemFSName", nil),
                ("ANY kMDItemFSName = 'c.md'", ["c.md"]), ("NONE kMDItemFSName = 'c.md'", ["B.txt", "a.txt"]),
                ("kMDItemFSSize > 2", ["a.txt", "c.md"]), ("kMDItemFSSize BETWEEN {3, 3}", ["a.txt"]),
                ("kMDItemFSSize <= 3 AND kMDItemFSSize != 3", ["B.txt"]),
                ("NSMetadataUbiquitousItemIsUploadedKey = TRUE", ["B.txt", "a.txt", "c.md"]),
                ("nothing = 1", []), ("nothing != 1", ["B.txt", "a.txt", "c.md"]), ("FALSEPREDICATE", []),
                ("kMDItemFSName = 1", []), ("kMDItemFSName LIKE", nil), ("(kMDItemFSName = 'a'", nil),
                ("kMDItemFSName MATCHES 'a'", nil), (String(repeating: "NOT ", count: 1000) + "FALSEPREDICATE", nil),
            ] as [(String, [String]?)])
        func filtered(format: String, names: [String]?) {
            let pad = PadDouble()
            for (name, size) in [("a.txt", 3), ("B.txt", 2), ("c.md", 4)] {
                pad.files["\(Self.folder)/\(name)"] = Array(repeating: 7, count: size)
            }
            nonisolated(unsafe) var query: NSMetadataQuery?
            let found = pad.run {
                let made = NSMetadataQuery()
                made.predicate = NSPredicate(format: format)
                query = made
                return ["\(made.start())"]
            }
            #expect(found == ["\(names != nil)"])
            guard let names else { return }
            let items = pad.run {
                (query?.results ?? []).map {
                    ($0 as? NSMetadataItem)?.value(forAttribute: NSMetadataItemFSNameKey) as? String ?? "?"
                }
            }
            #expect(items == names, "\(format)")
        }

        @Test("Metadata query: started off the main thread, its news come on it: there a view is updated (S86)")
        func mainThread() {
            let pad = PadDouble()
            nonisolated(unsafe) var heard: [String] = []
            nonisolated(unsafe) var query: NSMetadataQuery?
            _ = pad.run {
                for name in [NSNotification.Name.NSMetadataQueryDidFinishGathering, .NSMetadataQueryDidUpdate] {
                    NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { _ in
                        heard.append(AppLink.current.isOnMain ? "news on main" : "news elsewhere")
                    }
                }
                await Task.detached {
                    heard.append(AppLink.current.isOnMain ? "started on main" : "started elsewhere")
                    query = NSMetadataQuery()
                    query?.start()
                }.value
                return []
            }
            pad.deliver("docs.changed", ["paths": []])
            #expect(heard == ["started elsewhere", "news on main", "news on main"])
        }
    }
}
