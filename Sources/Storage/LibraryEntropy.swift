import CSQLite

/// Lets SQLite seed its process-wide generator now, before any participant has an entropy stream of its own: whoever came first
/// would otherwise pay for all (prototypes 1). Call once a process, outside every participant.
public func seedLibraries() {
    var bytes: UInt64 = 0
    sqlite3_randomness(8, &bytes)
}
