import FleetModel
import Storage

/// Launches of apps and their states (app-lifecycle.md 1-5): `AppRun` decides what is next, this does it.
final class AppLifecycle: PadService {
    let kernel: Kernel
    let screen: Screen
    let questions: Questions
    let memory: MemoryCollector
    let wakes: BackgroundWakes
    let archives: StateArchives
    /// Live launches by number.
    var runs: [Int: AppRun] = [:]
    /// Apps that the person quit by force: no background launch until opened or restarted (app-lifecycle.md 5).
    private(set) var barred: [Barred] = []
    struct Barred: Hashable {
        var person: Person
        var app: AppName
    }

    init(_ kernel: Kernel) {
        self.kernel = kernel
        screen = Screen(kernel)
        questions = Questions(kernel)
        memory = MemoryCollector(kernel)
        wakes = BackgroundWakes(kernel)
        archives = StateArchives(kernel)
    }

    // MARK: Force-quit

    func isBarred(_ app: AppName, _ person: Person) -> Bool { barred.contains(Barred(person: person, app: app)) }
    func bar(_ app: AppName, _ person: Person) {
        if !isBarred(app, person) { barred.append(Barred(person: person, app: app)) }
    }
    func lift(_ app: AppName, _ person: Person) { barred.removeAll { $0 == Barred(person: person, app: app) } }

    func ends(_ ending: Ending) {
        switch ending {
        case .session: for launch in runs.keys { runs[launch]?.goal = .background }
        case .loginScreen: barred = []
        case .account(let person): barred.removeAll { $0.person == person }
        case .launch, .life: break
        }
    }

    /// ASSUMED: loading an app takes this long before its first code runs.
    private static let launchTime = Span.milliseconds(400)
    /// ASSUMED: bringing a suspended app back takes this long.
    private static let resumeTime = Span.milliseconds(50)
    /// ASSUMED: an app in the background with nothing to do is suspended after this long.
    private static let restTime = Span.seconds(1)

    // MARK: Starting

    /// A new launch of an installed app; its process runs after `launchTime`.
    func start(_ app: AppManifest, person: Person, goal: AppRun.Goal) -> Int {
        kernel.state.counters.launches += 1
        let launch = kernel.state.counters.launches
        // The number must not be used again after a power cut.
        kernel.saveState()
        let identity = AppIdentity(person: person, app: app.name, bundle: app.bundleID, launch: launch)
        runs[launch] = AppRun(
            identity, account: pad.accounts.account(of: person), reason: goal == .foreground ? "user" : "background",
            goal: goal,
            exitsOnSuspend: app.exitsOnSuspend)
        kernel.timers.set(.ready(launch: launch), at: now + Self.launchTime)
        kernel.needsSettling = true
        return launch
    }

    /// The process has been loaded, or is back in memory.
    func processReady(_ launch: Int) {
        guard let run = runs[launch] else { return }
        kernel.needsSettling = true
        switch run.process {
        case .starting:
            pad.storage.localData.makeHome(run.identity)
            let account = pad.accounts.account(of: run.identity.person)
            runs[launch]?.known.isNone = pad.accounts.identity(of: account) == nil
            if account != run.account {
                runs[launch]?.known.name = account
                runs[launch]?.mail.inbox = []
            }
            var spec = LaunchSpec()
            (spec.bundle, spec.home) = (run.identity.bundle, Pad.home(of: run.identity.bundle))
            (spec.person, spec.identity) = (run.identity.person, pad.accounts.identity(of: account))
            (spec.reason, spec.accountStatus) = (run.reason, Int64(pad.accounts.accountStatus(of: account)))
            addExtras(to: &spec, run.identity)
            emit(
                Output(
                    to: .pad(self.kernel.spec.number),
                    .host(.launch(launch: launch, app: run.identity.app, spec: spec.body))
                ))
            noteLife(.appLaunched, run, ["reason": .string(run.reason)])
            kernel.report(.started(run.identity))
            runs[launch]?.process = .running
            enter(.inactive, launch)
        case .resuming:
            noteLife(.appResumed, run)
            runs[launch]?.process = .running
            runs[launch]?.background.since = now
            enter(.background, launch)
        case .running, .suspended: return
        }
        // What was queued comes before everything else (app-lifecycle.md 2 "return", 8).
        for (message, exchange) in runs[launch]?.mail.inbox ?? [] { send(message, exchange: exchange, to: launch) }
        runs[launch]?.mail.inbox = []
    }

