import FleetModel
import Storage

/// The system service behind `NSUbiquitousKeyValueStore` (key-value-store.md; Docs/local-link.md, Key-value store).
///
/// A set is in memory at once, on disk within `flushWindow` (from then on the system answers for it: `handedOver`), and at the
/// Cloud when the network and the store's `UploadBudget` allow, whoever is signed in.
final class KeyValueDaemon: Daemon {
    static let service = "kvs"
    static let isOfAccount = true
    /// ASSUMED within key-value-store.md 3: "a few seconds after a change without explicit synchronize".
    static let flushWindow = Span.seconds(2)
    /// ASSUMED: an app on the screen asks this often, in case a push was lost.
    static let pollPause = Span.minutes(5)

    private struct Name: Hashable {
        var person: Person
        var store: String
    }
    private var stores: [Name: KeyValueStore] = [:]
    /// In the order in which they were opened: what is done for all is done in this order.
    private(set) var order: [KeyValueStore] = []
    /// Sets of stores that a full disk keeps closed, in their order. They wait in memory for room, and go with their process.
    private(set) var unopened: [(set: KeyValueMessages.Set, app: AppIdentity)] = []
    private(set) var nextWake: Instant?

    init() {}

    // MARK: Life

    func boot(_ pad: any PadServices) {
        (stores, order, unopened) = ([:], [], [])
        for account in pad.accounts { load(account, pad) }
        reschedule(pad)
    }
    private func load(_ person: Person, _ pad: any PadServices) {
        guard let database = pad.volume(of: person)?.database else { return }
        // A full disk has no room for tables; then there are no stores yet, and `store` tries again.
        pad.attempt("the key-value stores of \(person)") {
            try KeyValueStore.prepare(database)
            for name in try KeyValueStore.names(in: database) { _ = try store(name, person, pad) }
        }
    }
    private func store(_ name: String, _ person: Person, _ pad: any PadServices) throws -> KeyValueStore {
        if let present = stores[Name(person: person, store: name)] { return present }
        guard let volume = pad.volume(of: person) else {
            throw LinkError.cocoa(257, "the person's volume is not there")
        }
        try KeyValueStore.prepare(volume.database)
        let made = try KeyValueStore(volume: volume, name: name)
        made.cloud.needsPoll = true
        stores[Name(person: person, store: name)] = made
        order.append(made)
        return made
    }

    func observe(_ event: SystemEvent, _ pad: any PadServices) {
        switch event {
        case .signedIn(let person):
            load(person, pad)
            for store in order where store.volume.person == person { store.cloud.needsPoll = true }
        case .removed(let person):
            order.removeAll { $0.volume.person == person }
            stores = stores.filter { $0.key.person != person }
        case .appEntered(let app, let phase): entered(phase, app, pad)
        case .appEnded(let app, _):
            unopened.removeAll { $0.app.launch == app.launch }
            // Another app of the same store may have sets that are not flushed.
            if let store = present(app, pad), users(of: store, pad).isEmpty { store.forgetApp() }
        case .identityChanged(let person, _, let isAccount):
            if pad.accountStatus(of: person) == 3, pad.switches.is("keyValueAtSignOut", "clear") { clear(person, pad) }
            guard isAccount else { break }
            for store in order where store.volume.person == person { store.accountChanged() }
        case .accountLeft(let app): left(app, pad)
        case .accountEntered(let app): arrived(app, pad)
        case .networkReturned: for store in order { store.cloud.retry.hasten() }
        case .signedOut, .purged, .suitsDiscretionary, .pushHandled: break
        }
        syncAll(pad)
    }
    private func clear(_ person: Person, _ pad: any PadServices) {
        for store in order where store.volume.person == person {
            // A full disk: the pairs stay; ASSUMED better than half of them.
            var gone = Value.Object()
            pad.attempt("the pairs of \(store.name)") { gone = try store.clear() }
            guard !gone.isEmpty else { continue }
            for app in users(of: store, pad) {
                tell(.account, gone, app, pad)
            }
        }
    }
    /// Its sets are the account's it has left. Whose values are gone the app is told at once (key-value-store.md 7, reason 3).
    private func left(_ app: AppIdentity, _ pad: any PadServices) {
        guard let store = present(app, pad), let mirror = store.mirror else { return }
        let isFlushed = flush(store, pad)
        let gone = Value.Object(mirror.keys.map { ($0, Value.null) })
        tell(.account, gone, app, pad)
        // On a full iPad the sets wait for room; they are nobody else's.
        if isFlushed, users(of: store, pad) == [app] { store.forgetApp() }
    }
    private func arrived(_ app: AppIdentity, _ pad: any PadServices) {
        guard let store = try? store(of: app, pad), let values = try? store.open() else { return }
        store.cloud.needsPoll = true
        store.accountChanged()
        guard !values.isEmpty else { return }
        tell(.account, values, app, pad)
    }
    private func tell(
        _ reason: KeyValueMessages.Changed.Reason, _ values: Value.Object, _ app: AppIdentity, _ pad: any PadServices
    ) {
        pad.post(KeyValueMessages.Changed(reason: reason, values: values).message, exchange: 0, to: app)
    }
    private func entered(_ phase: AppPhase, _ app: AppIdentity, _ pad: any PadServices) {
        guard let store = present(app, pad) else { return }
        switch phase {
        case .active:
            store.cloud.needsPoll = true
            store.cloud.pollAt = pad.now + Self.pollPause
        case .background, .suspended:
            store.cloud.pollAt = nil
            flush(store, pad)
        case .inactive, .notRunning: break
        }
    }

