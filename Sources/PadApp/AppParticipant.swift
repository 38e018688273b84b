import DeterministicRuntime

/// Makes the delegate of one launch.
public typealias AppMaker = @MainActor @Sendable () -> any PadAppDelegate

/// One launch of an app: ordinary app code behind the seam.
public final class AppParticipant: Participant {
    private let loop: AppLoop
    private let link: AppLink
    private let make: AppMaker
    /// Touched only by tasks of the main actor of `loop`, all on one thread.
    private let host: AppHost

    /// - Parameter spec: `HostOrder.launch` (Docs/local-link.md).
    public convenience init(id: ParticipantID, type: any PadApp.Type, spec: Value) {
        self.init(id: id, make: { type.init() }, spec: spec)
    }
    /// - Parameter make: called at the first post to the app, on its main actor.
    public init(id: ParticipantID, make: @escaping AppMaker, spec: Value) {
        let seed = UInt64(bitPattern: spec["seed"]?.int ?? 0)
        loop = AppLoop(seed: StableHash.of(seed, "app", id.description), epochNanoseconds: Instant.epochNanoseconds)
        link = AppLink(pad: .pad(id.pad ?? 0), spec: spec)
        loop.context = link
        self.make = make
        host = AppHost(link: link)
    }

    /// What still waits must not wait for ever: the process has ended. A process that has ended runs none of its code either, and objects
    /// that let go of something by a queue would (a pool of connections): they stay as they are.
    deinit {
        if loop.hasQueues {
            _ = Unmanaged.passRetained(host)
            _ = Unmanaged.passRetained(link)
        }
        loop.end()
    }

    /// Runs the app's code until it has come to rest: first what is due by now, then after each input what that has started.
    public func step(now: Instant, inputs: [Input], link route: any CallLink) -> StepResult {
        link.open(route)
        loop.run(until: now.nanoseconds)
        for input in inputs {
            guard case .post(let message) = input.payload else { continue }
            receive(message, exchange: input.exchange)
            loop.run(until: now.nanoseconds)
        }
        return StepResult(
            outputs: link.close(), nextTimer: loop.nextTimer.map(Instant.init(nanoseconds:)), entropy: loop.entropy)
    }

    private func receive(_ message: Message, exchange: UInt64) {
        let message = message.name == AppMessages.IdentityChanged.name ? link.learn(message) : message
        if message.name.hasPrefix("app.") || message.name.hasPrefix("ui.") {
            let (host, make) = (host, make)
            loop.start { await host.handle(message, exchange: exchange, make: make) }
        } else {
            loop.deliver { [link] in _ = link.deliver(message, exchange: exchange) }
        }
    }
}

/// Turns the Pad's posts into delegate calls.
@MainActor private final class AppHost {
    private let link: AppLink
    private var app: (any PadAppDelegate)?
    /// What the app wants kept of its interface, between its way to the background and the snapshot.
    private var archive: RestorationCoder?

    nonisolated init(link: AppLink) { self.link = link }

    func handle(_ message: Message, exchange: UInt64, make: AppMaker) async {
        let app = self.app ?? make()
        self.app = app
        var answer: Value
        switch message.name {
        case HandMessages.Perform.name: answer = await perform(message.body, app)
        case HandMessages.LookAtState.name:
            let state = await app.visibleState()
            answer =
                HandMessages.LookAtState.Answer { ($0.items, $0.complete) = (state.items.map(\.body), state.complete) }
                .body
        case AppMessages.PerformFetch.name:
            let result = await app.applicationPerformsFetch()
            answer = lifecycleAnswer(app, result.rawValue).body
        case AppMessages.RemoteNotification.name:
            let payload = AppMessages.RemoteNotification(lenient: message.body).payload
            let result = await app.application(didReceiveRemoteNotification: payload)
            let isNew = await link.singleton { PushWork() }.run(payload)
            answer = lifecycleAnswer(app, isNew ? UIBackgroundFetchResult.newData.rawValue : result.rawValue).body
        default:
            await lifecycle(message, app)
            answer = lifecycleAnswer(app).body
        }
        if exchange != 0 { link.post(message.name, answer, exchange: exchange) }
    }

    /// What the system takes note of when a delegate method has returned, if the app tells it.
    private func lifecycleAnswer(_ app: any PadAppDelegate, _ result: String? = nil) -> AppMessages.Returned {
        var answer = AppMessages.Returned()
        (answer.screen, answer.resident, answer.result) = (app.screen, app.residentBytes, result)
        answer.preserves = archive != nil
        return answer
    }

