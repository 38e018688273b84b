import Ubiquity

/// Hands in essays by background upload to its own backend.
///
/// An essay is written to a file, handed to the system at once (S19, S27) and kept until the backend has confirmed it; what was not
/// confirmed is handed over again with growing pauses, and at every launch and activation what is not on its way. Everything may
/// happen twice: the address of an essay is its name.
class Homework: PadApp, URLSessionDataDelegate {
    nonisolated class var declaration: AppDeclaration { homeworkDeclaration("homework") }
    static let sessionIdentifier = "hand-in"
    /// Longest pause between two attempts in one launch, in seconds.
    static let longestPause = 64
    /// Between two looks whether a full iPad has room again, in seconds. ASSUMED.
    static let roomPause = 5

    // What variants put in place of these.
    class var outboxDirectory: FileManager.SearchPathDirectory { .applicationSupportDirectory }
    class var passwordAccessibility: CFString { kSecAttrAccessibleAfterFirstUnlock }
    private(set) lazy var outbox = Outbox(in: Self.outboxDirectory)
    private(set) lazy var backend = Backend(app: Self.declaration.name, accessible: Self.passwordAccessibility)
    private lazy var session = URLSession(
        configuration: .background(withIdentifier: Self.sessionIdentifier), delegate: self, delegateQueue: .main)
    /// Essays whose upload is with the system.
    private var underWay: Set<String> = []
    private var attempts: [String: Int] = [:]
    private var answers: [Int: Data] = [:]
    /// Confirmed in this launch.
    private var delivered: [String: String] = [:]
    private var isWaitingForRoom = false
    private var isLoggingIn = false
    private var loginTask = UIBackgroundTaskIdentifier.invalid

    required init() {}

    // MARK: Life

    func application(didFinishLaunching reason: LaunchReason) async {
        // The session first: the system gives outcomes of earlier launches to whoever opens it.
        for task in await session.allTasks { underWay.insert(task.taskDescription ?? "") }
        logIn()
        sendUnsent()
    }
    func applicationDidBecomeActive() async {
        logIn()
        sendUnsent()
    }
    func applicationWillResignActive() async { sendUnsent() }
    /// Nothing waits in memory, so there is nothing to do; declared for the twin.
    func applicationWillTerminate() async {}

    // MARK: Handing in

    func perform(_ edit: Edit) async throws {
        guard edit.action == "handIn", edit.verb == .put else {
            throw Refusal("homework can only be handed in, not \(edit.action)")
        }
        let id = PlainName.normal(edit.item)
        guard Outbox.encoded(id, bytesMax: Outbox.givenBytesMax) != nil else {
            throw Refusal("no essay can be called '\(id)'")
        }
        // The backend takes a name once.
        if let present = outbox.text(id) ?? delivered[id], present != edit.value {
            throw Refusal("'\(id)' is handed in already: choose another name")
        }
        try handIn(edit.value, id)
    }

    /// - Throws: `Refusal` when there is no room for the essay or the system does not take it: then nothing of it is kept.
    func handIn(_ text: String, _ id: String) throws {
        do { try outbox.write(text, id) } catch {
            throw Refusal("the essay could not be saved: \(error.localizedDescription)")
        }
        delivered[id] = nil
        if let error = send(id) {
            outbox.remove(id)
            throw Refusal("the essay could not be handed in: \(error.localizedDescription)")
        }
    }

    /// Gives an essay to the system, which waits for `pause` before it tries.
    /// - Returns: why it was not taken.
    @discardableResult func send(_ id: String, after pause: Int = 0) -> (any Error)? {
        guard let request = backend.upload(id) else { return URLError(.badURL) }
        let task = session.uploadTask(with: request, fromFile: outbox.file(id))
        task.taskDescription = id
        if pause > 0 { task.earliestBeginDate = Date(timeIntervalSinceNow: TimeInterval(pause)) }
        task.resume()
        if task.error == nil { underWay.insert(id) }
        return task.error
    }

    /// Hands over what is not on its way: left by a kill between file and upload, or once not taken for lack of room.
    /// A kill may have come before the file was safe: the backend may refuse the upload after a power cut.
    private func sendUnsent() {
        for id in outbox.ids where !underWay.contains(id) && outbox.makeSafe(id) { send(id) }
    }

    private func waitForRoom() {
        guard !isWaitingForRoom else { return }
        isWaitingForRoom = true
        Task {
            try? await Task.sleep(for: .seconds(Self.roomPause))
            isWaitingForRoom = false
            sendUnsent()
        }
    }

