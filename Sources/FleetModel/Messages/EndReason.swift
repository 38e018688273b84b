/// Why a launch ended: `detail.reason` of a note `appExited` (app-lifecycle.md 5).
public enum EndReason: String, Hashable, Sendable, CaseIterable, FieldValue {
    case terminated, memory, kill, forceQuit, crash, watchdog, userSwitch, powerCut, reboot, erase, update, removed
    case exitsOnSuspend

    /// The app got no turn: no background callback, so no flush of the key-value store (key-value-store.md 3).
    /// A reboot is one of them: it is orderly for the system, not for apps (app-lifecycle.md 5).
    public var isAbrupt: Bool {
        switch self {
        case .memory, .kill, .forceQuit, .crash, .watchdog, .powerCut, .reboot, .erase, .update, .removed: true
        case .terminated, .userSwitch, .exitsOnSuspend: false
        }
    }
}

/// Why local data went: `detail.reason` of a note `purged`.
public enum PurgeReason: String, Hashable, Sendable, CaseIterable, FieldValue {
    case signOut, lowSpace, eviction, deleteUser, forceDeletion, eraseDevice, temporarySession, appRemoved
}

extension Note {
    /// Why the launch of a note `appExited` ended.
    public var endReason: EndReason? { detail["reason"]?.string.flatMap(EndReason.init) }
    /// Why the data of a note `purged` went.
    public var purgeReason: PurgeReason? { detail["reason"]?.string.flatMap(PurgeReason.init) }
}
