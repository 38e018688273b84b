import FleetModel

/// Messages of the system and its daemons to apps: held while no code runs (app-lifecycle.md 8).
extension AppLifecycle {
    /// Source: app-lifecycle.md 3, handlers of silent pushes and background events.
    private static let eventAllowance = Span.seconds(30)
    /// Events whose handler the system waits for; a memory warning too, when memory is wanted back (`device.memoryPressure`).
    private static let awaited = [
        AppMessages.RemoteNotification.name, AppMessages.BackgroundEvents.name, AppMessages.MemoryWarning.name,
        AppMessages.Wake.name, AppMessages.PerformFetch.name,
    ]

    /// Events that say how things are: the newest says all (app-lifecycle.md 8). Of the others each is an event of its own.
    private static let states = [
        AppMessages.RemoteNotification.name, AppMessages.IdentityChanged.name, AppMessages.NetworkPath.name,
        AppMessages.MemoryWarning.name,
    ]

    func post(_ message: Message, exchange: UInt64, to app: AppIdentity) {
        guard run(of: app) != nil else { return }
        let launch = app.launch
        kernel.report(.answered(message, exchange: exchange, app))
        note(FetchNotes.note(message, to: app))
        pad.storage.noteFull(message.body, app)
        if message.service == "app" { return giveEvent(message, to: launch) }
        guard runs[launch]?.process == .running else { return hold(message, exchange, launch) }
        send(message, exchange: exchange, to: launch)
    }

    /// Straight to the process.
    func send(_ message: Message, exchange: UInt64, to launch: Int) {
        guard runs[launch]?.disturbance.isHung != true else { return }
        emit(Output(to: .app(pad: kernel.spec.number, launch: launch), .post(message), exchange: exchange))
    }

    /// Notices that are the same need be given once; changes of the key-value store become one notice a reason, with the newest values.
    private func hold(_ message: Message, _ exchange: UInt64, _ launch: Int) {
        if exchange == 0, message.is(KeyValueMessages.Changed.self) {
            let news = KeyValueMessages.Changed(lenient: message.body)
            let index = runs[launch]?.mail.inbox.lastIndex {
                $0.message.is(KeyValueMessages.Changed.self)
                    && KeyValueMessages.Changed(lenient: $0.message.body).reason == news.reason
            }
            if let index, let message = runs[launch]?.mail.inbox[index].message {
                var held = KeyValueMessages.Changed(lenient: message.body)
                for pair in news.values.pairs { held.values[pair.key] = pair.value }
                runs[launch]?.mail.inbox[index].message = held.message
                return
            }
        }
        let isKnown =
            exchange == 0 && runs[launch]?.mail.inbox.contains { $0.exchange == 0 && $0.message == message } == true
        if !isKnown { runs[launch]?.mail.inbox.append((message, exchange)) }
    }

    /// A delegate event. Silent pushes and background events are waited for; the others are only told.
    func giveEvent(_ event: Message, to launch: Int) {
        guard let run = runs[launch] else { return }
        guard run.takesEvents else {
            if Self.states.contains(event.name) { runs[launch]?.mail.heldEvents.removeAll { $0.name == event.name } }
            runs[launch]?.mail.heldEvents.append(event)
            return
        }
        guard Self.awaited.contains(event.name) else {
            return send(event, exchange: 0, to: launch)
        }
        let exchange = newExchange()
        runs[launch]?.mail.events.append(exchange)
        send(event, exchange: exchange, to: launch)
        kernel.timers.set(
            .callback(launch: launch, exchange: exchange), at: now + kernel.spec.real(Self.eventAllowance))
        kernel.needsSettling = true
    }
}
