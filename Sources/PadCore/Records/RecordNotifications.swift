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

    mutating func removeAll() {
        waiting = [:]
        known = []
    }

    /// Remembers which app uses a container, so that it can be found when it is not running.
    mutating func use(_ container: String, app: AppIdentity, _ pad: any PadServices) {
        let address = Address(person: app.person, app: app.app, container: container)
        guard !known.contains(address), let volume = pad.volume(of: app.person) else { return }
        // A full disk costs a wake-up for a push, no data: try again at the next operation.
        if (try? ContainerUse(volume).note(container, app: app)) != nil { known.insert(address) }
    }

    mutating func pushed(_ message: Message, person: Person, _ pad: any PadServices) {
        guard let payload = Self.payload(message),
            let container = payload["ck"]?["cid"]?.string ?? message["topic"]?.string
        else { return }
        let live = pad.running(person, app: nil)
        let used = pad.volume(of: person).flatMap { try? ContainerUse($0).apps(using: container) } ?? []
        let own = live.filter { "iCloud." + $0.bundle == container }.map(\.app)
        for app in Set(used + own).sorted() {
            let address = Address(person: person, app: app, container: container)
            let launches = live.filter { $0.app == app }
            if launches.isEmpty {
                if pad.launchInBackground(app, person: person, reason: "push") { waiting[address] = payload }
            } else {
                for launch in launches { deliver(payload, to: launch, pad) }
            }
        }
    }

    private func deliver(_ payload: Value, to app: AppIdentity, _ pad: any PadServices) {
        // The Pad resumes a suspended app when it may; if not, the notice waits with its other messages.
        if pad.phase(of: app) == .suspended { pad.launchInBackground(app.app, person: app.person, reason: "push") }
        pad.post(Message("app.remoteNotification", ["payload": payload]), exchange: 0, to: app)
    }

    /// The app runs now: what it was started for can be given to it.
    mutating func entered(_ app: AppIdentity, _ pad: any PadServices) {
        guard !waiting.isEmpty else { return }
        let addresses = waiting.keys.filter { $0.person == app.person && $0.app == app.app }
        for address in addresses.sorted(by: { $0.container < $1.container }) {
            if let payload = waiting.removeValue(forKey: address) { deliver(payload, to: app, pad) }
        }
    }
    mutating func forget(_ person: Person) {
        waiting = waiting.filter { $0.key.person != person }
        known = known.filter { $0.person != person }
    }

    /// The dictionary that an app's delegate sees: `aps` and `ck` (cloudkit-web-services.md 7.5), whether the courier sent
    /// both or only the inside of `ck`.
    private static func payload(_ message: Message) -> Value? {
        guard let ck = message["ck"], ck.object != nil else { return nil }
        if ck["ck"]?.object != nil { return ck }
        return ["aps": ["content-available": 1], "ck": ck]
    }
}
