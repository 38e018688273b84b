import FleetModel

/// One transfer of a background session, as its app resumed it. Of an upload the daemon has a clone of the body.
struct Transfer {
    /// How it ended. A 4xx or 5xx is a finished transfer like any other (app-lifecycle.md 7).
    enum Outcome: Hashable {
        case response(status: Int, data: [UInt8])
        /// `info`: more members of the error: `reason` of a cancellation, `resumeData` of a download, the `status` of an answer that could
        /// not be kept.
        case failure(code: Int, message: String, info: Value = .empty, domain: ServiceError.Domain = .url)

        /// The backend took the bytes.
        var isSuccess: Bool { if case .response(let status, _) = self { (200..<300).contains(status) } else { false } }
        var body: Value {
            switch self {
            case .response(let status, let data): ["status": .int(status), "data": .data(data)]
            case .failure(let code, let message, let info, let domain):
                Self.body(ServiceError(domain, code, message), info)
            }
        }
        private static func body(_ error: ServiceError, _ info: Value) -> Value {
            var body = error.body
            for pair in info.object?.pairs ?? [] { body["error"]?[pair.key] = pair.value }
            return body
        }
        init?(_ body: Value) {
            let kept = Kept(lenient: body)
            if let error = kept.error {
                var info = Value.empty
                for (key, value) in [
                    ("reason", error.reason), ("resumeData", error.resumeData), ("status", error.status),
                ] {
                    info[key] = value
                }
                self = .failure(code: error.code, message: error.message, info: info, domain: error.domain)
            } else if let status = kept.status, let data = kept.data {
                self = .response(status: status, data: data)
            } else {
                return nil
            }
        }
        /// The column of the database.
        private struct Kept: FieldGroup {
            struct Failure: FieldGroup {
                var code = 0
                var domain = ServiceError.Domain.url
                var message = ""
                var reason: Value?
                var resumeData: Value?
                var status: Value?
                init() {}
                mutating func visit(_ fields: inout Fields) {
                    fields.required("code", &code)
                    fields.always("domain", &domain)
                    fields.always("message", &message)
                    fields.optional("reason", &reason)
                    fields.optional("resumeData", &resumeData)
                    fields.optional("status", &status)
                }
            }
            var data: [UInt8]?
            var error: Failure?
            var status: Int?
            init() {}
            mutating func visit(_ fields: inout Fields) {
                fields.optional("data", &data)
                fields.optional("error", &error)
                fields.optional("status", &status)
            }
        }
        static func response(_ response: HTTPResponse) -> Outcome {
            .response(status: response.status, data: response.body)
        }
    }

    /// Unique in the person's volume, never reused.
    var task: Int64
    /// `taskIdentifier`: what the app knows it by. Counted from 1 in its app's session of that identifier, over launches too (ASSUMED;
    /// URLSessionTask.taskIdentifier: another session may have the same number).
    var number: Int64 = 0
    var app: AppName
    var bundle: String
    var session: String
    var method: String
    var url: String
    var target: String
    var headers: HTTPHeaders
    /// The app's own label, given back to it.
    var description: String
    /// `X-Homeroom-Request`: the same over all tries.
    var request: String
    var created: Instant
    /// `earliestBeginDate`: nothing is sent before, however good the network is. Without one, the moment of `resume()`.
    var begins: Instant
    /// What the body carries.
    var tokens: [Token]
    /// What comes back is kept as a file for the app (S137).
    var isDownload = false
    /// How long the system goes on trying: timeoutIntervalForResource.
    var lifetime = Self.lifetimeDefault
    /// It waits for power and Wi-Fi: the session says so, or it was begun while the app was in the background.
    var isDiscretionary = false
    /// Whether the app is started or resumed for its end: sessionSendsLaunchEvents.
    var sendsLaunchEvents = true
    /// How long one try may take before the system tries again: timeoutIntervalForRequest; nil: the network stack's own.
    var requestTimeout: Span?
    /// Of a download: what names the version whose first bytes are here.
    var part: DownloadPart?
    /// Nil while the transfer is not finished.
    var outcome: Outcome?

    // What the daemon knows only while it runs.
    var retry = RetrySchedule()
    /// The limiter lets it begin then: it was begun by an app that had been started or resumed for transfers too often.
    var held = Instant.zero
    var isUnderWay = false
    /// The launch that was given the outcome and has not answered yet.
    var deliveredTo: Int?
    var deliveredAt = Instant.zero

    /// Names the work to the network. Transfers to one address go one after another, so the name is unique while under way.
    var name: String { "\(word) \(target)" }
    var word: String { isDownload ? "download" : "upload" }

    /// Source: app-lifecycle.md 7.
    static let lifetimeDefault = Span.hours(7 * 24)
    var expires: Instant { created + lifetime }
    /// When it may be sent: neither before the app wants it and the limiter lets it, nor before the pause after a failure is over.
    var due: Instant { max(begins, held, retry.notBefore) }

    /// The row of the database; the outcome has a column of its own.
    var row: Value { body }
    /// - Throws: `DecodingFailure` when the row is not what `row` wrote: the volume is damaged.
    init(task: Int64, app: AppName, row: Value, outcome: Value?) throws(DecodingFailure) {
        var kept = Transfer()
        kept.number = task
        var fields = Fields(row: row)
        kept.visit(&fields)
        guard fields.isWhole else { throw DecodingFailure("the row of transfer \(task) is damaged", at: 0) }
        self = kept
        (self.task, self.app) = (task, app)
        self.outcome = outcome.flatMap(Outcome.init)
    }
    init(
        task: Int64, app: AppName, bundle: String, session: String, method: String, url: String, target: String,
        headers: HTTPHeaders, description: String, request: String, created: Instant, tokens: [Token]
    ) {
        self.task = task
        self.app = app
        self.bundle = bundle
        self.session = session
        self.method = method
        self.url = url
        self.target = target
        self.headers = headers
        self.description = description
        self.request = request
        self.created = created
        begins = created
        self.tokens = tokens
    }
}

extension Transfer: FieldGroup {
    init() {
        self.init(
            task: 0, app: "", bundle: "", session: "", method: "", url: "", target: "", headers: [:], description: "",
            request: "", created: .zero, tokens: [])
    }
    mutating func visit(_ fields: inout Fields) {
        var (begin, isQuiet, sent) = (Optional(begins), !sendsLaunchEvents, Optional(BackendURL.value(headers)))
        fields.optional("begins", &begin)
        fields.required("bundle", &bundle)
        fields.required("created", &created)
        fields.always("description", &description)
        fields.unless(false, "discretionary", &isDiscretionary)
        fields.unless(false, "download", &isDownload)
        fields.optional("headers", &sent)
        fields.unless(Self.lifetimeDefault, "lifetime", &lifetime)
        fields.required("method", &method)
        fields.always("number", &number)
        fields.optional("part", &part)
        fields.unless(false, "quiet", &isQuiet)
        fields.required("request", &request)
        fields.optional("requestTimeout", &requestTimeout)
        fields.required("session", &session)
        fields.required("target", &target)
        fields.always("tokens", &tokens)
        fields.required("url", &url)
        guard fields.isReading else { return }
        (begins, sendsLaunchEvents, headers) = (begin ?? created, !isQuiet, BackendURL.headers(sent))
    }
}