    // MARK: Moving on

    func advanceAll() {
        for launch in runs.keys.sorted() { advance(launch) }
    }
    /// What `advance` works on, for somebody who looks for a circle.
    var whatMoves: [String] {
        runs.keys.sorted().compactMap { number in
            runs[number].map {
                "\($0.identity.app) \(number) is \($0.process), \($0.phase), to the \($0.goal): \($0.next)"
            }
        }
    }

    /// One step of a launch towards its goal.
    func advance(_ launch: Int) {
        guard let run = runs[launch] else { return }
        if run.takesEvents, !run.mail.heldEvents.isEmpty {
            runs[launch]?.mail.heldEvents = []
            for event in run.mail.heldEvents { giveEvent(event, to: launch) }
        }
        switch run.next {
        case .nothing: break
        case .call(let callback): call(callback, launch)
        case .resume: resume(launch)
        case .rest: rest(launch)
        }
        if runs[launch]?.phase != .background || run.goal == .foreground {
            kernel.timers.cancel(.suspend(launch: launch))
        }
    }

    private func call(_ callback: AppRun.Callback, _ launch: Int) {
        guard let run = runs[launch] else { return }
        let exchange = newExchange()
        runs[launch]?.callback = (callback, exchange)
        if callback == .didFinishLaunching { kernel.report(.launchBegan(launch)) }
        send(Message(callback.message, body(of: callback, run)), exchange: exchange, to: launch)
        if callback == .notice { runs[launch]?.mail.notices.removeFirst() }
        let allowance = kernel.spec.real(callback.allowance ?? kernel.spec.launchLimit)
        kernel.timers.set(.callback(launch: launch, exchange: exchange), at: now + allowance)
    }
    private func body(of callback: AppRun.Callback, _ run: AppRun) -> Value {
        switch callback {
        case .didFinishLaunching:
            // The launch options (S162): why it was launched.
            return AppMessages.DidFinishLaunching { ($0.reason, $0.url) = (run.reason, run.mail.urls.first) }.body
        case .openURL: return run.mail.urls.first.map { url in AppMessages.OpenURL { $0.url = url }.body } ?? .empty
        case .notice: return run.mail.notices.first?.body ?? .empty
        default: return .empty
        }
    }

    /// An app answered a post of the system: a delegate method has returned.
    func callbackReturned(_ message: Message, _ exchange: UInt64, _ launch: Int) {
        guard let run = runs[launch] else { return }
        let answer = AppMessages.Returned(lenient: message.body)
        if let bytes = answer.resident { memory.holds(Int64(bytes), launch) }
        if let event = run.mail.events.firstIndex(of: exchange) {
            runs[launch]?.mail.events.remove(at: event)
            kernel.timers.cancel(.callback(launch: launch, exchange: exchange))
            if message.name == AppMessages.PerformFetch.name { wakes.fetchEnded(message, run.identity) }
            if message.is(AppMessages.RemoteNotification.self), let result = answer.result {
                pad.daemons.tell(.pushHandled(run.identity, hadNews: result == "newData"))
            }
            if run.phase == .background { archives.keepSnapshot(message, run, isLater: true) }
            memory.memoryGivenBack(launch)
        } else if let (callback, asked) = run.callback, asked == exchange {
            kernel.timers.cancel(.callback(launch: launch, exchange: exchange))
            let phase = runs[launch]?.returned(from: callback)
            if callback == .willTerminate {
                return end(
                    launch, reason: run.terminating ?? .terminated, forced: run.terminating == .forceQuit)
            }
            if callback == .didFinishLaunching { kernel.report(.launchCompleted(run.identity)) }
            if callback == .didEnterBackground {
                archives.keepSnapshot(message, run)
                runs[launch]?.preservation.savesState = answer.preserves
            }
            if let phase { enter(phase, launch) }
        }
    }

    /// The watchdog (app-lifecycle.md 3).
    func callbackOverdue(_ launch: Int, _ exchange: UInt64) {
        guard let run = runs[launch] else { return }
        end(
            launch, reason: run.terminating ?? .watchdog,
            ["missed": .string(run.callback?.callback.message ?? "an event handler")],
            forced: run.terminating == .forceQuit)
    }

