import Foundation
import PadDouble
import Testing
import Ubiquity

/// A presenter that writes down what it is asked and told.
private final class Listener: NSFilePresenter, @unchecked Sendable {
    nonisolated(unsafe) static var heard: [String] = []
    nonisolated(unsafe) static var held: [Listener] = []

    let name: String
    var url: URL?
    /// Answers are kept until the test gives them.
    var isSlow = false
    var refusal: CocoaError?
    var answersTwice = false
    private var late: [() -> Void] = []

    init(_ name: String, _ url: URL?) { (self.name, self.url) = (name, url) }
    var presentedItemURL: URL? { url }
    func say(_ text: String) { Self.heard.append("\(name) \(text)") }
    func giveLate() {
        for answer in late { answer() }
        late = []
    }
    private func answer(_ body: @escaping () -> Void) { if isSlow { late.append(body) } else { body() } }

    func relinquishPresentedItem(toReader reader: @escaping @Sendable ((@Sendable () -> Void)?) -> Void) {
        say("to reader")
        answer { reader { self.say("back") } }
    }
    func relinquishPresentedItem(toWriter writer: @escaping @Sendable ((@Sendable () -> Void)?) -> Void) {
        say("to writer")
        answer { writer { self.say("back") } }
        if answersTwice { writer(nil) }
    }
    func savePresentedItemChanges(completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
        say("save")
        completionHandler(refusal)
    }
    func accommodatePresentedItemDeletion(completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
        say("deletion")
        completionHandler(refusal)
        if answersTwice { completionHandler(nil) }
    }
    func presentedItemDidChange() { say("changed") }
    func presentedItemDidMove(to newURL: URL) {
        say("moved to \(newURL.lastPathComponent)")
        url = newURL
    }
}

extension UbiquityTests {
    @Suite("File presenters", .serialized, .timeLimit(.minutes(20))) struct Presenters {
        private static let folder = "/var/mobile/Library/Mobile Documents/iCloud.com.example.test/Documents"
        private static let page = URL(filePath: "\(folder)/page.txt")
        private static let other = URL(filePath: "\(folder)/other.txt")
        private let pad = PadDouble()

        init() {
            Listener.heard = []
            Listener.held = []
        }
        /// Adds presenters, runs code, and gives what they heard with what the code says.
        private func run(
            _ listeners: [Listener], _ body: @escaping @MainActor (Listener) async throws -> Void
        ) -> [String] {
            Listener.held = listeners
            return pad.run {
                for listener in Listener.held { NSFileCoordinator.addFilePresenter(listener) }
                try await body(Listener.held[0])
                return Listener.heard
            }
        }
        private static func write(
            _ url: URL, _ options: NSFileCoordinator.WritingOptions = [], by presenter: Listener? = nil,
            _ body: (URL) -> Void = { try? "x".write(to: $0, atomically: true, encoding: .utf8) }
        ) -> Int {
            var error: NSError?
            NSFileCoordinator(filePresenter: presenter).coordinate(writingItemAt: url, options: options, error: &error)
            {
                Listener.heard.append("writes")
                body($0)
            }
            return error?.code ?? 0
        }

        @Test("Write: others relinquish, hear of the change, have it back; in order, and never the writer's own")
        func writing() {
            let heard = run([Listener("a", Self.page), Listener("b", Self.page), Listener("c", Self.other)]) { a in
                #expect(Self.write(Self.page, by: a) == 0)
            }
            #expect(heard == ["b to writer", "writes", "b changed", "b back"])
            Listener.heard = []
            let both = pad.run {
                _ = Self.write(Self.page, .forMerging)
                return Listener.heard
            }
            #expect(
                both == [
                    "a to writer", "a save", "b to writer", "b save", "writes", "a changed", "b changed", "a back",
                    "b back",
                ])
            #expect(pad.calls.last { $0.name.hasPrefix("docs.") }?.name == "docs.endWrite")
        }

        @Test("Read: others save what the person changed, unless the reader wants no changes")
        func reading() {
            pad.files[Self.page.path] = [7]
            let heard = run([Listener("a", Self.page)]) { _ in
                for options in [[], NSFileCoordinator.ReadingOptions.withoutChanges] {
                    NSFileCoordinator().coordinate(readingItemAt: Self.page, options: options, error: nil) { _ in
                        Listener.heard.append("reads")
                    }
                }
            }
            #expect(heard == ["a to reader", "a save", "reads", "a back", "a to reader", "reads", "a back"])
        }