    // MARK: Apps

    /// The open store of an app: its own, or one that several apps name in their entitlements (S48, S49).
    func present(_ app: AppIdentity, _ pad: any PadServices) -> KeyValueStore? {
        pad.entitlements(of: app).store.flatMap { stores[Name(person: app.account, store: $0)] }
    }
    /// Live launches that use a store.
    func users(of store: KeyValueStore, _ pad: any PadServices) -> [AppIdentity] {
        pad.using(store.volume.person, app: nil).filter { pad.entitlements(of: $0).store == store.name }
    }
    private func store(of app: AppIdentity, _ pad: any PadServices) throws -> KeyValueStore {
        guard let name = pad.entitlements(of: app).store else {
            throw LinkError.cocoa(257, "\(app.app) has no entitlement for a key-value store")
        }
        return try store(name, app.account, pad)
    }

    func call(_ message: Message, from app: AppIdentity, _ pad: any PadServices) -> Message {
        do {
            let store = try store(of: app, pad)
            takeUnopened(pad)
            defer { syncAll(pad) }
            switch message.name {
            case KeyValueMessages.Open.name:
                if pad.phase(of: app) == .active, store.cloud.pollAt == nil {
                    store.cloud.pollAt = pad.now + Self.pollPause
                }
                var answer = KeyValueMessages.Open.Answer()
                (answer.values, answer.synced) = (try store.open(), store.isSynced)
                if pad.switches.is("keyLength", "utf16") { answer.keyLength = "utf16" }
                return Message(message.name, answer.body)
            case KeyValueMessages.Synchronize.name:
                guard flush(store, pad) else {
                    throw LinkError.cocoa(640, "what was set in \(store.name) cannot be written: the disk is full")
                }
                return Message(message.name)
            default: throw LinkError.malformed("the key-value store has no call '\(message.name)'")
            }
        } catch let error as LinkError {
            return Message(message.name, error.body)
        } catch {
            if error.isOfMachine { pad.problem("\(message.name) on \(pad.deviceName): \(error)") }
            return Message(message.name, LinkError.cocoa(640, "the key-value store cannot be opened: \(error)").body)
        }
    }

