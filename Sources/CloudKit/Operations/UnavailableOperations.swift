// What Apple has taken away, or what needs a browser: a name that says what to do instead.

/// Not available; the compiler says what to use instead.
@available(*, unavailable, message: "Apple has removed it: set UIApplication's badge instead")
public enum CKModifyBadgeOperation {}
/// Not available; the compiler says what to use instead.
@available(*, unavailable, message: "Apple has removed it: a notification that was handled needs no mark")
public enum CKMarkNotificationsReadOperation {}
/// Not available; the compiler says what to use instead.
@available(
    *, unavailable,
    message: "Apple has removed it: fetch changes with CKFetchDatabaseChangesOperation, a push is only a hint"
)
public enum CKFetchNotificationChangesOperation {}
/// Not available; the compiler says what to use instead.
@available(*, unavailable, message: "there is no browser on these iPads: leave the web token out")
public enum CKFetchWebAuthTokenOperation {}
