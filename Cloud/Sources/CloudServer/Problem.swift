import Foundation
import NIOCore
import Storage

/// Why the command line cannot do what it was told, for who reads it there: what is wrong, where, and what to do about it.
public struct Problem: Error, Hashable, Sendable, CustomStringConvertible {
    public var description: String
    public init(_ description: String) { self.description = description }

    /// Words for what stopped a server; other errors as they are.
    public static func starting(on host: String, _ port: Int, _ error: any Error) -> any Error {
        if let error = error as? IOError {
            switch error.errnoCode {
            case EADDRINUSE: return Problem("port \(port) of \(host) is taken; name another with --port")
            case EACCES: return Problem("port \(port) is not for everybody; name one above 1023 with --port")
            case EADDRNOTAVAIL: return Problem("\(host) is no address of this machine; name one with --host")
            default: return error
            }
        }
        guard error is SocketAddressError || error is SocketAddressError.UnknownHost else { return error }
        return Problem("'\(host)' is no address and no name of one; name another with --host")
    }
    /// Words for a file or folder that cannot be had.
    public static func file(_ path: String, _ error: any Error) -> Problem {
        let reason = (error as NSError).localizedDescription
        return Problem(
            "'\(path)' cannot be opened or made; name another, or look for rights and space there (\(reason))")
    }
}