    func post(_ message: Message, exchange: UInt64, from app: AppIdentity, _ pad: any PadServices) {
        takeUnopened(pad)
        guard message.is(KeyValueMessages.Set.self), let set = try? KeyValueMessages.Set(message),
            KeyValueLimits.allows(key: set.key, pad.switches),
            set.value.isNull || KeyValueLimits.size(of: set.value) != nil
        else {
            let error = LinkError.malformed(
                "the key-value store takes 'kvs.set' with 'key', which is not too long, and 'value', a property list"
            )
            if exchange != 0 { pad.post(Message(message.name, error.body), exchange: exchange, to: app) }
            return
        }
        do { take(set, try store(of: app, pad), app, pad) } catch let error as LinkError {
            if exchange != 0 { pad.post(Message(message.name, error.body), exchange: exchange, to: app) }
        } catch {
            if error.isOfMachine { pad.problem("a set of \(app.app) on \(pad.deviceName): \(error)") }
            unopened.append((set, app))
        }
        reschedule(pad)
    }
    /// Whatever can be opened by now takes its sets; the others wait on.
    private func takeUnopened(_ pad: any PadServices) {
        let waiting = unopened
        unopened = []
        for (set, app) in waiting { post(set.message, exchange: 0, from: app, pad) }
    }
    private func take(
        _ set: KeyValueMessages.Set, _ store: KeyValueStore, _ app: AppIdentity, _ pad: any PadServices
    ) {
        let (key, value) = (set.key, set.value)
        var isTaken = false
        pad.attempt("a set of \(store.name)") {
            isTaken = try store.set(key, value, by: app.app, clock: pad.deviceClock, device: pad.deviceName)
        }
        if isTaken {
            store.flushAt = store.flushAt ?? pad.now + Self.flushWindow
            // ASSUMED: an app that shares the store hears of it as of any change from outside.
            for other in users(of: store, pad) where other != app {
                tell(.server, Value.Object([(key, value)]), other, pad)
            }
        } else {
            let old = try? store.visible(key)
            pad.note(
                AnswerNotes.refusal(
                    NoteDetail.Answered { $0.reason = "quota" }, of: set.message, .keyValue, at: key,
                    tokens: EditPayload.scan(value).tokens, of: app))
            tell(.quota, Value.Object([(key, old ?? .null)]), app, pad)
        }
    }

    /// From here on the system answers for the sets.
    /// - Returns: false when the disk is full: the sets stay in memory and are tried again.
    @discardableResult func flush(_ store: KeyValueStore, _ pad: any PadServices) -> Bool {
        let writers = store.writers
        var flushed: [KeyValueWrite] = []
        guard pad.attempt("the sets of \(store.name)", { flushed = try store.flush() }) else {
            store.flushAt = pad.now + Self.flushWindow
            return false
        }
        for write in flushed {
            let detail: Value = [
                "key": .string(write.key), "stamp": .int(write.stamp), "device": .string(write.device),
                "store": .string(store.name),
            ]
            for kind in [Note.Kind.handedOver, .stamped] {
                pad.note(
                    Note(
                        kind, person: store.volume.person, app: writers[write.key], channel: .keyValue,
                        tokens: write.tokens,
                        detail: detail))
            }
        }
        return true
    }

    func pushed(_ message: Message, person: Person, _ pad: any PadServices) {
        guard let topic = PushTopic(lenient: message.body).topic else { return }
        stores[Name(person: person, store: topic)]?.cloud.needsPoll = true
        syncAll(pad)
    }

    func wake(_ pad: any PadServices) {
        takeUnopened(pad)
        for store in order {
            if let at = store.flushAt, at <= pad.now { flush(store, pad) }
            if let at = store.cloud.pollAt, at <= pad.now {
                store.cloud.needsPoll = true
                store.cloud.pollAt = pad.now + Self.pollPause
            }
        }
        syncAll(pad)
    }

    /// When something is due that no message will announce.
    func reschedule(_ pad: any PadServices) {
        nextWake = unopened.isEmpty ? nil : pad.now + Self.flushWindow
        for store in order {
            let waits =
                store.cloud.sent == nil && (store.cloud.needsPoll || !store.queue.isEmpty)
                && !store.cloud.retry.isDue(at: pad.now)
            let isThrottled = store.cloud.sent == nil && !store.queue.isEmpty && !store.cloud.budget.isOpen(at: pad.now)
            let due = [waits ? store.cloud.retry.notBefore : nil, isThrottled ? store.cloud.budget.opensAt : nil]
            for instant in [store.flushAt, store.cloud.pollAt] + due {
                if let instant, nextWake.map({ instant < $0 }) ?? true { nextWake = instant }
            }
        }
    }
}

extension KeyValueDaemon {
    func checkInvariants() throws(BrokenInvariant) {
        for store in order { try store.checkInvariants() }
        try invariant(
            order.count == stores.count
                && order.allSatisfy { stores[Name(person: $0.volume.person, store: $0.name)] === $0 },
            "the key-value stores and their order are not the same stores")
    }
}
