/// Marks that a run can reach: what World and Pad note once each. A name that nobody notes would never be reached.
public enum ReachableMarks {
    public static let all = byFaults + byAdministrators

    /// What the faults of a swarm bring about.
    public static let byFaults = [
        "edit-performed", "second-ipad-saw", "user-switched", "user-switch-with-pending", "user-switch-idle",
        "user-switch-background-task", "bell", "no-free-slot", "evicted", "app-killed", "app-crashed",
        "app-killed-with-pending", "watchdog", "suspended", "background-task-expired", "force-quit", "locked",
        "power-cut-with-unsynced", "rebooted", "response-lost", "request-lost", "request-duplicated", "conflict-merged",
        "document-conflict", "push-lost", "push-late", "push-duplicated", "cloud-crashed", "zone-busy",
        "partial-failure",
        "quota-refused", "identity-changed", "account-changed", "delayed-notice", "same-person-twice",
        "account-refused", "purged",
        "low-space-purged", "document-evicted", "disk-full", "on-battery", "no-wifi", "upload-after-sign-out",
        "retry-after", "clock-skewed",
        "clock-drifted", "clock-jumped", "airplane", "edit-refused", "foreign-answer", "connection-broken",
        "interrupted",
    ]
    /// What only a scenario that asks for it shows, or only an app that queries.
    public static let byAdministrators = [
        "guest-session-ended", "session-timed-out", "user-deleted", "device-erased", "erased-with-pending",
        "device-configured", "user-configured", "auto-locked", "zone-deleted", "stale-index",
        "suspended-with-lock",
    ]
}
