import FleetModel
import Storage

/// How apps learn what became of their transfers.
extension TransferDaemon {
    /// Gives an app whose code runs the outcomes it has not been given; `announcing`: it was started or resumed for them and hears of its
    /// sessions first. One that is on its way up or suspended gets them when it has arrived.
    func deliver(to app: AppIdentity, announcing: Bool, _ pad: any PadServices) {
        guard let queue = queues[app.person], [.active, .background].contains(pad.phase(of: app)) else { return }
        let news = queue.transfers.indices.filter {
            let transfer = queue.transfers[$0]
            return transfer.app == app.app && transfer.outcome != nil && transfer.deliveredTo == nil
        }
        if announcing { announceSessions(news.map { queue.transfers[$0] }, app, pad) }
        for index in news {
            let transfer = queue.transfers[index]
            guard let outcome = transfer.outcome?.body else { continue }
            var end = TransferMessages.Completed(lenient: outcome)
            if transfer.isDownload, end.error == nil {
                end.data = nil
                end.location = place(transfer, queue.volume.disk, pad)
                if end.location == nil {
                    // NSURLErrorCannotWriteToFile: the app knows that it has nothing.
                    end = TransferMessages.Completed(
                        lenient: Transfer.Outcome.failure(code: -3003, message: "there is no room for what came down")
                            .body)
                }
            }
            (end.session, end.task, end.description) = (transfer.session, transfer.number, transfer.description)
            queue.update(index) {
                $0.deliveredTo = app.launch
                $0.deliveredAt = pad.now
            }
            if !transfer.isDownload {
                let answer = AnswerNotes.web(
                    end.body, what: TransferMessages.Upload.name, to: transfer.target, tokens: transfer.tokens, of: app)
                answer.map { pad.note($0) } ?? pad.arrived(transfer.tokens)
            }
            pad.post(end.message, exchange: Self.exchange(of: transfer), to: app)
        }
    }

    /// `handleEventsForBackgroundURLSession`, once a session, before its tasks' events.
    private func announceSessions(_ news: [Transfer], _ app: AppIdentity, _ pad: any PadServices) {
        var announced: [String] = []
        for transfer in news where !announced.contains(transfer.session) {
            announced.append(transfer.session)
            pad.post(
                AppMessages.BackgroundEvents { $0.session = transfer.session }.message,
                exchange: Self.exchange(of: transfer), to: app)
        }
    }
    /// What the system keeps of an answer, of an upload too: it is a file in the app's `Library/Caches` (`location`). Where that is sealed the
    /// file cannot be made, and the app hears of EPERM although the backend has acted.
    /// Source: developer.apple.com/forums/thread/131051 (class completeUnlessOpen); ASSUMED of class complete, and of a person who has
    /// signed out: that seals as a lock does (shared-ipad.md 2).
    func kept(
        _ outcome: Transfer.Outcome, of transfer: Transfer, _ queue: TransferQueue, _ pad: any PadServices
    ) -> Transfer.Outcome {
        let person = queue.volume.person
        guard case .response(let status, _) = outcome, pad.hasPasscode(person),
            session != person || !pad.isProtectedDataAvailable,
            let protection = queue.volume.protection.class(of: Self.location(of: transfer)),
            protection == .complete || protection == .completeUnlessOpen
        else { return outcome }
        return .failure(
            code: 1, message: "the answer could not be kept: Library/Caches is protected and the iPad is locked",
            info: ["status": .int(status)], domain: .posix)
    }
    /// Lays what was downloaded where its app can take it.
    /// - Returns: nil when the disk is full.
    private func place(_ transfer: Transfer, _ disk: Disk, _ pad: any PadServices) -> String? {
        guard case .response(_, let data)? = transfer.outcome else { return nil }
        let path = Self.location(of: transfer)
        let folder = path.split(separator: "/").dropLast().reduce(into: "") { $0 += "/" + $1 }
        let isPlaced = pad.attempt("a download of \(transfer.app)") {
            try disk.makeFolder(folder)
            try disk.write(path, data, sync: false)
        }
        return isPlaced ? path : nil
    }
    /// Apple's own place for files that were downloaded.
    private static func location(of transfer: Transfer) -> String {
        "\(Pad.home(of: transfer.bundle))/Library/Caches/com.apple.nsurlsessiond/Downloads/\(transfer.bundle)/"
            + "CFNetworkDownload_\(transfer.task).tmp"
    }
    private static func exchange(of transfer: Transfer) -> UInt64 {
        exchangeMark | UInt64(truncatingIfNeeded: transfer.task)
    }

