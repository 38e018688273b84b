import FleetModel

/// Faults of the family network.
public protocol NetworkFaults: FaultMaking {}
extension NetworkFaults {
    /// `latency`: messages take `extra` longer (direction: both, up or down); heals at the end of its window.
    public func latency(_ ipads: Int..., for span: Duration? = nil, with parameters: [String: Value] = [:]) async {
        await fault("latency", on: ipads, for: span, with: parameters)
    }
    /// `jitter`: each message takes up to `most` longer, so that messages overtake (direction); heals at the end of its window.
    public func jitter(_ ipads: Int..., for span: Duration? = nil, with parameters: [String: Value] = [:]) async {
        await fault("jitter", on: ipads, for: span, with: parameters)
    }
    /// `loss-of-request`: requests vanish on the way to the Cloud (probability, route); heals at the end of its window.
    public func lossOfRequest(_ ipads: Int..., for span: Duration? = nil, with parameters: [String: Value] = [:]) async
    {
        await fault("loss-of-request", on: ipads, for: span, with: parameters)
    }
    /// `loss-of-response`: the Cloud acts but its answer vanishes (probability, route); heals at the end of its window.
    public func lossOfResponse(_ ipads: Int..., for span: Duration? = nil, with parameters: [String: Value] = [:]) async
    {
        await fault("loss-of-response", on: ipads, for: span, with: parameters)
    }
    /// `duplicate`: requests and pushes arrive twice (probability, delay); heals at the end of its window.
    public func duplicate(_ ipads: Int..., for span: Duration? = nil, with parameters: [String: Value] = [:]) async {
        await fault("duplicate", on: ipads, for: span, with: parameters)
    }
    /// `one-way-cut`: one direction is dead (direction: up or down, seen from the iPad); heals at the end of its window.
    public func oneWayCut(_ ipads: Int..., for span: Duration? = nil, with parameters: [String: Value] = [:]) async {
        await fault("one-way-cut", on: ipads, for: span, with: parameters)
    }
    /// `partition`: iPads and Cloud hear nothing of each other (answer: silence or refused); repaired at the end of its window.
    public func partition(_ ipads: Int..., for span: Duration? = nil, with parameters: [String: Value] = [:]) async {
        await fault("partition", on: ipads, for: span, with: parameters)
    }
    /// `hold`: messages are kept on the way (direction: both, up or down); released at the end of its window.
    public func hold(_ ipads: Int..., for span: Duration? = nil, with parameters: [String: Value] = [:]) async {
        await fault("hold", on: ipads, for: span, with: parameters)
    }
    /// `airplane-mode`: airplane mode is on; switched off at the end of its window.
    public func airplaneMode(_ ipads: Int..., for span: Duration? = nil, with parameters: [String: Value] = [:]) async {
        await fault("airplane-mode", on: ipads, for: span, with: parameters)
    }
    /// `bandwidth`: a narrow line of `bytesPerSecond` (direction: both, up or down); heals at the end of its window.
    public func bandwidth(_ ipads: Int..., for span: Duration? = nil, with parameters: [String: Value] = [:]) async {
        await fault("bandwidth", on: ipads, for: span, with: parameters)
    }
    /// `reorder`: some messages come up to `delay` later, so that others overtake them (probability, route); heals at the end of its window.
    public func reorder(_ ipads: Int..., for span: Duration? = nil, with parameters: [String: Value] = [:]) async {
        await fault("reorder", on: ipads, for: span, with: parameters)
    }
    /// `reset`: the connection breaks in place of a message (probability, direction, route), and the requester sees that at once; heals at the
    /// end of its window.
    public func reset(_ ipads: Int..., for span: Duration? = nil, with parameters: [String: Value] = [:]) async {
        await fault("reset", on: ipads, for: span, with: parameters)
    }
    /// `truncation`: the connection ends after `bytes` of a body (probability, direction, route); shorter bodies pass; heals at the end of its
    /// window.
    public func truncation(_ ipads: Int..., for span: Duration? = nil, with parameters: [String: Value] = [:]) async {
        await fault("truncation", on: ipads, for: span, with: parameters)
    }
    /// `nth-request`: the nth request of each iPad in the window fails (nth, every, ending, route); heals at the end of its window.
    public func nthRequest(_ ipads: Int..., for span: Duration? = nil, with parameters: [String: Value] = [:]) async {
        await fault("nth-request", on: ipads, for: span, with: parameters)
    }
    /// `dns-failure`: the name of the Cloud is not found: requests fail at once, certainly not sent; heals at the end of its window.
    public func dnsFailure(_ ipads: Int..., for span: Duration? = nil, with parameters: [String: Value] = [:]) async {
        await fault("dns-failure", on: ipads, for: span, with: parameters)
    }
    /// `tls-failure`: the TLS handshake fails: requests fail at once, certainly not sent; heals at the end of its window.
    public func tlsFailure(_ ipads: Int..., for span: Duration? = nil, with parameters: [String: Value] = [:]) async {
        await fault("tls-failure", on: ipads, for: span, with: parameters)
    }
    /// `captive-portal`: a sign-in page answers in place of the Cloud: 200 with HTML (probability, route); heals at the end of its window.
    public func captivePortal(_ ipads: Int..., for span: Duration? = nil, with parameters: [String: Value] = [:]) async
    {
        await fault("captive-portal", on: ipads, for: span, with: parameters)
    }
    /// `content-filter`: a filter answers in place of the Cloud: 403 with HTML (probability, route); heals at the end of its window.
    public func contentFilter(_ ipads: Int..., for span: Duration? = nil, with parameters: [String: Value] = [:]) async
    {
        await fault("content-filter", on: ipads, for: span, with: parameters)
    }
}

