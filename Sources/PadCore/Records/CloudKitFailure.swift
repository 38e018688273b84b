import FleetModel

/// A failure as CloudKit's framework shows it to an app (cloudkit-framework.md 13), with what the daemon must know beside it.
struct CloudKitFailure: Error, Hashable {
    /// `CKError.Code` raw value.
    var code: Int
    /// What happened, then what to do.
    var message: String
    /// Seconds to wait; its presence is the signal that a retry makes sense.
    var retryAfter: Double?
    /// The server's copy, for `serverRecordChanged`.
    var serverRecord: Value?
    /// The service's own word: `CONFLICT`; nil when the service did not speak.
    var serverCode: String?
    /// Whether the same request may succeed later without anybody's doing: a long-lived operation goes on trying.
    var isTransient: Bool
    /// The system has stopped trying: the operation's time is over, or the app has cancelled it.
    var isGivenUp = false
    /// The zone went because the person reset the keys of encrypted data (`CKErrorUserDidResetEncryptedDataKey`).
    var isKeyReset = false
    /// The iPad has no room for the operation (`NSUnderlyingErrorKey`: NSFileWriteOutOfSpaceError).
    var isOutOfRoom = false

    init(
        code: Int, _ message: String, retryAfter: Double? = nil, serverCode: String? = nil, isTransient: Bool = false
    ) {
        self.code = code
        self.message = message
        self.retryAfter = retryAfter
        self.serverCode = serverCode
        self.isTransient = isTransient
    }

    /// Whether the operation certainly did not happen and trying again cannot help: its edits go back to the app.
    var isDefiniteRefusal: Bool { !isTransient && ErrorTable.cloudKit(code).outcome == .fail }
    /// Whether the app has its edits back: what is refused for good, and what the system has stopped trying.
    var handsBack: Bool { isGivenUp || isDefiniteRefusal }
    /// Whether the network failed, not the service: what operations of low quality of service wait out (cloudkit-framework.md 11).
    var isOfNetwork: Bool { serverCode == nil && [3, 4, 34].contains(code) }

    /// The error dictionary of the local link.
    var value: Value { LinkFields(self).body }
    struct LinkFields: FieldGroup {
        var code = 1
        var domain = "CKErrorDomain"
        var encryptedDataReset = false
        var message = ""
        var retryAfter: Double?
        var serverRecord: Value?
        var underlying: Value?
        init() {}
        init(_ failure: CloudKitFailure) {
            (code, message, retryAfter) = (failure.code, failure.message, failure.retryAfter)
            (serverRecord, encryptedDataReset) = (failure.serverRecord, failure.isKeyReset)
            if failure.isOutOfRoom { underlying = ["domain": "NSCocoaErrorDomain", "code": 640] }
        }
        mutating func visit(_ fields: inout Fields) {
            fields.always("code", &code)
            fields.always("domain", &domain)
            fields.unless(false, "encryptedDataReset", &encryptedDataReset)
            fields.always("message", &message)
            fields.optional("retryAfter", &retryAfter)
            fields.optional("serverRecord", &serverRecord)
            fields.optional("underlying", &underlying)
        }
    }
    /// The whole answer of an operation that failed as one.
    var answer: Value { ["error": value] }
}

extension CloudKitFailure {
    /// Which thing an error object of the service speaks about: the same word means different things to an app.
    enum Subject {
        case request, record, zone, subscription, share
    }

    /// Reads an error object of cloudkit-web-services.md 9 (its column "suggested CKError mapping"); nil when it is none.
    init?(service object: Value, about subject: Subject) {
        guard let word = WebEntry(lenient: object).serverErrorCode else { return nil }
        let error = WebError(lenient: object)
        let reason = error.reason ?? "the service gave no reason"
        let row = Self.table[word]
        self.init(
            code: row?.code ?? 15, "\(word): \(reason)", retryAfter: error.retryAfter, serverCode: word,
            isTransient: row?.isTransient ?? false)
        isKeyReset = error.encryptedDataReset
        if let problem = error.shareProblem, let own = Self.shareProblems[problem] { code = own }
        refine(about: subject)
        if retryAfter != nil { isTransient = true }
    }

    /// Where one word of the service stands for several of the framework.
    private mutating func refine(about subject: Subject) {
        switch (serverCode, subject) {
        case ("TRY_AGAIN_LATER", .record), ("TRY_AGAIN_LATER", .zone): code = 23
        case ("EXISTS", .zone), ("EXISTS", .subscription): code = 15
        case ("NOT_FOUND", .zone): code = 26
        default: break
        }
    }

    /// What the reference iCloud says of shares in addition to the service's own word, for which the framework has codes (cloudkit-framework.md
    /// 13, 16). ASSUMED: Apple's own protocol with iPads is not documented.
    private static let shareProblems = [
        "tooManyParticipants": 29, "alreadyShared": 30, "participantMayNeedVerification": 33, "zoneIsShared": 15,
    ]
    private struct Row {
        var code: Int
        var isTransient = false
    }
    /// A dead account token is transient: the Pad signs in again by itself (ASSUMED).
    /// `CHANGE_TOKEN_EXPIRED`, `USER_DELETED_ZONE` and `ZONE_BUSY` are the reference iCloud's own words: Apple documents none
    /// (ASSUMED).
    private static let table: [String: Row] = [
        "ACCESS_DENIED": Row(code: 10),
        "ATOMIC_ERROR": Row(code: 22),
        "AUTHENTICATION_FAILED": Row(code: 9, isTransient: true),
        "AUTHENTICATION_REQUIRED": Row(code: 9, isTransient: true),
        "BAD_REQUEST": Row(code: 12),
        "CHANGE_TOKEN_EXPIRED": Row(code: 21),
        "CONFLICT": Row(code: 14),
        "EXISTS": Row(code: 14),
        "INTERNAL_ERROR": Row(code: 1, isTransient: true),
        "NOT_FOUND": Row(code: 11),
        "QUOTA_EXCEEDED": Row(code: 25),
        "THROTTLED": Row(code: 6, isTransient: true),
        "TRY_AGAIN_LATER": Row(code: 6, isTransient: true),
        "UNIQUE_FIELD_ERROR": Row(code: 19),
        "USER_DELETED_ZONE": Row(code: 28),
        "VALIDATING_REFERENCE_ERROR": Row(code: 31),
        "ZONE_BUSY": Row(code: 23, isTransient: true),
        "ZONE_NOT_FOUND": Row(code: 26),
    ]
}

