import FleetModel

/// Containers whose requests stay off the network for now, because the service asked for it: the throttle of the device itself
/// (cloudkit-framework.md 14).
///
/// ASSUMED: after a `THROTTLED` of the service, for as long as its hint says, for all apps of the person that use the container; ordinary
/// operations are refused with `requestRateLimited` and what is left of the hint, long-lived ones wait by themselves. A reboot forgets it.
struct RecordThrottle {
    private struct Place: Hashable {
        var person: Person
        var container: String
    }
    private var until: [Place: Instant] = [:]

    mutating func hear(_ failure: CloudKitFailure?, of run: OperationRun, at now: Instant) {
        guard let failure, failure.serverCode == "THROTTLED", let hint = failure.retryAfter, hint.isFinite, hint > 0
        else {
            return
        }
        let pause = Span(nanoseconds: Int64(min(hint, Backoff.hintSecondsMax) * 1e9))
        until[Place(person: run.app.account, container: run.scope.container)] = now + pause
    }
    /// - Throws: `requestRateLimited` 7 for a request that must not leave yet.
    mutating func check(_ run: OperationRun, at now: Instant) throws(RecordFault) {
        let place = Place(person: run.app.account, container: run.scope.container)
        guard let end = until[place] else { return }
        guard now < end else {
            until[place] = nil
            return
        }
        throw .refused(.rateLimited(Double((end - now).nanoseconds) / 1e9))
    }
    mutating func forget(_ person: Person) { until = until.filter { $0.key.person != person } }
}
