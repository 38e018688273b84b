import FleetModel

/// What an app was told, as a note `answered` has it.
struct AnswerNote: Hashable, Sendable {
    var code: Int64?
    var domain: String?
    var status: Int64?
    var body: String?
    var isCutOff: Bool
    var isConflict: Bool
    var isSuccess: Bool
    var reason: String?

    /// - Parameter note: one of kind `answered`.
    init(_ note: Note) {
        code = note.detail["code"]?.int
        domain = note.detail["domain"]?.string
        status = note.detail["status"]?.int
        body = note.detail["body"]?.string
        isCutOff = note.detail["cutOff"]?.bool ?? false
        isConflict = note.detail["conflict"]?.bool ?? false
        isSuccess = note.detail["success"]?.bool ?? false
        reason = note.detail["reason"]?.string
    }

    /// Two of a kind say the same to an app.
    var kind: String { "\(domain ?? "") \(code ?? 0) \(status ?? 0) \(body == "html") \(isCutOff) \(isConflict)" }

    /// What passes by itself: whoever does not try again at once may still mean to.
    var isPassing: Bool {
        switch domain {
        case "CKErrorDomain": [3, 4, 6, 7, 9, 20, 23, 34, 36].contains(code)
        case "NSURLErrorDomain": [-1001, -1003, -1004, -1005, -1009, -1020].contains(code)
        case nil: [408, 425, 429, 500, 502, 503, 504].contains(status)
        default: false
        }
    }

    /// `serverRecordChanged (14)`, `status 503 with HTML`.
    var words: String {
        if isCutOff { return "nothing, for the app ended first" }
        if isConflict { return "with a conflict" }
        if isSuccess { return "with success" }
        if let status {
            let page = body == "html" ? " with a page of HTML" : ""
            return "with status \(status)\(page)"
        }
        guard let code else { return reason.map { "with a refusal: \($0)" } ?? "with a refusal" }
        let why = reason.map { ": \($0)" } ?? ""
        if domain == "CKErrorDomain" {
            return "with \(ErrorTable.cloudKit(Int(clamping: code)).name) (error \(code))\(why)"
        }
        return "with error \(code)\(domain.map { " of \($0)" } ?? "")\(why)"
    }
}
