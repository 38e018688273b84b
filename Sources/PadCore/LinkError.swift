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

    var body: Value { ["error": ["domain": .string(domain), "code": .int(code), "message": .string(text)]] }
}
