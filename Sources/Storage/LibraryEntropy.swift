import CDisk

/// Prepares SQLite now, before any participant has an entropy stream of its own: its process-wide generator gets fixed entropy and
/// never draws from the machine or an app. Call once a process, outside every participant; again does nothing.
public func seedLibraries() { cdisk_prepare() }
