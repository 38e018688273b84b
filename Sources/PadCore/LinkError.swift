import FleetModel

/// An error as an app gets it over the local link (Docs/local-link.md).
struct LinkError: Error, Hashable {
    var domain: String
    var code: Int64
    /// What, where, what to do next.
    var text: String

    static func malformed(_ text: String) -> LinkError { LinkError(domain: "POSIX", code: 22, text: text) }
    static func cocoa(_ code: Int64, _ text: String) -> LinkError {
        LinkError(domain: "NSCocoaErrorDomain", code: code, text: text)
    }

    /// The member of an answer that is an error.
    static let member = "error"
    var body: Value { [Self.member: ["domain": .string(domain), "code": .int(code), "message": .string(text)]] }
}

/// An error in an answer, as those read it who look on.
struct AnsweredError: FieldGroup {
    var code: Int64?
    var domain: Value?
    var message: Value?
    /// The record that stood in the way of a save.
    var serverRecord: Value?
    var underlying: Value?
    init() {}
    mutating func visit(_ fields: inout Fields) {
        fields.optional("code", &code)
        fields.optional("domain", &domain)
        fields.optional("message", &message)
        fields.optional("serverRecord", &serverRecord)
        fields.optional("underlying", &underlying)
    }
}

extension Value {
    /// The error of an answer; nil: it is none.
    var linkError: Value? { self[LinkError.member] }
}
