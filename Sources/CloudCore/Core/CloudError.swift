import FleetModel

/// Why a request was refused: what the error object of cloudkit-web-services.md 9 says.
///
/// Every refusal is definite: nothing of the request was done.
struct CloudError: Error, Hashable {
    var code: ServerErrorCode
    /// What happened, where, and what to do next.
    var reason: String
    /// Seconds; its presence tells the client that the same request may succeed later.
    var retryAfter: Int?
    /// Names the failed item: `recordName`, `zoneID` or `subscriptionID`.
    var item: Value.Object

    init(_ code: ServerErrorCode, _ reason: String, retryAfter: Int? = nil, item: Value.Object = Value.Object()) {
        self.code = code
        self.reason = reason
        self.retryAfter = retryAfter
        self.item = item
    }

    /// A malformed or impossible request.
    static func badRequest(_ reason: String) -> CloudError { CloudError(.badRequest, reason) }

    /// Says which member of a list of the request is meant: one of 200 is not looked for by hand.
    func at(_ list: String, _ index: Int) -> CloudError {
        var copy = self
        copy.reason = "\(list)[\(index)]: \(reason)"
        return copy
    }

    func naming(_ key: String, _ value: Value) -> CloudError {
        var copy = self
        copy.item[key] = value
        return copy
    }

    /// The error object; `uuid` names this one refusal.
    func body(uuid: String) -> Value {
        var object = item
        object["serverErrorCode"] = .string(code.rawValue)
        object["reason"] = .string(reason)
        object["uuid"] = .string(uuid)
        object["retryAfter"] = retryAfter.map { .int($0) }
        return .object(object)
    }
}

/// The codes of cloudkit-web-services.md 9 with their HTTP status; one table.
struct ServerErrorCode: Hashable, Sendable {
    let rawValue: String
    let httpStatus: Int

    private init(_ rawValue: String, _ httpStatus: Int) {
        self.rawValue = rawValue
        self.httpStatus = httpStatus
    }

    static let accessDenied = ServerErrorCode("ACCESS_DENIED", 403)
    static let atomicError = ServerErrorCode("ATOMIC_ERROR", 400)
    static let authenticationFailed = ServerErrorCode("AUTHENTICATION_FAILED", 401)
    static let authenticationRequired = ServerErrorCode("AUTHENTICATION_REQUIRED", 421)
    static let badRequest = ServerErrorCode("BAD_REQUEST", 400)
    static let conflict = ServerErrorCode("CONFLICT", 409)
    static let exists = ServerErrorCode("EXISTS", 409)
    static let internalError = ServerErrorCode("INTERNAL_ERROR", 500)
    static let notFound = ServerErrorCode("NOT_FOUND", 404)
    static let quotaExceeded = ServerErrorCode("QUOTA_EXCEEDED", 413)
    static let throttled = ServerErrorCode("THROTTLED", 429)
    static let tryAgainLater = ServerErrorCode("TRY_AGAIN_LATER", 503)
    static let uniqueFieldError = ServerErrorCode("UNIQUE_FIELD_ERROR", 409)
    static let validatingReferenceError = ServerErrorCode("VALIDATING_REFERENCE_ERROR", 412)
    static let zoneNotFound = ServerErrorCode("ZONE_NOT_FOUND", 404)
    /// ASSUMED: Apple documents no web code for a zone that the person erased; the framework has `userDeletedZone` 28.
    static let userDeletedZone = ServerErrorCode("USER_DELETED_ZONE", 404)
    /// ASSUMED: Apple documents no web code for an expired token; the framework has `changeTokenExpired` 21.
    static let changeTokenExpired = ServerErrorCode("CHANGE_TOKEN_EXPIRED", 400)
}
