import Ubiquity

/// A quiz: its answers and its "introduction seen" flag are the person's, so they live in the key-value store (S22).
///
/// Keys are the items' ids: `answer-3`, `introDone-1`. One value a key; of two answers given at once the store's rule keeps the later
/// one. Correct: what nobody typed is never written to the store, and the introduction waits for the first values (S23).
class Quiz: PadApp {
    nonisolated class var declaration: AppDeclaration { quizDeclaration("quiz") }
    /// Questions of a quiz.
    static let questions = 8
    /// How long a launch waits for the first values of an empty store before it believes that there are none. ASSUMED.
    static let initialValuesWait = Duration.seconds(10)

    /// Bytes of a key (key-value-store.md 2).
    static let keyBytesMax = 64
    /// Half of what a store takes (key-value-store.md 2): the person's other iPads may add as much. ASSUMED.
    static let (answersMax, bytesMax) = (512, 512 << 10)

    /// What the person sees before the questions.
    enum Introduction { case undecided, shown, hidden }
    private(set) var introduction = Introduction.undecided
    private var waiters: [CheckedContinuation<Void, Never>] = []
    let store = NSUbiquitousKeyValueStore.default
    /// What the person sees of answers that the store has no room for.
    private let waiting = WaitingForRoom<String?>()
    /// The newest answers of this launch: of two that wait for room the store keeps one.
    private var newest: [String: Token] = [:]

    required init() {}

    func application(didFinishLaunching reason: LaunchReason) async {
        NotificationCenter.default.addObserver(
            forName: NSUbiquitousKeyValueStore.didChangeExternallyNotification, object: store, queue: .main
        ) { [weak self] _ in MainActor.assumeIsolated { self?.storeChanged() } }
        store.synchronize()
        prepareFirstRun()
    }
    func applicationWillEnterForeground() async { store.synchronize() }
    func applicationWillResignActive() async { store.synchronize() }

    /// The person's own flag decides, on whichever iPad it was set. An empty store may only mean that nothing has come yet.
    func prepareFirstRun() {
        if !store.dictionaryRepresentation.isEmpty { return decideIntroduction() }
        Task {
            try? await Task.sleep(for: Self.initialValuesWait)
            decideIntroduction()
        }
    }

    /// Another iPad has set something, or another account is there.
    func storeChanged() { decideIntroduction() }

    func decideIntroduction() {
        introduction = store.string(forKey: "introDone-1") == nil ? .shown : .hidden
        for waiter in waiters { waiter.resume() }
        waiters = []
    }
    private func firstValues() async {
        guard introduction == .undecided else { return }
        await withCheckedContinuation { waiters.append($0) }
    }

    // MARK: What people do and see

    func perform(_ edit: Edit) async throws {
        let key = PlainName.normal(edit.item)
        switch (edit.action, edit.verb) {
        case ("answer", .put) where key.hasPrefix("answer-"), ("finishIntro", .effect) where key == "introDone-1":
            try checkRoom(for: edit.value, key)
            let seen = visible(key)
            keep(edit.value, as: key)
            if edit.action == "finishIntro" { decideIntroduction() }
            newest[key] = edit.token
            // Given when the store has it on disk.
            if !store.synchronize() {
                try await waiting.wait(key, showing: .some(seen)) { store.synchronize() }
            }
            guard newest[key] == edit.token else {
                throw Refusal("another answer was given before this one had room")
            }
        default:
            throw Refusal("the quiz has no \(edit.action) for \(edit.item)")
        }
    }
    /// A key that is too long would end the app, and what exceeds the store is not kept (S103).
    /// - Throws: `Refusal` when this answer would be too much, with room left for what another iPad adds at the same time.
    private func checkRoom(for value: String, _ key: String) throws {
        guard key.utf8.count <= Self.keyBytesMax else {
            throw Refusal("a question's name must not have more than \(Self.keyBytesMax) bytes: '\(key)'")
        }
        let present = answers
        guard present[key] != value else { return }
        let bytes = present.reduce(key.utf8.count + value.utf8.count) { $0 + $1.key.utf8.count + $1.value.utf8.count }
        guard present.count < Self.answersMax, bytes <= Self.bytesMax else {
            throw Refusal("the quiz has no room for another answer: it holds \(present.count)")
        }
    }

    private func visible(_ key: String) -> String? { waiting[key] ?? answer(key) }

    // MARK: In the store

    /// What the person has answered, by key.
    var answers: [String: String] { store.dictionaryRepresentation.compactMapValues { $0 as? String } }
    func answer(_ key: String) -> String? { store.string(forKey: key) }
    func keep(_ value: String, as key: String) { store.set(value, forKey: key) }

    func visibleState() async -> VisibleState {
        await firstValues()
        return VisibleState(answers.keys.sorted().compactMap(item))
    }
    func visibleItem(_ id: String) async -> Item? { item(PlainName.normal(id)) }

    /// An empty answer is a question without one.
    private func item(_ key: String) -> Item? {
        guard let text = visible(key), !text.isEmpty else { return nil }
        if key == "introDone-1" { return Item(id: key, kind: "flag", digest: text) }
        return key.hasPrefix("answer-") ? Item(id: key, kind: "answer", text: text) : nil
    }
}

func quizDeclaration(_ name: AppName) -> AppDeclaration {
    AppDeclaration(
        name: name, infoPlistPath: infoPlistPath(name), channel: .keyValue,
        actions: [
            AppManifest.Action("answer", kind: "answer", verb: .put, weight: 8, pool: 8, prefix: "answer"),
            AppManifest.Action("finishIntro", kind: "flag", verb: .effect, pool: 1, prefix: "introDone"),
        ],
        promises: ["answer": .lastWriterWins, "flag": .effect])
}
