/// Something worth having happened did happen: what a scenario's `mustReach` may ask for. Each is noted once in a run, by the participant that sees it.
///
/// The name is that of the trace. Some are called as the fault that brings them about; a fault has a name of its own in `FaultRegistry`.
public enum Mark: String, Hashable, Sendable, CaseIterable {
    // What the faults of a swarm bring about
    case editPerformed = "edit-performed"
    case secondIPadSaw = "second-ipad-saw"
    case userSwitched = "user-switched"
    case userSwitchWithPending = "user-switch-with-pending"
    case userSwitchIdle = "user-switch-idle"
    case userSwitchBackgroundTask = "user-switch-background-task"
    case bell
    case noFreeSlot = "no-free-slot"
    case evicted
    case appKilled = "app-killed"
    case appCrashed = "app-crashed"
    case appKilledWithPending = "app-killed-with-pending"
    case watchdog
    case suspended
    case backgroundTaskExpired = "background-task-expired"
    case forceQuit = "force-quit"
    case locked
    case powerCutWithUnsynced = "power-cut-with-unsynced"
    case rebooted
    case responseLost = "response-lost"
    case requestLost = "request-lost"
    case requestDuplicated = "request-duplicated"
    case conflictMerged = "conflict-merged"
    case documentConflict = "document-conflict"
    case pushLost = "push-lost"
    case pushLate = "push-late"
    case pushDuplicated = "push-duplicated"
    case cloudCrashed = "cloud-crashed"
    case zoneBusy = "zone-busy"
    case partialFailure = "partial-failure"
    case quotaRefused = "quota-refused"
    case identityChanged = "identity-changed"
    case accountChanged = "account-changed"
    case delayedNotice = "delayed-notice"
    case samePersonTwice = "same-person-twice"
    case accountRefused = "account-refused"
    case purged
    case lowSpacePurged = "low-space-purged"
    case documentEvicted = "document-evicted"
    case diskFull = "disk-full"
    case onBattery = "on-battery"
    case noWiFi = "no-wifi"
    case uploadAfterSignOut = "upload-after-sign-out"
    case retryAfter = "retry-after"
    case clockSkewed = "clock-skewed"
    case clockDrifted = "clock-drifted"
    case clockJumped = "clock-jumped"
    case airplane
    case editRefused = "edit-refused"
    case foreignAnswer = "foreign-answer"
    case connectionBroken = "connection-broken"
    case interrupted
    // What only a scenario that asks for it shows, or only an app that queries
    case guestSessionEnded = "guest-session-ended"
    case sessionTimedOut = "session-timed-out"
    case userDeleted = "user-deleted"
    case deviceErased = "device-erased"
    case erasedWithPending = "erased-with-pending"
    case deviceConfigured = "device-configured"
    case userConfigured = "user-configured"
    case autoLocked = "auto-locked"
    case zoneDeleted = "zone-deleted"
    case staleIndex = "stale-index"
    case suspendedWithLock = "suspended-with-lock"
    case shareJoined = "share-joined"
    case shareLeft = "share-left"

    /// Only a scenario that asks for it shows it, or only an app that queries.
    public var isByAdministrators: Bool {
        switch self {
        case .guestSessionEnded, .sessionTimedOut, .userDeleted, .deviceErased, .erasedWithPending, .deviceConfigured,
            .userConfigured, .autoLocked, .zoneDeleted, .staleIndex, .suspendedWithLock, .shareJoined, .shareLeft:
            true
        default: false
        }
    }

    /// The detail of a note of it.
    public var detail: Value { ["name": .string(rawValue)] }
}

extension Note {
    /// The note of a mark.
    /// - Parameter pad: the iPad that it is about: it counts as often as it comes then.
    public static func mark(_ mark: Mark, pad: Int? = nil) -> Note {
        var note = Note(.mark, detail: mark.detail)
        note.detail["pad"] = pad.map { .int($0) }
        return note
    }
    /// Which mark it is; nil for other notes, and for a mark of an unknown name.
    public var mark: Mark? { kind == .mark ? detail["name"]?.string.flatMap(Mark.init) : nil }
}
