import FleetModel
import Storage

/// Devices that have registered for pushes (cloudkit-web-services.md 7.4). A device belongs to who registered it last.
enum PushTokens {
    /// Devices of one person in one container; the oldest go first. ASSUMED.
    private static let devicesMax = 100

    static func register(
        _ token: String, _ apns: String, of account: Int64, at place: Place, _ work: Work
    ) throws {
        let (container, environment) = (SQLValue.text(place.container), SQLValue.text(place.environment))
        try work.database.execute(
            "INSERT OR REPLACE INTO pushtoken(hash, container, environment, owner, apns, at) VALUES(?, ?, ?, ?, ?, ?)",
            .text(Secret.hidden(token)), container, environment, .int(account), .text(apns),
            .int(work.now.nanoseconds))
        try work.database.execute(
            "DELETE FROM pushtoken WHERE container = ? AND environment = ? AND owner = ? AND hash NOT IN "
                + "(SELECT hash FROM pushtoken WHERE container = ? AND environment = ? AND owner = ? "
                + "ORDER BY at DESC, hash LIMIT ?)", container, environment, .int(account), container, environment,
            .int(account), .int(devicesMax))
    }

    /// For an administrator: `{container, environment, apnsEnvironment, digest}` of each, the oldest first.
    static func all(of account: Int64, _ work: Work) throws -> [Value] {
        try work.database.query(
            "SELECT container, environment, apns, hash FROM pushtoken WHERE owner = ? "
                + "ORDER BY at, container, environment, hash", .int(account)
        ).map { row in
            [
                "container": .string(row.text(0)), "environment": .string(row.text(1)),
                "apnsEnvironment": .string(row.text(2)), "digest": .string(row.text(3)),
            ]
        }
    }
}
