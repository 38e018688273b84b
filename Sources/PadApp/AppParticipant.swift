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
        let message = message.name == "app.identityChanged" ? link.learn(message) : message
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
        case "ui.perform": answer = await perform(message.body, app)
        case "ui.state":
            let state = await app.visibleState()
            answer = ["items": .array(state.items.map(\.body)), "complete": .bool(state.complete)]
        case "app.performFetch":
            let result = await app.applicationPerformsFetch()
            answer = lifecycleAnswer(app)
            answer["result"] = .string(result.rawValue)
        case "app.remoteNotification":
            let payload = message["payload"] ?? .empty
            let result = await app.application(didReceiveRemoteNotification: payload)
            let isNew = await link.singleton { PushWork() }.run(payload)
            answer = lifecycleAnswer(app)
            answer["result"] = .string(isNew ? UIBackgroundFetchResult.newData.rawValue : result.rawValue)
        default:
            await lifecycle(message, app)
            answer = lifecycleAnswer(app)
        }
        if exchange != 0 { link.post(message.name, answer, exchange: exchange) }
    }

    /// What the system takes note of when a delegate method has returned, if the app tells it.
    private func lifecycleAnswer(_ app: any PadAppDelegate) -> Value {
        var answer = Value.empty
        if let screen = app.screen { answer["screen"] = .string(screen) }
        if let bytes = app.residentBytes { answer["resident"] = .int(bytes) }
        if archive != nil { answer["preserves"] = true }
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
        case "app.didFinishLaunching":
            await launch(LaunchReason(rawValue: message["reason"]?.string ?? "") ?? .user, app)
            _ = link.deliver(message, exchange: 0)
        case "app.didBecomeActive":
            await app.applicationDidBecomeActive()
            _ = link.deliver(message, exchange: 0)
        case "app.willResignActive":
            await app.applicationWillResignActive()
            _ = link.deliver(message, exchange: 0)
        case "app.didEnterBackground":
            await app.applicationDidEnterBackground()
            _ = link.deliver(message, exchange: 0)
            archive = Restoration.wanted(of: app)
        case "app.saveState":
            if let archive { Restoration.preserve(app, archive, link) }
            archive = nil
        case "app.willEnterForeground":
            await app.applicationWillEnterForeground()
            _ = link.deliver(message, exchange: 0)
        case "app.willTerminate":
            await app.applicationWillTerminate()
            _ = link.deliver(message, exchange: 0)
        case "app.memoryWarning":
            await app.applicationDidReceiveMemoryWarning()
            _ = link.deliver(message, exchange: 0)
            app.restorationRoot?.warnOfMemory()
        case "app.wake": await app.application(wokenFor: message["mode"]?.string ?? "")
        case "app.localNotification":
            await app.application(didReceiveLocalNotification: message["text"]?.string ?? "")
        case "app.openURL": await open(message["url"]?.string ?? "", app)
        case "app.backgroundEvents":
            await app.application(handleEventsForBackgroundURLSession: message["session"]?.string ?? "")
        // Notices to shims: identity change, queued notices, the network's path, expired background tasks.
        default: _ = link.deliver(message, exchange: 0)
        }
    }

    /// A link to a share comes by a method of its own (CloudKit, "CKShare").
    private func open(_ url: String, _ app: any PadAppDelegate) async {
        if url.hasPrefix("https://www.icloud.com/share/") {
            await app.application(userDidAcceptCloudKitShareAt: url)
        } else {
            _ = await app.application(open: url)
        }
    }

    private func perform(_ body: Value, _ app: any PadAppDelegate) async -> Value {
        guard let edit = Edit(body) else { return ["refused": "the edit is malformed"] }
        // What was shown of another account before it changed is not what the person sees now.
        var (account, before) = (link.account, await app.visibleItem(edit.item))
        while account != link.account { (account, before) = (link.account, await app.visibleItem(edit.item)) }
        // Told before the handler runs: what it does may end the app.
        link.post(
            "ui.began",
            [
                "token": .string(edit.token), "saw": .strings(before?.tokens ?? []),
                "sawDigest": .optional(before?.digest),
            ], exchange: 0)
        do {
            try await app.perform(edit)
            return .empty
        } catch let refusal as Refusal {
            return ["refused": .string(refusal.reason)]
        } catch {
            // For the app's own log: the history cannot tell it from a refusal that was meant.
            print(
                "\(edit.token): perform threw \(error), which is no Refusal: the person is told that it was not taken")
            return ["refused": .string("\(error)")]
        }
    }
}