    /// The app has seen the outcome: the Pad may forget the task.
    func acknowledge(_ exchange: UInt64, from app: AppIdentity, _ pad: any PadServices) {
        guard exchange & Self.exchangeMark != 0, let queue = queues[app.person],
            let index = queue.index(of: Int64(truncatingIfNeeded: exchange & ~Self.exchangeMark)),
            queue.transfers[index].app == app.app, queue.transfers[index].deliveredTo == app.launch
        else { return }
        // What the app has not moved away by then is gone (app-lifecycle.md 7).
        let left = Self.location(of: queue.transfers[index])
        if queue.transfers[index].isDownload, queue.volume.disk.status(left) != nil {
            pad.attempt("a download that nobody took") { try queue.volume.disk.remove(left) }
        }
        // When the disk is full, the row stays and the outcome is given once more at the next launch.
        pad.attempt("a transfer that is over") { try queue.forget(index) }
        queue.launchTries[app.app]?.answered()
    }

    /// The process is gone: what it was given and did not answer will be given again. A force-quit cancels all that is not finished.
    func ended(_ app: AppIdentity, forced: Bool, _ pad: any PadServices) {
        launches.ended(app)
        guard let queue = queues[app.person] else { return }
        for index in queue.transfers.indices where queue.transfers[index].deliveredTo == app.launch {
            queue.update(index) { $0.deliveredTo = nil }
        }
        if forced { cancelAll(of: app, queue, pad) }
    }

    /// ASSUMED: the app finds the cancellation (-999, reason 0) at its next launch, as S146 says; until then the outcome waits.
    private func cancelAll(of app: AppIdentity, _ queue: TransferQueue, _ pad: any PadServices) {
        var tokens: [Token] = []
        var count: Int64 = 0
        for index in queue.transfers.indices {
            let transfer = queue.transfers[index]
            guard transfer.app == app.app, transfer.outcome == nil else { continue }
            stop(index, queue, pad)
            // NSURLErrorBackgroundTaskCancelledReasonKey: NSURLErrorCancelledReasonUserForceQuitApplication (app-lifecycle.md 5).
            var info = TransferMessages.Cancel.Answer { $0.resumeData = queue.resumeData(of: index, pad) }.body
            info["reason"] = 0
            let outcome = Transfer.Outcome.failure(
                code: -999, message: "cancelled: the person quit the app; \(transfer.word) it again", info: info)
            guard pad.attempt("a cancelled transfer", { try queue.finish(index, outcome) }) else { continue }
            count += 1
            for token in transfer.tokens where !tokens.contains(token) { tokens.append(token) }
        }
        guard count > 0 else { return }
        pad.note(
            Note(
                .transfersCancelled, person: app.person, app: app.app, channel: .upload, tokens: tokens,
                detail: ["count": .int(count)]))
    }

    /// Starts or resumes apps of the signed-in person whose sessions are complete, unless their sessions want no launches.
    func launchApps(_ queue: TransferQueue, _ pad: any PadServices) {
        let person = queue.volume.person
        guard session == person else { return }
        var seen: [AppName] = []
        for transfer in queue.transfers
        where transfer.outcome != nil && transfer.sendsLaunchEvents && !seen.contains(transfer.app) {
            let isComplete = !queue.transfers.contains {
                $0.outcome == nil && $0.app == transfer.app && $0.session == transfer.session
            }
            guard isComplete else { continue }
            seen.append(transfer.app)
            launch(transfer.app, queue, pad)
        }
    }
    private func launch(_ app: AppName, _ queue: TransferQueue, _ pad: any PadServices) {
        let person = queue.volume.person
        let live = pad.running(person, app: app)
        // Who is awake has been told; who sleeps is woken for what it was not told.
        guard live.allSatisfy({ pad.phase(of: $0) == .suspended }) else { return }
        let isNews = queue.transfers.contains {
            $0.app == app && $0.outcome != nil && $0.sendsLaunchEvents && $0.deliveredTo == nil
        }
        guard live.isEmpty || isNews else { return }
        var tries = queue.launchTries[app] ?? LaunchTries()
        guard tries.notBefore <= pad.now else { return wakeAt(tries.notBefore) }
        let isLaunched = pad.launchInBackground(app, person: person, reason: "transfers")
        tries.tried(at: pad.now, isLaunched: isLaunched)
        queue.launchTries[app] = tries
        if isLaunched { launches.expect(app, person) }
        wakeAt(tries.notBefore)
    }
}

/// What nsurlsessiond remembers of app launches; gone with a restart of the iPad, as the launches are.
struct TransferLaunches {
    private struct App: Hashable {
        var person: Person
        var name: AppName
    }
    private struct Session: Hashable {
        var launch: Int
        var name: String
    }
    private var expected: Set<App> = []
    private var opened: Set<Session> = []

    /// The app was asked to start for its transfers.
    mutating func expect(_ app: AppName, _ person: Person) { expected.insert(App(person: person, name: app)) }
    /// The app came up; true when it was asked to.
    mutating func arrived(_ app: AppIdentity) -> Bool { expected.remove(App(person: app.person, name: app.app)) != nil }
    /// The app asks for a session's tasks; true for the first time in its launch.
    mutating func opens(_ session: String, _ app: AppIdentity) -> Bool {
        opened.insert(Session(launch: app.launch, name: session)).inserted
    }
    mutating func ended(_ app: AppIdentity) { opened = opened.filter { $0.launch != app.launch } }
}
