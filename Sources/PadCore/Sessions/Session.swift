import FleetModel

/// A moment at which a person signs out: a switch is hardest, or easiest, just then (faults `user-switch-...`).
enum SignOutMoment: String {
    /// Nothing waits in a queue, no app holds a task or has something to return from.
    case idle
    /// An app holds a background task.
    case backgroundTask

    var mark: Mark {
        switch self {
        case .idle: .userSwitchIdle
        case .backgroundTask: .userSwitchBackgroundTask
        }
    }
}

/// Who uses the iPad. One session at a time (shared-ipad.md 1).
enum Session: Hashable {
    /// The login screen.
    case none
    case active(Person)
    /// Signing out: apps get their last callbacks (shared-ipad.md 4). `forced`: background tasks are not waited for.
    case leaving(Person, forced: Bool)

    /// Whose apps run.
    var person: Person? {
        switch self {
        case .none: nil
        case .active(let person), .leaving(let person, _): person
        }
    }
    var activePerson: Person? { if case .active(let person) = self { person } else { nil } }
}
