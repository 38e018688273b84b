import FleetModel
import Storage

/// An error as an app is told: domain, code and a sentence (Docs/local-link.md).
struct ServiceError: Error, Hashable {
    enum Domain: String, Hashable, FieldValue {
        case cocoa = "NSCocoaErrorDomain"
        case url = "NSURLErrorDomain"
        case posix = "POSIX"
    }
    var domain: Domain
    var code: Int
    var message: String

    init(_ domain: Domain, _ code: Int, _ message: String) {
        self.domain = domain
        self.code = code
        self.message = message
    }

    /// The message is not what the local link describes: EINVAL.
    static func malformed(_ what: String) -> ServiceError { ServiceError(.posix, 22, what) }

    init(_ error: MalformedMessage) { self = .malformed(error.message) }

    /// What an error of the daemon's own storage means to the app that asked.
    init(_ error: any Error, doing what: String) {
        switch error {
        case let error as ServiceError: self = error
        case let error as MalformedMessage: self = .malformed(error.message)
        case DiskError.notFound(let path): self.init(.cocoa, 260, "\(what): there is no file \(path)")
        case DiskError.exists(let path): self.init(.cocoa, 516, "\(what): \(path) exists already")
        case DiskError.badPath(let path): self.init(.cocoa, 4, "\(what): a folder is missing on the way to \(path)")
        case _ where error.isOutOfRoom: self.init(.cocoa, 640, "\(what): the disk is full; free some space")
        default: self.init(.posix, 5, "\(what): \(error)")
        }
    }

    /// The member `error` of an answer.
    var body: Value {
        ["error": ["domain": .string(domain.rawValue), "code": .int(code), "message": .string(message)]]
    }
}

extension Error {
    /// Whether a file or a database found the disk full.
    var isOutOfRoom: Bool {
        switch self as any Error {
        case DiskError.full: true
        case let error as DatabaseError: error.isFull
        default: false
        }
    }
    /// Whether the machine failed, or what the iPad itself has written is damaged: nothing that an app, a person or a fault can cause.
    var isOfMachine: Bool {
        switch self as any Error {
        case DiskError.machine, is DecodingFailure: true
        case let error as DatabaseError: !error.isFull
        default: false
        }
    }
}