    private func logIn() {
        guard backend.credential == nil, !isLoggingIn else { return }
        isLoggingIn = true
        // An ordinary request: whoever leaves the app at once shall still get the password that essays go up with.
        loginTask = UIApplication.shared.beginBackgroundTask(withName: "log in") { [weak self] in
            self?.endLoginTask()
        }
        Task {
            _ = await backend.logIn()
            isLoggingIn = false
            endLoginTask()
        }
    }
    private func endLoginTask() {
        UIApplication.shared.endBackgroundTask(loginTask)
        loginTask = .invalid
    }

    // MARK: Outcomes

    func urlSession(_ session: URLSession, dataTask: URLSessionTask, didReceive data: Data) {
        answers[dataTask.taskIdentifier, default: Data()].append(data)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let answer = answers.removeValue(forKey: task.taskIdentifier) ?? Data()
        guard let id = task.taskDescription else { return }
        // The system had no room for its copy and would say so again at once.
        if (error as NSError?)?.domain == NSCocoaErrorDomain { return waitForRoom() }
        underWay.remove(id)
        // Told twice, or purged after the backend had it: nothing is left to do.
        guard let text = outbox.text(id) else { return }
        let status = (task.response as? HTTPURLResponse)?.statusCode ?? 0
        if error == nil, confirms(answer, status, id, text) {
            confirmed(id, text)
        } else if status == 409, error == nil {
            handInCopy(of: id, text)
        } else {
            let isRefused = status == 401 || status == 403
            sendAgain(id, refused: isRefused ? task.originalRequest : nil)
        }
    }
    /// Whether the backend has the essay, by its answer.
    func confirms(_ answer: Data, _ status: Int, _ id: String, _ text: String) -> Bool {
        (200..<300).contains(status) && backend.confirms(answer, id, size: text.utf8.count)
    }
    /// Back to the system before it forgets the failed task: the only copy must not wait in the sandbox, where a purge finds it.
    /// - Parameter request: what the backend refused for its password. Only that password is forgotten: there may be a newer one.
    func sendAgain(_ id: String, refused request: URLRequest?) {
        if let request {
            let used = request.value(forHTTPHeaderField: Backend.credentialField)
            if backend.credential != nil, backend.credential != used {
                send(id)
                return
            }
            backend.forgetCredential()
            logIn()
        }
        let attempt = attempts[id, default: 0]
        attempts[id] = attempt + 1
        send(id, after: min(Self.longestPause, 1 << min(attempt, 6)))
    }
    /// Another iPad has handed in another essay under this name. A kill in between makes the same copy again.
    private func handInCopy(of id: String, _ text: String) {
        let copy = "\(id) 2"
        let present = outbox.text(copy)
        guard Outbox.encoded(copy) != nil, present == nil || present == text, (try? outbox.write(text, copy)) != nil
        else { return sendAgain(id, refused: nil) }
        if underWay.contains(copy) || send(copy) == nil { outbox.remove(id) } else { waitForRoom() }
    }
    private func confirmed(_ id: String, _ text: String) {
        delivered[id] = text
        attempts[id] = nil
        outbox.remove(id)
    }

    // MARK: What people see

    /// Essays of which this iPad has a copy, by name.
    func localEssays() -> [String: String] {
        var essays: [String: String] = [:]
        for id in outbox.ids { essays[id] = outbox.text(id) }
        return essays
    }

    /// What waits here and what the backend has. Not whole while the backend cannot be asked.
    func visibleState() async -> VisibleState {
        // Taken before the backend is asked: an essay may arrive there while we wait for the list.
        let local = localEssays()
        var list = await backend.list()
        for pause in [1, 2] where list == nil {
            try? await Task.sleep(for: .seconds(pause))
            list = await backend.list()
        }
        for (id, text) in list ?? [:] where outbox.text(id) == text { confirmed(id, text) }
        let essays = local.merging(list ?? [:]) { local, _ in local }
        return VisibleState(
            essays.keys.sorted().compactMap { id in essays[id].map { Item(id: id, kind: "handIn", text: $0) } },
            complete: list != nil)
    }
    func visibleItem(_ id: String) async -> Item? {
        (outbox.text(id) ?? delivered[id]).map { Item(id: id, kind: "handIn", text: $0) }
    }
}

func homeworkDeclaration(_ name: AppName) -> AppDeclaration {
    AppDeclaration(
        name: name, infoPlistPath: infoPlistPath(name), channel: .upload,
        actions: [AppManifest.Action("handIn", kind: "handIn", verb: .put, prefix: "essay")],
        promises: ["handIn": .keepsAll])
}