    /// Apple's order: willFinishLaunching, state restoration, didFinishLaunching (app-lifecycle.md 2).
    private func launch(_ reason: LaunchReason, _ app: any PadAppDelegate) async {
        await app.application(willFinishLaunching: reason)
        if link.restores { Restoration.restore(app, link) }
        await app.application(didFinishLaunching: reason)
    }

    private func lifecycle(_ message: Message, _ app: any PadAppDelegate) async {
        switch message.name {
        case AppMessages.DidFinishLaunching.name:
            await launch(
                LaunchReason(rawValue: AppMessages.DidFinishLaunching(lenient: message.body).reason) ?? .user, app)
            _ = link.deliver(message, exchange: 0)
        case AppMessages.DidBecomeActive.name:
            await app.applicationDidBecomeActive()
            _ = link.deliver(message, exchange: 0)
        case AppMessages.WillResignActive.name:
            await app.applicationWillResignActive()
            _ = link.deliver(message, exchange: 0)
        case AppMessages.DidEnterBackground.name:
            await app.applicationDidEnterBackground()
            _ = link.deliver(message, exchange: 0)
            archive = Restoration.wanted(of: app)
        case AppMessages.SaveState.name:
            if let archive { Restoration.preserve(app, archive, link) }
            archive = nil
        case AppMessages.WillEnterForeground.name:
            await app.applicationWillEnterForeground()
            _ = link.deliver(message, exchange: 0)
        case AppMessages.WillTerminate.name:
            await app.applicationWillTerminate()
            _ = link.deliver(message, exchange: 0)
        case AppMessages.MemoryWarning.name:
            await app.applicationDidReceiveMemoryWarning()
            _ = link.deliver(message, exchange: 0)
            app.restorationRoot?.warnOfMemory()
        case AppMessages.Wake.name: await app.application(wokenFor: AppMessages.Wake(lenient: message.body).mode)
        case AppMessages.LocalNotification.name:
            await app.application(
                didReceiveLocalNotification: AppMessages.LocalNotification(lenient: message.body).text)
        case AppMessages.OpenURL.name:
            await open(AppMessages.OpenURL(lenient: message.body).url, app)
        case AppMessages.BackgroundEvents.name:
            let session = AppMessages.BackgroundEvents(lenient: message.body).session
            await app.application(handleEventsForBackgroundURLSession: session)
        // Notices to shims: identity change, queued notices, the network's path, expired background tasks.
        default: _ = link.deliver(message, exchange: 0)
        }
    }

    private func refused(_ reason: String) -> Value { HandMessages.Perform.Answer { $0.refused = reason }.body }

    /// A link to a share comes by a method of its own (CloudKit, "CKShare").
    private func open(_ url: String, _ app: any PadAppDelegate) async {
        if url.hasPrefix("https://www.icloud.com/share/") {
            await app.application(userDidAcceptCloudKitShareAt: url)
        } else {
            _ = await app.application(open: url)
        }
    }

    private func perform(_ body: Value, _ app: any PadAppDelegate) async -> Value {
        guard let edit = Edit(body) else { return refused("the edit is malformed") }
        // What was shown of another account before it changed is not what the person sees now.
        var (account, before) = (link.account, await app.visibleItem(edit.item))
        while account != link.account { (account, before) = (link.account, await app.visibleItem(edit.item)) }
        // Told before the handler runs: what it does may end the app.
        link.post(
            HandMessages.Began {
                ($0.token, $0.saw, $0.sawDigest) = (edit.token, before?.tokens ?? [], before?.digest)
            })
        do {
            try await app.perform(edit)
            return .empty
        } catch let refusal as Refusal {
            return refused(refusal.reason)
        } catch {
            // For the app's own log: the history cannot tell it from a refusal that was meant.
            print(
                "\(edit.token): perform threw \(error), which is no Refusal: the person is told that it was not taken")
            return refused("\(error)")
        }
    }
}

extension AppParticipant: Inspectable {
    /// `state`: what its loop waits for. What its objects hold nobody can see from outside; what it shows is asked of the app itself.
    public func inspect(_ question: Message) -> Value? {
        guard question.name == "state" else { return nil }
        var body: Value = [
            "jobsRun": .int(Int64(clamping: loop.jobsRun)), "waitingStacks": .int(loop.waiting),
            "account": .optional(link.account),
        ]
        body["nextTimer"] = loop.nextTimer.map { .string(Instant(nanoseconds: $0).wallClock) }
        return body
    }
}
