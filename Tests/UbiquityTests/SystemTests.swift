import Foundation
import PadDouble
import Testing
import Ubiquity

extension UbiquityTests {
    @Suite("The running app", .timeLimit(.minutes(20))) struct System {
        private func names(_ pad: PadDouble) -> [String] { pad.state()?.items.map(\.digest) ?? [] }

        @Test(
            "Launch: willFinishLaunching is the first code, then restoration, then didFinishLaunching, then active (S124)"
        )
        func launchOrder() {
            let pad = PadDouble()
            pad.launch(Diary.self)
            #expect(names(pad) == ["willFinish", "didFinish", "active"])
            pad.deliver("app.didEnterBackground", exchange: 1)
            pad.kill()
            pad.launch(Diary.self)
            #expect(
                names(pad) == [
                    "willFinish", "should 2", "didDecode", "decode page", "decode note", "didFinish", "active",
                ])
        }

        @Test("Restoration: both delegate methods must say yes, or nothing is kept, and nothing restored (S193)")
        func optIn() {
            let pad = PadDouble()
            Diary.saves = false
            defer { (Diary.saves, Diary.restores) = (true, true) }
            pad.launch(Diary.self)
            pad.deliver("app.didEnterBackground", exchange: 1)
            #expect(pad.archive == nil)
            Diary.saves = true
            pad.deliver("app.didEnterBackground", exchange: 1)
            #expect(pad.archive != nil)
            Diary.restores = false
            pad.kill()
            pad.launch(Diary.self)
            #expect(names(pad) == ["willFinish", "should 2", "didFinish", "active"])
        }

        @Test("Restoration: nothing is encoded before the snapshot, which the answer carries (S187, S193)")
        func afterSnapshot() {
            let pad = PadDouble()
            pad.asksForState = false
            pad.launch(Diary.self)
            #expect(pad.ask("app.didEnterBackground")?["preserves"] == true)
            #expect(pad.archive == nil && !names(pad).contains("willEncode"))
            pad.deliver("app.saveState", exchange: 3)
            #expect(pad.archive != nil && names(pad).suffix(3) == ["willEncode", "encode page", "encode note"])
        }

