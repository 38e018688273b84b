import FleetModel

/// How an app wants one operation to be carried out: `CKOperation.Configuration` (cloudkit-framework.md 11).
///
/// Not modelled: scheduling by quality of service (an operation starts when it is added), `allowsCellularAccess` (school iPads have Wi-Fi).
struct OperationSettings: Hashable {
    enum Quality: String {
        case userInteractive, userInitiated, `default`, utility, background
    }

    /// Source: app-lifecycle.md 7 and cloudkit-framework.md 11, `timeoutIntervalForRequest`.
    static let requestTimeout = Span.seconds(60)
    /// Source: cloudkit-framework.md 11, `timeoutIntervalForResource`.
    static let resourceTimeout = Span.hours(7 * 24)

    var quality = Quality.default
    /// How long one request waits for its answer.
    var requestTimeout = Self.requestTimeout
    /// How long the whole operation may take from its hand-over, pauses between tries included.
    var resourceTimeout = Self.resourceTimeout

    /// Whether the system waits out failures of the network until the resource timeout, in place of the app.
    var waitsForNetwork: Bool { quality == .utility || quality == .background }

    /// - Throws: `malformed` for what is no quality of service, or no time.
    init(_ message: RecordMessage) throws(RecordFault) {
        if let name = try message.optionalText("qos") {
            guard let quality = Quality(rawValue: name) else {
                throw .malformed("\(message.name): there is no quality of service '\(name)'")
            }
            self.quality = quality
        }
        if let timeout = try Self.seconds("requestTimeout", message) { requestTimeout = timeout }
        if let timeout = try Self.seconds("resourceTimeout", message) { resourceTimeout = timeout }
    }
    /// At most a year: nobody waits for longer.
    private static let secondsMax = 365.0 * 24 * 3600
    private static func seconds(_ key: String, _ message: RecordMessage) throws(RecordFault) -> Span? {
        guard let value = message.body[key], !value.isNull else { return nil }
        guard let seconds = value.double, seconds > 0 else {
            throw .malformed("\(message.name): '\(key)' must be a number of seconds above 0")
        }
        return Span(nanoseconds: Int64(min(seconds, secondsMax) * 1e9))
    }
}