        @Test("Deletion and replacement: made ready for, and no change is told after it", arguments: [true, false])
        func deleting(isReplaced: Bool) {
            pad.files[Self.page.path] = [7]
            let heard = run([Listener("a", Self.page)]) { _ in
                #expect(
                    Self.write(Self.page, isReplaced ? .forReplacing : .forDeleting) {
                        try? FileManager.default.removeItem(at: $0)
                    } == 0)
            }
            #expect(heard == ["a to writer", "a deletion", "writes", "a back"])
        }

        @Test("Move: told with the new place instead of a change; the presenter is found there from then on")
        func moving() {
            pad.files[Self.page.path] = [7]
            let heard = run([Listener("a", Self.page)]) { _ in
                let coordinator = NSFileCoordinator()
                coordinator.coordinate(
                    writingItemAt: Self.page, options: .forMoving, writingItemAt: Self.other, options: .forReplacing,
                    error: nil
                ) { from, to in
                    coordinator.item(at: from, willMoveTo: to)
                    try? FileManager.default.moveItem(at: from, to: to)
                    coordinator.item(at: from, didMoveTo: to)
                    Listener.heard.append("moves")
                }
                _ = Self.write(Self.page)
                _ = Self.write(Self.other)
            }
            #expect(
                heard == [
                    "a to writer", "moves", "a moved to other.txt", "a back", "writes", "a to writer", "writes",
                    "a changed",
                    "a back",
                ])
            #expect(pad.calls("docs.present").map { $0["paths"]?.strings } == [[Self.page.path], [Self.other.path]])
        }

        @Test("Refusals: an error of one keeps the writer away, and those who relinquished have it back")
        func refusing() {
            let (one, two) = (Listener("a", Self.page), Listener("b", Self.page))
            two.refusal = CocoaError(.fileWriteOutOfSpace)
            let heard = run([one, two]) { _ in
                #expect(Self.write(Self.page, .forMerging) == 640)
                #expect(Self.write(Self.page, .forDeleting) == 640)
            }
            let asked = ["a to writer", "a save", "b to writer", "b save", "a back", "b back"]
            #expect(heard == asked + asked.map { $0.replacing("save", with: "deletion") })
            #expect(pad.calls("docs.beginWrite").isEmpty)
            Listener.heard = []
            two.refusal = nil
            pad.refusals["docs.beginWrite"] = linkError("NSCocoaErrorDomain", 257)
            let refused = pad.run { ["\(Self.write(Self.page))"] + Listener.heard }
            #expect(refused == ["257", "a to writer", "b to writer", "a back", "b back"], "nothing was changed")
        }

        @Test(
            "Slow presenters: the synchronous form gives up, the form with intents waits; answering twice counts once")
        func slow() {
            pad.files[Self.page.path] = [7]
            let one = Listener("a", Self.page)
            one.isSlow = true
            let heard = run([one]) { a in
                #expect(Self.write(Self.page) == 512)
                var error: NSError?
                NSFileCoordinator().coordinate(readingItemAt: Self.page, error: &error) { _ in
                    Listener.heard.append("reads")
                }
                #expect(error?.code == 256)
                a.giveLate()
                Listener.heard.append("-")
                await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
                    NSFileCoordinator().coordinate(with: [.writingIntent(with: Self.page)], queue: .main) { error in
                        Listener.heard.append("writes \(error == nil)")
                        done.resume()
                    }
                    Task {
                        try? await Task.sleep(for: .seconds(3))
                        a.giveLate()
                    }
                }
            }
            #expect(
                heard == [
                    "a to writer", "a to reader", "a back", "a back", "-", "a to writer", "writes true",
                    "a changed", "a back",
                ])
            one.isSlow = false
            one.answersTwice = true
            Listener.heard = []
            let twice = pad.run {
                _ = Self.write(Self.page, .forDeleting)
                return Listener.heard
            }
            #expect(twice == ["a to writer", "a deletion", "writes", "a back"])
        }

        @Test(
            "Given up: items are back at once, a late answer's too; nobody is asked to save or make ready, and the rest not at all",
            arguments: [NSFileCoordinator.WritingOptions.forMerging, .forDeleting])
        func givenUp(options: NSFileCoordinator.WritingOptions) {
            let what = options == .forMerging ? "save" : "deletion"
            let slow = Listener("b", Self.page)
            slow.isSlow = true
            let heard = run([Listener("a", Self.page), slow, Listener("c", Self.page)]) { _ in
                #expect(Self.write(Self.page, options) == 512)
                Listener.heard.append("-")
                slow.giveLate()
            }
            #expect(heard == ["a to writer", "a \(what)", "b to writer", "a back", "-", "b back"])
            Listener.heard = []
            slow.isSlow = false
            let again = pad.run { ["\(Self.write(Self.page, options))"] + Listener.heard }
            #expect(again.first == "0" && again.suffix(3) == ["a back", "b back", "c back"])
        }

        @Test(
            "Presenters that wait for each other without holding anybody up: an error instead of no end, once and again"
        )
        func slowCircle() {
            final class Writer: NSFilePresenter, @unchecked Sendable {
                let presentedItemURL: URL?
                var (asked, errors) = (0, 0)
                init(_ url: URL) { presentedItemURL = url }
                func relinquishPresentedItem(toWriter writer: @escaping @Sendable ((@Sendable () -> Void)?) -> Void) {
                    asked += 1
                    // Else the test would not end where the app would not.
                    guard asked < 5000 else { return writer(nil) }
                    NSFileCoordinator().coordinate(with: [.writingIntent(with: Presenters.page)], queue: .main) {
                        error in
                        if error != nil { self.errors += 1 }
                        writer(nil)
                    }
                }
            }
            let found = pad.run {
                let writer = Writer(Self.page)
                NSFileCoordinator.addFilePresenter(writer)
                for _ in 0..<2 {
                    writer.asked = 0
                    await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
                        NSFileCoordinator().coordinate(with: [.writingIntent(with: Self.page)], queue: .main) { error in
                            Listener.heard.append("\(error == nil) \(writer.asked) \(writer.errors)")
                            done.resume()
                        }
                    }
                }
                return Listener.heard
            }
            #expect(found == ["true 256 1", "true 256 2"])
        }

        @Test("Presenters that wait for each other: an error instead of no end")
        func circle() {
            final class Writer: NSFilePresenter, @unchecked Sendable {
                let presentedItemURL: URL?
                var code = 0
                init(_ url: URL) { presentedItemURL = url }
                func relinquishPresentedItem(toWriter writer: @escaping @Sendable ((@Sendable () -> Void)?) -> Void) {
                    let found = Presenters.write(Presenters.page)
                    code = max(code, found)
                    writer(nil)
                }
            }
            let found = pad.run {
                let writer = Writer(Self.page)
                NSFileCoordinator.addFilePresenter(writer)
                let code = Self.write(Self.page)
                NSFileCoordinator.removeFilePresenter(writer)
                return ["\(code) \(writer.code)", "\(NSFileCoordinator.filePresenters.count)"]
            }
            #expect(found == ["0 256", "0"])
        }

        @Test(
            "Other devices: what the Pad tells of presented documents comes in the same order; removed ones hear nothing"
        )
        func elsewhere() {
            let heard = run([Listener("a", Self.page), Listener("b", URL(filePath: "/var/mobile/x"))]) { _ in }
            #expect(heard.isEmpty)
            #expect(pad.calls("docs.present").map { $0["paths"]?.strings } == [[Self.page.path]])
            let path = Value.string(Self.page.path)
            pad.deliver("docs.presented", ["change": "changed", "path": path])
            pad.deliver("docs.presented", ["change": "deleted", "path": path])
            pad.deliver("docs.presented", ["change": "moved", "path": path, "to": .string(Self.other.path)])
            pad.deliver("docs.presented", ["change": "changed", "path": path])
            pad.deliver("docs.presented", ["change": "odd"])
            #expect(
                Listener.heard == [
                    "a to writer", "a changed", "a back", "a to writer", "a deletion", "a back", "a to writer",
                    "a moved to other.txt", "a back",
                ])
            Listener.heard = []
            let gone = pad.run {
                NSFileCoordinator.removeFilePresenter(Listener.held[0])
                _ = Self.write(Self.other)
                return Listener.heard
            }
            #expect(gone == ["writes"] && pad.calls("docs.present").last == ["paths": []])
        }

        @Test("Versions, eviction and parts of a folder: told to who presents the item, and to who presents the folder")
        func parts() {
            final class Parts: NSFilePresenter, @unchecked Sendable {
                let presentedItemURL: URL?
                init(_ url: URL) { presentedItemURL = url }
                func say(_ text: String) { Listener.heard.append(text) }
                func presentedItemDidGain(_ version: NSFileVersion) {
                    let text = (try? Data(contentsOf: version.url)).map { String(decoding: $0, as: UTF8.self) }
                    say("gain \(text ?? "unreadable") \(version.isResolved)")
                }
                func presentedItemDidLose(_ version: NSFileVersion) { say("lose \(version.isResolved)") }
                func presentedItemDidResolveConflict(_ version: NSFileVersion) {
                    say("resolve \(version.localizedNameOfSavingComputer ?? "")")
                }
                func accommodatePresentedItemEviction(completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
                    say("evict")
                    completionHandler(nil)
                }
                func presentedItemDidChange() { say("change") }
                let observedPresentedItemUbiquityAttributes: Set<URLResourceKey> = [
                    .ubiquitousItemIsUploadedKey, .ubiquitousItemUploadingErrorKey,
                ]
                func presentedItemDidChangeUbiquityAttributes(_ attributes: Set<URLResourceKey>) {
                    say("attributes \(attributes.contains(.ubiquitousItemUploadingErrorKey)) \(attributes.count)")
                }
                func presentedSubitemDidAppear(at url: URL) { say("sub appear \(url.lastPathComponent)") }
                func presentedSubitem(at oldURL: URL, didMoveTo newURL: URL) {
                    say("sub \(oldURL.lastPathComponent) to \(newURL.lastPathComponent)")
                }
                func accommodatePresentedSubitemDeletion(
                    at url: URL, completionHandler: @escaping @Sendable ((any Error)?) -> Void
                ) { say("sub deletion \(url.lastPathComponent)") }
                func presentedSubitem(at url: URL, didGain version: NSFileVersion) { say("sub gain") }
                func presentedSubitem(at url: URL, didLose version: NSFileVersion) { say("sub lose") }
                func presentedSubitem(at url: URL, didResolve version: NSFileVersion) { say("sub resolve") }
            }
            pad.documents.conflicts[Self.page.path] = [("c1", Array("theirs".utf8))]
            nonisolated(unsafe) var held: [Parts] = []
            _ = pad.run {
                held = [Parts(Self.page), Parts(URL(filePath: Self.folder))]
                for presenter in held { NSFileCoordinator.addFilePresenter(presenter) }
                return []
            }
            func told(_ change: String, _ more: Value = .empty) -> [String] {
                Listener.heard = []
                var body: Value = ["change": .string(change), "path": .string(Self.page.path)]
                for pair in more.object?.pairs ?? [] { body[pair.key] = pair.value }
                pad.deliver("docs.presented", body)
                return Listener.heard
            }
            let version: Value = ["version": ["id": "c1", "modified": 7, "device": "ipad-2"]]
            #expect(told("gained", version) == ["gain theirs false", "sub gain"])
            pad.documents.conflicts = [:]
            #expect(told("resolved", version) == ["resolve ipad-2", "sub resolve"])
            #expect(told("lost", version) == ["lose true", "sub lose"])
            #expect(told("lost") == [])
            #expect(told("evicted") == ["evict"])
            #expect(told("attributes", ["names": ["status", "uploadError"]]) == ["attributes true 1"])
            #expect(told("attributes", ["names": ["status", "odd"]]) == [])
            #expect(told("appeared") == ["sub appear page.txt"])
            #expect(told("changed") == ["change", "change"], "a folder's part changed: by default the folder")
            #expect(told("deleted") == ["sub deletion page.txt"])
            #expect(told("moved", ["to": .string(Self.other.path)]) == ["sub page.txt to other.txt"])
        }

        @Test("Moved into the container: who presents the local file hears of it")
        func ubiquitous() {
            let local = URL(filePath: pad.home + "/Documents/a.txt")
            pad.files[local.path] = [7]
            let heard = run([Listener("a", local)]) { _ in
                try FileManager.default.setUbiquitous(true, itemAt: local, destinationURL: Self.page)
            }
            #expect(heard == ["a moved to page.txt"])
        }
    }
}
