import FleetModel
import Storage

/// Brings pushes of record changes to the apps that use the container (cloudkit-framework.md 7).
///
/// A push is a hint, never the change itself: it lives in memory only, the newest replaces older ones that wait for the same
/// app, and one that cannot be delivered is dropped. The app fetches changes when it starts.
struct RecordNotifications {
    private struct Address: Hashable {
        var person: Person
        var app: AppName
        var container: String
    }
    /// Payloads for apps that are being started for them.
    private var waiting: [Address: Value] = [:]
    /// Uses that are known to be on disk.
    private var known: Set<Address> = []
    private struct Woken: Hashable {
        var person: Person
        var app: AppName
    }
    /// When an app was started or woken for pushes within the last hour.
    private var wakes: [Woken: [Instant]] = [:]
    /// Whose last push brought nothing new.
    private var fruitless: Set<Woken> = []

    /// Source: app-lifecycle.md 6.1: about 2-3 an hour, more is throttled, and what handlers return steers it. ASSUMED: in any 60 minutes 3,
    /// or 2 for an app whose last push brought nothing new or failed.
    private static let (wakesMax, fruitlessMax) = (3, 2)
    private static let wakesWindow = Span.hours(1)

    mutating func removeAll() {
        waiting = [:]
        known = []
        wakes = [:]
        fruitless = []
    }

    /// Remembers which app uses a container, so that it can be found when it is not running.
    mutating func use(_ container: String, app: AppIdentity, _ pad: any PadServices) {
        let address = Address(person: app.account, app: app.app, container: container)
        guard !known.contains(address), let volume = pad.volume(of: app.account) else { return }
        // A full disk costs a wake-up for a push, no data: try again at the next operation.
        let isNoted = pad.attempt("who uses \(container)") { try ContainerUse(volume).note(container, app: app) }
        if isNoted { known.insert(address) }
    }

    mutating func pushed(_ message: Message, person: Person, _ pad: any PadServices) {
        guard let payload = Self.payload(message),
            let container = payload["ck"]?["cid"]?.string ?? message["topic"]?.string
        else { return }
        let live = pad.using(person, app: nil)
        let used = pad.volume(of: person).flatMap { try? ContainerUse($0).apps(using: container) } ?? []
        let own = live.filter { "iCloud." + $0.bundle == container }.map(\.app)
        for app in Set(used + own).sorted() {
            let address = Address(person: person, app: app, container: container)
            let launches = live.filter { $0.app == app }
            if launches.isEmpty {
                if wake(app, person, pad) { waiting[address] = payload }
            } else {
                for launch in launches { deliver(payload, to: launch, pad) }
            }
        }
    }

    /// Starts or resumes an app for a push, when it declares the mode and has not had its share.
    private mutating func wake(_ app: AppName, _ person: Person, _ pad: any PadServices) -> Bool {
        let modes = pad.manifest(of: app)?.infoPlist["UIBackgroundModes"]?.strings ?? []
        let woken = Woken(person: person, app: app)
        let recent = (wakes[woken] ?? []).filter { pad.now - $0 < Self.wakesWindow }
        guard modes.contains("remote-notification"),
            recent.count < (fruitless.contains(woken) ? Self.fruitlessMax : Self.wakesMax),
            pad.launchInBackground(app, person: person, reason: "push")
        else { return false }
        wakes[woken] = recent + [pad.now]
        return true
    }

    private mutating func deliver(_ payload: Value, to app: AppIdentity, _ pad: any PadServices) {
        // If a suspended app is not resumed, the notice waits with its other messages.
        if pad.phase(of: app) == .suspended { _ = wake(app.app, app.account, pad) }
        pad.post(Message(AppMessages.RemoteNotification.name, ["payload": payload]), exchange: 0, to: app)
    }

    /// The app runs now: what it was started for can be given to it.
    mutating func entered(_ app: AppIdentity, _ pad: any PadServices) {
        guard !waiting.isEmpty else { return }
        let addresses = waiting.keys.filter { $0.person == app.account && $0.app == app.app }
        for address in addresses.sorted(by: { $0.container < $1.container }) {
            if let payload = waiting.removeValue(forKey: address) { deliver(payload, to: app, pad) }
        }
    }
    /// What a handler of a push came to.
    mutating func handled(_ app: AppIdentity, hadNews: Bool) {
        let woken = Woken(person: app.account, app: app.app)
        if hadNews { fruitless.remove(woken) } else { fruitless.insert(woken) }
    }
    mutating func forget(_ person: Person) {
        waiting = waiting.filter { $0.key.person != person }
        known = known.filter { $0.person != person }
        wakes = wakes.filter { $0.key.person != person }
        fruitless = fruitless.filter { $0.person != person }
    }

    /// The dictionary that an app's delegate sees: `aps` and `ck` (cloudkit-web-services.md 7.5), whether the courier sent
    /// both or only the inside of `ck`.
    private static func payload(_ message: Message) -> Value? {
        guard let ck = message["ck"], ck.object != nil else { return nil }
        if ck["ck"]?.object != nil { return ck }
        return ["aps": ["content-available": 1], "ck": ck]
    }
}