    private func enter(_ phase: AppPhase, _ launch: Int) {
        guard let identity = runs[launch]?.identity else { return }
        runs[launch]?.phase = phase
        if phase == .active || phase == .background { runs[launch]?.progress = .arrived }
        switch phase {
        case .active:
            runs[launch]?.background.hasExpired = false
            kernel.timers.cancel(.backgroundLimit(launch: launch))
            kernel.timers.cancel(.expiryGrace(launch: launch))
            screen.becameActive(launch)
            pad.accounts.settle(identity)
        case .background:
            runs[launch]?.background.since = now
            if runs[launch]?.background.tasks.isEmpty == false { limitBackgroundTime(launch) }
            screen.leftScreen(launch)
        case .notRunning, .inactive, .suspended: break
        }
        pad.daemons.tell(.appEntered(identity, phase))
    }

    // MARK: Rest

    private func rest(_ launch: Int) {
        guard let run = runs[launch], run.background.tasks.isEmpty, run.mail.events.isEmpty,
            run.background.modes.isEmpty
        else {
            return kernel.timers.cancel(.suspend(launch: launch))
        }
        guard !run.disturbance.isHurried else { return suspend(launch) }
        kernel.timers.setIfAbsent(.suspend(launch: launch), at: now + Self.restTime)
    }

    func suspend(_ launch: Int) {
        guard let run = runs[launch], run.next == .rest, run.background.tasks.isEmpty, run.mail.events.isEmpty,
            run.background.modes.isEmpty
        else { return }
        fallAsleep(launch)
    }
    /// Stops the code of an app in the background.
    func fallAsleep(_ launch: Int) {
        guard let run = runs[launch], run.process == .running, run.phase == .background else { return }
        // Who sleeps on what others wait for is killed for it (app-lifecycle.md 9; S158).
        guard !pad.daemons.holdsDocument(run.identity) else {
            return end(launch, reason: .watchdog, ["missed": "docs.endWrite before it was suspended"])
        }
        if let missed = pad.storage.files.lockHeld(by: launch) {
            mark(.suspendedWithLock)
            return end(launch, reason: .watchdog, ["missed": .string(missed)])
        }
        if run.disturbance.isHurried { mark(.suspended) }
        runs[launch]?.disturbance.isHurried = false
        runs[launch]?.process = .suspended
        kernel.timers.cancel(.backgroundLimit(launch: launch))
        enter(.suspended, launch)
        noteLife(.appSuspended, run)
    }

    /// Back into memory; the callbacks follow from the goal.
    func resume(_ launch: Int) {
        guard runs[launch]?.process == .suspended else { return }
        runs[launch]?.process = .resuming
        kernel.timers.set(.ready(launch: launch), at: now + Self.resumeTime)
    }

    func noteLife(_ kind: Note.Kind, _ run: AppRun, _ detail: Value = .empty) {
        var detail = detail
        detail["launch"] = .int(run.identity.launch)
        note(Note(kind, person: run.identity.person, app: run.identity.app, detail: detail))
    }
}

extension AppLifecycle {
    func checkInvariants() throws(BrokenInvariant) {
        guard !kernel.isDown else { return }
        for (launch, run) in runs {
            let name = "launch \(launch) of \(run.identity.app)"
            try invariant(run.identity.launch == launch, "\(name) is kept under another number")
            try invariant(launch <= kernel.state.counters.launches, "\(name) has a number that is not given out yet")
            try invariant(
                run.identity.person == pad.sessions.person,
                "\(name) runs for \(run.identity.person), who has no session")
            try run.checkInvariants()
            if run.process == .starting || run.process == .resuming {
                try invariant(kernel.timers.next(.ready(launch: launch)) != nil, "\(name) is \(run.process) for ever")
            }
            if let exchange = run.callback?.exchange {
                try invariant(
                    kernel.timers.next(.callback(launch: launch, exchange: exchange)) != nil,
                    "\(name) may take for ever to return from \(run.callback?.callback.message ?? "")")
            }
        }
        try invariant(Set(barred).count == barred.count, "an app is barred twice for one person")
    }
}