        @Test("Restoration: only objects with an identifier; without one, nothing below it either (S195)")
        func identifiers() throws {
            let pad = PadDouble()
            pad.launch(Diary.self)
            pad.deliver("app.didEnterBackground", exchange: 1)
            let archive = try Value(json: #require(pad.archive))
            let children = archive["root"]?["children"]?.array ?? []
            #expect(archive["root"]?["name"] == "page" && children.compactMap { $0["name"]?.string } == ["note"])
            #expect(!String(decoding: archive.jsonBytes, as: UTF8.self).contains("below-nothing"))
        }

        @Test("Restoration: the app's own state comes first and holds a version; another version is declined (S196)")
        func version() throws {
            let pad = PadDouble()
            pad.launch(Diary.self)
            pad.deliver("app.didEnterBackground", exchange: 1)
            #expect(names(pad).suffix(3) == ["willEncode", "encode page", "encode note"])
            var archive = try Value(json: #require(pad.archive))
            archive["app"] = ["version": 1]
            pad.archive = archive.jsonBytes
            pad.kill()
            pad.launch(Diary.self)
            #expect(names(pad) == ["willFinish", "should 1", "didFinish", "active"])
        }

        @Test("Restoration: an object of another class is passed over, of a subclass it is restored (S198)")
        func classes() {
            defer { Diary.note = { DiaryView("note") } }
            for (kept, present, isRestored) in [
                (false, false, true), (false, true, true), (true, true, true), (true, false, false),
            ] {
                let pad = PadDouble()
                Diary.note = { kept ? DiarySubview("note") : DiaryView("note") }
                pad.launch(Diary.self)
                pad.deliver("app.didEnterBackground", exchange: 1)
                pad.kill()
                Diary.note = { present ? DiarySubview("note") : DiaryView("note") }
                pad.launch(Diary.self)
                #expect(names(pad).contains("decode note") == isRestored, "\(kept) \(present)")
                #expect(names(pad).contains("decode page"))
            }
        }

        @Test(
            "Snapshot: shows what is on the screen when didEnterBackground has returned: hidden content is hidden (S188)"
        )
        func snapshot() {
            let pad = PadDouble()
            pad.launch(Diary.self)
            #expect(pad.ask("app.willResignActive") == ["screen": "private words", "resident": 900])
            #expect(pad.ask("app.didEnterBackground") == ["screen": "a cover", "resident": 10, "preserves": true])
        }

        @Test("UIApplication: state, remaining time and protected data as the iPad says")
        func application() {
            let pad = PadDouble()
            pad.systemAnswers["app.state"] = [
                "state": "background", "remaining": 2_500_000_000, "protectedData": false,
            ]
            let body: @MainActor () async throws -> [String] = {
                let app = UIApplication.shared
                return ["\(app.applicationState) \(app.backgroundTimeRemaining) \(app.isProtectedDataAvailable)"]
            }
            #expect(pad.run(body) == ["background 2.5 false"])
            pad.systemAnswers["app.state"] = ["state": "active", "remaining": .null, "protectedData": true]
            #expect(pad.run(body) == ["active \(Double.greatestFiniteMagnitude) true"])
            pad.systemAnswers["app.identifierForVendor"] = ["identifier": "01234567-89AB-CDEF-0123-456789ABCDEF"]
            #expect(
                pad.run { [UIDevice.current.identifierForVendor?.uuidString ?? "none"] } == [
                    "01234567-89AB-CDEF-0123-456789ABCDEF"
                ])
        }

        @Test("Notices: posted under their names; of changed settings the new values are there already (S182)")
        func notices() {
            let pad = PadDouble()
            nonisolated(unsafe) var heard: [String] = []
            #expect(
                pad.run {
                    UserDefaults.standard.set("old", forKey: "password")
                    let center = NotificationCenter.default
                    center.addObserver(forName: UserDefaults.didChangeNotification, object: nil, queue: nil) { _ in
                        heard.append(UserDefaults.standard.string(forKey: "password") ?? "none")
                    }
                    center.addObserver(forName: nil, object: nil, queue: nil) { heard.append($0.name.rawValue) }
                    return []
                } == [])
            pad.deliver("app.notice", ["name": "NSCurrentLocaleDidChange"], exchange: 5)
            #expect(heard == ["NSCurrentLocaleDidChangeNotification"])
            pad.deliver("app.notice", ["name": "NSUserDefaultsDidChange", "values": ["password": "new"]], exchange: 6)
            #expect(heard.dropFirst() == ["new", "NSUserDefaultsDidChangeNotification"])
            #expect(pad.calls.last?.name == "app.settingsTaken")
            pad.kill()
            pad.launchExtras = ["settings": ["password": "newest", "sound": false]]
            #expect(
                pad.run {
                    [
                        UserDefaults.standard.string(forKey: "password") ?? "",
                        "\(UserDefaults.standard.bool(forKey: "sound"))",
                    ]
                } == ["newest", "false"])
            pad.kill()
            pad.launchExtras = .empty
            #expect(pad.run { [UserDefaults.standard.string(forKey: "password") ?? ""] } == ["newest"])
        }

        @Test("Changed settings: taken once for each notice, and only when they are durable here")
        func settingsTaken() {
            let pad = PadDouble()
            let body: @MainActor () async throws -> [String] = {
                _ = NotificationCenter.default
                return [UserDefaults.standard.string(forKey: "server") ?? "none"]
            }
            #expect(pad.run(body) == ["none"])
            func change(_ server: Value) {
                pad.deliver(
                    "app.notice", ["name": "NSUserDefaultsDidChange", "values": ["server": server]], exchange: 5)
            }
            change("a")
            #expect(pad.calls("app.settingsTaken") == [["values": ["server": "a"]]])
            for refused in ["file.write", "file.sync"] {
                pad.forgetCalls()
                pad.refusals = [refused: linkError("NSCocoaErrorDomain", 640)]
                change("b")
                #expect(pad.run(body) == ["b"] && pad.calls("app.settingsTaken").isEmpty, "\(refused)")
            }
            pad.refusals = [:]
            change("c")
            pad.powerCut()
            #expect(pad.run(body) == ["c"])
        }

        @Test("Memory warning: the delegate method, the notification, each part of the interface (S208)")
        func memoryWarning() {
            let pad = PadDouble()
            nonisolated(unsafe) var heard = 0
            _ = pad.run {
                NotificationCenter.default.addObserver(
                    forName: UIApplication.didReceiveMemoryWarningNotification, object: nil, queue: nil
                ) { _ in heard += 1 }
                return []
            }
            pad.deliver("app.memoryWarning")
            #expect(heard == 1)
            pad.kill()
            pad.launch(Diary.self)
            #expect(pad.ask("app.memoryWarning") == ["screen": "private words", "resident": 10])
            #expect(names(pad).suffix(4) == ["warned page", "warned note", "warned ", "warned below-nothing"])
        }

        @Test("Path monitor: the present state, then each change until it is cancelled (S201)")
        func pathMonitor() {
            let pad = PadDouble()
            pad.systemAnswers["app.watchNetwork"] = ["satisfied": true]
            nonisolated(unsafe) var seen: [String] = []
            nonisolated(unsafe) var kept: NWPathMonitor?
            _ = pad.run {
                let monitor = NWPathMonitor()
                monitor.pathUpdateHandler = { seen.append("\($0.status)") }
                monitor.start(queue: .main)
                kept = monitor
                return []
            }
            pad.deliver("app.networkPath", ["satisfied": false])
            _ = pad.run {
                kept?.cancel()
                return []
            }
            pad.deliver("app.networkPath", ["satisfied": true])
            #expect(seen == ["satisfied", "unsatisfied"])
        }

        @Test(
            "Protection: given with the data or by attributes, read back; the bundle is where it is, and readable (S191)"
        )
        func protection() {
            let pad = PadDouble()
            let found = pad.run {
                let files = FileManager.default
                let path = files.homeDirectoryForCurrentUser.path + "/Documents/a"
                files.createFile(
                    atPath: path, contents: Data([1]), attributes: [.protectionKey: FileProtectionType.complete])
                try files.setAttributes([.protectionKey: FileProtectionType.completeUnlessOpen], ofItemAtPath: path)
                return [Bundle.main.bundlePath, Bundle.main.path(forResource: "Info", ofType: "plist") ?? "none"]
            }
            #expect(found == ["/var/mobile/Containers/Bundle/Application/com.example.test/test.app", "none"])
            #expect(pad.calls("file.write").last?["protection"] == "complete")
            #expect(pad.calls("file.protect").last?["protection"] == "completeUnlessOpen")
        }

        @Test(
            "Habits: told only when the iPad asks: the token's reading with its thread, the container's with its thread (S76, S84)"
        )
        func habits() {
            let pad = PadDouble()
            let body: @MainActor () async throws -> [String] = {
                _ = FileManager.default.ubiquityIdentityToken
                await Task.detached { _ = FileManager.default.ubiquityIdentityToken }.value
                _ = FileManager.default.url(forUbiquityContainerIdentifier: nil)
                await Task.detached { _ = FileManager.default.url(forUbiquityContainerIdentifier: nil) }.value
                return []
            }
            #expect(pad.run(body) == [])
            #expect(pad.posts("app.habit").isEmpty && pad.calls("docs.container").allSatisfy { $0["main"] == nil })
            pad.kill()
            pad.forgetCalls()
            pad.launchExtras = ["habits": true]
            #expect(pad.run(body) == [])
            #expect(pad.posts("app.habit").map { $0["main"] } == [true, false])
            #expect(pad.calls("docs.container").map { $0["main"] } == [true, false])
        }
    }
}