/// Faults of the family cloud.
public protocol CloudFaults: FaultMaking {}
extension CloudFaults {
    /// `too-many-requests`: 429 with Retry-After (probability, retryAfter, route); heals at the end of its window.
    public func tooManyRequests(_ ipads: Int..., for span: Duration? = nil, with parameters: [String: Value] = [:])
        async
    {
        await fault("too-many-requests", on: ipads, for: span, with: parameters)
    }
    /// `service-unavailable`: 503 with Retry-After (probability, retryAfter, route); heals at the end of its window.
    public func serviceUnavailable(_ ipads: Int..., for span: Duration? = nil, with parameters: [String: Value] = [:])
        async
    {
        await fault("service-unavailable", on: ipads, for: span, with: parameters)
    }
    /// `zone-busy`: saves of records are refused with 503 `ZONE_BUSY`: CKError 23 with a time to wait (probability, retryAfter); heals at the
    /// end of its window.
    public func zoneBusy(_ ipads: Int..., for span: Duration? = nil, with parameters: [String: Value] = [:]) async {
        await fault("zone-busy", on: ipads, for: span, with: parameters)
    }
    /// `partial-failure`: the Cloud refuses a share of the records of each batch that is not atomic, each by name; heals at the end of its window.
    public func partialFailure(_ ipads: Int..., for span: Duration? = nil, with parameters: [String: Value] = [:]) async
    {
        await fault("partial-failure", on: ipads, for: span, with: parameters)
    }
    /// `stale-index`: queries miss records saved or changed within `behind`; fetches, changes and pushes are never late; heals at the end of its
    /// window.
    public func staleIndex(_ ipads: Int..., for span: Duration? = nil, with parameters: [String: Value] = [:]) async {
        await fault("stale-index", on: ipads, for: span, with: parameters)
    }
    /// `cloud-crash`: the Cloud dies and loses what it had not synced; restarts after `outage`.
    public func cloudCrash(_ ipads: Int..., with parameters: [String: Value] = [:]) async {
        await fault("cloud-crash", on: ipads, for: nil, with: parameters)
    }
    /// `push-lost`: pushes do not arrive (probability); heals at the end of its window.
    public func pushLost(_ ipads: Int..., for span: Duration? = nil, with parameters: [String: Value] = [:]) async {
        await fault("push-lost", on: ipads, for: span, with: parameters)
    }
    /// `push-late`: pushes come later, by half of `delay` to all of it (probability); heals at the end of its window.
    public func pushLate(_ ipads: Int..., for span: Duration? = nil, with parameters: [String: Value] = [:]) async {
        await fault("push-late", on: ipads, for: span, with: parameters)
    }
    /// `push-duplicated`: pushes arrive twice, the copy up to `delay` later (probability); heals at the end of its window.
    public func pushDuplicated(_ ipads: Int..., for span: Duration? = nil, with parameters: [String: Value] = [:]) async
    {
        await fault("push-duplicated", on: ipads, for: span, with: parameters)
    }
    /// `quota-exceeded`: accounts have only `bytes` of space: the Cloud refuses records and documents that grow (413); the usual space at the
    /// end of its window.
    public func quotaExceeded(_ ipads: Int..., for span: Duration? = nil, with parameters: [String: Value] = [:]) async
    {
        await fault("quota-exceeded", on: ipads, for: span, with: parameters)
    }
    /// `change-token-expired`: the Cloud refuses the change tokens given out so far, and apps fetch from the beginning; nothing to heal.
    public func changeTokenExpired(_ ipads: Int..., with parameters: [String: Value] = [:]) async {
        await fault("change-token-expired", on: ipads, for: nil, with: parameters)
    }
    /// `zone-deleted`: custom zones of the private database go with their records (person, zone; else all); edits that no iPad sends again are
    /// `excused`; nothing to heal.
    public func zoneDeleted(_ ipads: Int..., with parameters: [String: Value] = [:]) async {
        await fault("zone-deleted", on: ipads, for: nil, with: parameters)
    }
}
