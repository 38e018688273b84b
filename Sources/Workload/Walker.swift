import FleetModel

/// One person on the way through their steps. Decides what to do next; `People` sends it.
struct Walker {
    /// What a command was sent for, and so what its answer means.
    enum Purpose: Hashable {
        case signIn
        /// Somebody walked away signed in; whoever comes next signs them out.
        case clear
        case signOut
        /// `planned`: the step itself; else a way back to the app of the next edit.
        case open(AppName, planned: Bool)
        /// The person's session seems to be gone: sign in again at the same iPad.
        case signInAgain
        case home
        case perform
        /// Whatever comes of it, the step is done; `shows`: the app that is in front then.
        case command(shows: AppName?)
        case backUp
    }
    struct Waiting {
        var exchange: UInt64
        var purpose: Purpose
        var pad: Int
        var deadline: Instant
    }
    /// What there is to do now.
    enum Decision {
        case send(Purpose, Message)
        case wait(until: Instant)
        /// The step cannot be done: the person is not signed in there.
        case skip
        /// The step is done already.
        case pass
        case finished
    }

    let person: Person
    private(set) var steps: [PlanStep]
    private(set) var next = 0
    var waiting: Waiting?
    /// When this person wants to be woken; anything else in the heap is stale.
    var wake: Instant?
    /// First try of the present sign-in.
    private var triedSince: Instant?
    private var retryAt: Instant?
    /// How far the way back to a lost app has gone for the present step.
    private var recovery = 0
    /// iPads at which a sign-in failed, and until when the person leaves each alone.
    private var away: [Int: Instant] = [:]
    /// The newest answer of `device.backup`, a whole one; empty: there is none.
    var backups: [Value] = []

    init(person: Person, steps: [PlanStep]) {
        self.person = person
        self.steps = steps
    }

    /// How long a person waits for the answer of one command.
    static let patience = Span.seconds(60)
    /// Between two tries to sign in, and how long a person tries before giving up the iPad. ASSUMED.
    static let pause = Span.seconds(15)
    static let persistence = Span.minutes(2)
    /// How long a person leaves an iPad alone that has signed nobody in. ASSUMED.
    static let absence = Span.minutes(2)

    var step: PlanStep? { next < steps.count ? steps[next] : nil }

    /// One more step, after all others.
    mutating func add(_ step: PlanStep) { steps.append(step) }
    mutating func stepDone() {
        next += 1
        (triedSince, retryAt, recovery) = (nil, nil, 0)
    }

    /// The steps before this one were done elsewhere.
    /// - Returns: false when that is no news, or no step of this person.
    mutating func goOn(from next: Int) -> Bool {
        guard next > self.next, next <= steps.count else { return false }
        self.next = next - 1
        stepDone()
        return true
    }

    /// - Parameter room: what people know of the iPad of the present step.
    func decide(_ room: Room, now: Instant) -> Decision {
        guard let step else { return .finished }
        guard step.at <= now else { return .wait(until: step.at) }
        if step.deed.isSignIn { return decideSignIn(room, at: step.pad, now: now) }
        if let until = away[step.pad], now < until { return .skip }
        guard room.occupant == person else { return comesBack(to: step, room) ? signInAgain : .skip }
        switch step.deed {
        case .signIn, .signInAsGuest: return .pass
        case .signOut: return .send(.signOut, PadCommand.SignOut().message)
        case .home: return room.front == nil ? .pass : .send(.home, PadCommand.GoHome().message)
        case .open(let app): return recovery == 1 ? signInAgain : open(app, planned: true)
        case .perform(let edit):
            if recovery == 1 { return signInAgain }
            return room.front == edit.app
                ? .send(.perform, PadCommand.Perform(edit).message) : open(edit.app, planned: false)
        case .command(let message): return .send(.command(shows: message.appShown), message)
        case .backUp: return .send(.backUp, PadCommand.BackUp(person: person).message)
        case .restore:
            return .send(
                .command(shows: nil),
                Message(PadCommand.Restore.name, ["person": .string(person), "backups": .array(backups)]))
        }
    }

