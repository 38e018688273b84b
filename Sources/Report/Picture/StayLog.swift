import FleetModel
import Trace

/// Sessions and states of apps, from the lines of a trace in their order.
struct StayLog {
    private struct Key: Hashable {
        var pad: Int
        var app: AppName?
    }
    private var open: [Key: RunPicture.Stay] = [:]
    /// The app of each launch: messages name launches.
    private var apps: [ParticipantID: Key] = [:]
    private(set) var stays: [RunPicture.Stay] = []
    private(set) var pads: Set<Int> = []
    private var hasMessages = false

    mutating func take(_ event: HistoryEvent) {
        guard let pad = event.from.pad else { return }
        pads.insert(pad)
        let (note, at) = (event.note, event.at)
        switch note.kind {
        case .signedIn:
            let isGuest = note.detail["guest"]?.bool == true
            begin(Key(pad: pad), isGuest ? .guest : .session, of: note.person, at)
        case .signedOut: end(Key(pad: pad), at, because: "signedOut")
        case .powerCut, .rebooted: endAll(of: pad, at, because: note.kind.rawValue)
        case .appLaunched:
            guard let app = note.app else { return }
            let key = Key(pad: pad, app: app)
            if let launch = note.detail["launch"]?.int { apps[.app(pad: pad, launch: Int(clamping: launch))] = key }
            let isSeen = note.detail["reason"]?.string ?? "user" == "user"
            begin(key, isSeen ? .launched : .background, of: note.person, at)
        case .appSuspended: change(pad, note, .suspended, at)
        case .appResumed: change(pad, note, .foreground, at)
        case .appExited:
            guard let app = note.app else { return }
            end(Key(pad: pad, app: app), at, because: note.detail["reason"]?.string ?? "ended")
        default: break
        }
    }

    /// What an iPad says to an app about its life.
    mutating func take(_ message: TracedMessage) {
        hasMessages = true
        guard case .app = message.to, message.kind == "post", let key = apps[message.to],
            let state = Self.states[message.subject], let stay = open[key], stay.state != state
        else { return }
        begin(key, state, of: stay.person, message.at)
    }
    private static let states: [String: RunPicture.Stay.State] = [
        AppMessages.DidBecomeActive.name: .foreground, AppMessages.WillEnterForeground.name: .foreground,
        AppMessages.DidEnterBackground.name: .background,
    ]

    /// Ends what is still open.
    mutating func finish(at end: Instant) {
        for key in open.keys.sorted(by: { ($0.pad, $0.app ?? "") < ($1.pad, $1.app ?? "") }) {
            close(key, end, because: nil)
        }
        if !hasMessages {
            // A trace of live holds no messages: what was launched for somebody was on the screen soon.
            for index in stays.indices where stays[index].state == .launched { stays[index].state = .foreground }
        }
        stays.sort { ($0.from, $0.pad, $0.app ?? "") < ($1.from, $1.pad, $1.app ?? "") }
    }

    /// What apps of an iPad were doing: for the coverage of faults.
    func states(on pad: Int) -> Set<RunPicture.Stay.State> {
        Set(open.values.filter { $0.pad == pad && $0.app != nil }.map(\.state))
    }

    private mutating func change(_ pad: Int, _ note: Note, _ state: RunPicture.Stay.State, _ at: Instant) {
        guard let app = note.app else { return }
        begin(Key(pad: pad, app: app), state, of: note.person, at)
    }
    private mutating func begin(_ key: Key, _ state: RunPicture.Stay.State, of person: Person?, _ at: Instant) {
        close(key, at, because: nil)
        open[key] = RunPicture.Stay(
            pad: key.pad, app: key.app, person: person, state: state, from: at, until: at)
    }
    private mutating func end(_ key: Key, _ at: Instant, because reason: String) { close(key, at, because: reason) }
    private mutating func endAll(of pad: Int, _ at: Instant, because reason: String) {
        for key in open.keys.filter({ $0.pad == pad }) { close(key, at, because: reason) }
    }
    private mutating func close(_ key: Key, _ at: Instant, because reason: String?) {
        guard var stay = open.removeValue(forKey: key) else { return }
        stay.until = at
        stay.ended = reason
        // States that follow each other in one instant are one for the eye.
        if stay.until > stay.from || reason != nil { stays.append(stay) }
    }
}