/// What the service said to one request: its JSON object, or why there is none.
typealias WebAnswer = Result<Value, CloudKitFailure>

extension NetworkReply {
    /// The answer to a request: a file, or the service's own words.
    func answer(to call: WebCall) -> WebAnswer {
        if call.isDownload, case .response(let response) = self, response.isSuccess {
            return .success(["data": .data(response.body)])
        }
        // Whatever else became of a write whose answer did not come: nobody here knows (34).
        if call.isWrite, case .failure(.connectionLost) = self { return .failure(.responseLost) }
        return webAnswer(about: call.subject)
    }
    /// Tells the service's own words from those of whoever stands in between: a captive portal's page or a filter's 403
    /// is no answer of CloudKit, so the outcome is that of a broken connection.
    func webAnswer(about subject: CloudKitFailure.Subject) -> WebAnswer {
        switch self {
        case .failure(.unreachable): return .failure(.networkUnavailable)
        case .failure(.connectionLost):
            return .failure(.networkFailure("the connection broke before CloudKit's answer arrived; it may have acted"))
        case .response(let response):
            guard let body = response.json, body.object != nil else { return .failure(response.foreignFailure) }
            // An atomic batch that failed answers 400 with a result for each record: that is an answer, no refusal.
            if response.isSuccess || WebPage(lenient: body).records != nil { return .success(body) }
            guard var failure = CloudKitFailure(service: body, about: subject) else {
                return .failure(response.foreignFailure)
            }
            if failure.retryAfter == nil, let hint = response.retryAfterHeader {
                failure.retryAfter = hint
                failure.isTransient = true
            }
            return .failure(failure)
        }
    }
}

extension HTTPResponse {
    /// Seconds of the header `Retry-After`; its form with a date is not used here.
    fileprivate var retryAfterHeader: Double? { headers["Retry-After"].flatMap { Double($0) } }

    /// An answer without an error object of the service: overload speaks for itself, anything else is a broken way.
    fileprivate var foreignFailure: CloudKitFailure {
        if status == 503 || status == 429 {
            return CloudKitFailure(
                code: 6, "status \(status): the service refused for now; retry after the hint",
                retryAfter: retryAfterHeader,
                isTransient: true)
        }
        return .networkFailure("status \(status) came from something that is not CloudKit")
    }
}

extension CloudKitFailure {
    static let networkUnavailable = CloudKitFailure(
        code: 3, "there is no network, nothing was sent; try again when it is back", isTransient: true)
    static func networkFailure(_ message: String) -> CloudKitFailure {
        CloudKitFailure(code: 4, message, isTransient: true)
    }
    /// Source: cloudkit-framework.md 13, and cloudkit-web-services.md 11: an answer dropped after the commit gives this one. A break
    /// before the commit looks the same to an iPad (ASSUMED: the same code).
    static let responseLost = CloudKitFailure(
        code: 34, "CloudKit's answer did not arrive; it may have acted: look before you send it again",
        isTransient: true)
    /// Source: cloudkit-framework.md 13, 14: a throttle of the device itself.
    static func rateLimited(_ seconds: Double) -> CloudKitFailure {
        CloudKitFailure(
            code: 7, "CloudKit asked this iPad to leave it alone; nothing was sent: retry after the hint",
            retryAfter: seconds)
    }
    /// The operation's `timeoutIntervalForResource` is over (cloudkit-framework.md 11).
    /// - Parameters:
    ///   - reason: what the operation waited for last.
    ///   - isInDoubt: a request may have been carried out.
    static func expired(_ reason: CloudKitFailure?, isInDoubt: Bool, isWrite: Bool) -> CloudKitFailure {
        var failure: CloudKitFailure =
            isInDoubt ? isWrite ? .responseLost : .networkFailure("no answer came") : reason ?? .networkUnavailable
        failure.message = "the operation took longer than its timeoutIntervalForResource: \(failure.message)"
        failure.isTransient = true
        failure.isGivenUp = true
        return failure
    }
    /// The app cancelled the operation (cloudkit-framework.md 11).
    static var cancelled: CloudKitFailure {
        var failure = CloudKitFailure(code: 20, "the app cancelled the operation; what was sent may have happened")
        failure.isGivenUp = true
        return failure
    }
    /// ASSUMED of all calls but `fetchUserRecordID`, which the sources give 9: every account of a Shared iPad is a managed one.
    static let managedAccountRestricted = CloudKitFailure(
        code: 32, "the organisation does not let this account use iCloud; wait for the account to change")
    static let assetNotAvailable = CloudKitFailure(
        code: 35, "iCloud does not give the asset's file; fetch the record again later")
    static let notAuthenticated = CloudKitFailure(
        code: 9, "no iCloud account is signed in; wait for the account to change")
    static let accountNotReady = CloudKitFailure(
        code: 36, "the iCloud account is not ready; wait for the account to change")
    static func unexpected(_ message: String) -> CloudKitFailure {
        CloudKitFailure(code: 1, "\(message); the service broke its protocol")
    }
}