/// An app that tells what was asked of it, and whose interface is a page with a note.
@MainActor final class Diary: PadApp {
    nonisolated static var declaration: AppDeclaration {
        AppDeclaration(name: "diary", infoPlistPath: "", channel: .document, actions: [], promises: [:])
    }
    nonisolated(unsafe) static var saves = true
    nonisolated(unsafe) static var restores = true
    nonisolated(unsafe) static var note: @MainActor () -> DiaryView = { DiaryView("note") }

    private var log: [String] = []
    private var isCovered = false
    private var hasDropped = false
    private let root = DiaryView("page")
    init() {
        let anonymous = DiaryView(nil)
        anonymous.restorationChildren = [DiaryView("below-nothing")]
        root.restorationChildren = [Self.note(), anonymous]
        root.visit { $0.log = { [weak self] in self?.log.append($0) } }
    }

    func application(willFinishLaunching reason: LaunchReason) async { log.append("willFinish") }
    func application(didFinishLaunching reason: LaunchReason) async { log.append("didFinish") }
    func applicationDidBecomeActive() async { log.append("active") }
    func applicationDidEnterBackground() async { (isCovered, hasDropped) = (true, true) }
    func applicationDidReceiveMemoryWarning() async { hasDropped = true }

    func application(shouldSaveSecureApplicationState coder: RestorationCoder) -> Bool { Self.saves }
    func application(willEncodeRestorableStateWith coder: RestorationCoder) {
        log.append("willEncode")
        coder.encode(2, forKey: "version")
    }
    func application(shouldRestoreSecureApplicationState coder: RestorationCoder) -> Bool {
        log.append("should \(coder.decodeInteger(forKey: "version"))")
        return Self.restores && coder.decodeInteger(forKey: "version") == 2
    }
    func application(didDecodeRestorableStateWith coder: RestorationCoder) { log.append("didDecode") }
    var restorationRoot: (any UIStateRestoring)? { root }

    var screen: String? { isCovered ? "a cover" : "private words" }
    var residentBytes: Int? { hasDropped ? 10 : 900 }

    func perform(_ edit: Edit) async throws {}
    func visibleState() async -> VisibleState {
        VisibleState(log.enumerated().map { Item(id: "\($0)", kind: "log", digest: $1) })
    }
}

@MainActor class DiaryView: UIStateRestoring {
    let restorationIdentifier: String?
    var children: [DiaryView] = []
    var log: (String) -> Void = { _ in }
    var restorationChildren: [any UIStateRestoring] {
        get { children }
        set { children = newValue.compactMap { $0 as? DiaryView } }
    }
    init(_ name: String?) { restorationIdentifier = name }

    func visit(_ body: (DiaryView) -> Void) {
        body(self)
        for child in children { child.visit(body) }
    }
    func encodeRestorableState(with coder: RestorationCoder) { log("encode \(restorationIdentifier ?? "")") }
    func didReceiveMemoryWarning() { log("warned \(restorationIdentifier ?? "")") }
    func decodeRestorableState(with coder: RestorationCoder) { log("decode \(restorationIdentifier ?? "")") }
}
final class DiarySubview: DiaryView {}