    private var signInAgain: Decision { .send(.signInAgain, signIn) }
    private var signIn: Message {
        var body: Value = ["person": .string(person)]
        if steps.contains(where: { $0.deed == .signInAsGuest }) { body["guest"] = true }
        return Message(PadCommand.SignIn.name, body)
    }
    private func open(_ app: AppName, planned: Bool) -> Decision {
        .send(.open(app, planned: planned), PadCommand.OpenApp(app: app).message)
    }

    private func decideSignIn(_ room: Room, at pad: Int, now: Instant) -> Decision {
        if room.occupant == person, away[pad] == nil { return .pass }
        if let retryAt, now < retryAt { return .wait(until: retryAt) }
        if let occupant = room.occupant, occupant != person {
            // The one before is still on the way out: stand beside.
            return room.isLeaving ? .wait(until: now + .seconds(2)) : .send(.clear, PadCommand.SignOut().message)
        }
        return .send(.signIn, signIn)
    }

    /// Whether the person tries once more to get in, for something to do in an app: the plan has them at this iPad, and nobody else has
    /// taken it meanwhile.
    private func comesBack(to step: PlanStep, _ room: Room) -> Bool {
        switch step.deed {
        case .open, .perform: break
        default: return false
        }
        guard room.occupant == nil else { return false }
        let last = steps[..<next].last { $0.pad == step.pad && ($0.deed.isSignIn || $0.deed == .signOut) }
        return last?.deed.isSignIn ?? false
    }

    /// A sign-in (or making room for it) failed.
    /// - Returns: true when the person gives up and goes on with what they have at other iPads.
    mutating func signInFailed(now: Instant) -> Bool {
        let since = triedSince ?? now
        triedSince = since
        guard now - since < Self.persistence else { return true }
        retryAt = now + Self.pause
        return false
    }

    /// The app did not come to the front: first the session is tried again, then the step is given up.
    /// - Returns: true when it is given up.
    mutating func openFailed() -> Bool {
        recovery += 1
        return recovery > 1
    }
    /// The session was tried again: the app gets one more chance.
    mutating func signedInAgain() { recovery = 2 }
    /// The iPad lets nobody in, as far as a person can see.
    mutating func leave(_ pad: Int, now: Instant) { away[pad] = now + Self.absence }
    mutating func signedIn(at pad: Int) { away[pad] = nil }
}

extension PlanStep.Deed {
    fileprivate var isSignIn: Bool { self == .signIn || self == .signInAsGuest }
}

/// What people know of one iPad.
struct Room: Hashable {
    /// Who was signed in by the last answer.
    var occupant: Person?
    /// The app in front, as far as its person knows.
    var front: AppName?
    /// The occupant's sign-out is under way.
    var isLeaving = false
}

extension Walker {
    /// For somebody who looks on.
    var inspection: Value {
        var body: Value = ["person": .string(person), "stepsDone": .int(next), "stepsLeft": .int(steps.count - next)]
        if let step { body["next"] = .string("\(step.at.wallClock) on ipad-\(step.pad): \(step.deed.words)") }
        if let waiting {
            body["waitsFor"] = .string(
                "ipad-\(waiting.pad), which was asked for \(waiting.purpose), until \(waiting.deadline.wallClock)")
        }
        return body
    }
}

extension PlanStep.Deed {
    /// In words, for people.
    fileprivate var words: String {
        switch self {
        case .signIn: "sign in"
        case .signInAsGuest: "sign in as a guest"
        case .signOut: "sign out"
        case .open(let app): "open \(app)"
        case .home: "home"
        case .perform(let edit): "\(edit.action) \(edit.item) in \(edit.app): \(edit.token)"
        case .command(let message): "command \(message.name)"
        case .backUp: "back up"
        case .restore: "restore"
        }
    }
}
