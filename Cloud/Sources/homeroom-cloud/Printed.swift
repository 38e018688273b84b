import CloudServer
@preconcurrency import Glibc

/// Looks whether all that was printed has arrived: a password that is shown once and nobody saw is lost.
/// - Throws: where it has not; a reader that has left, as of `| head`, wants no more.
func requirePrinted() throws(Problem) {
    let reason = fflush(stdout) == 0 ? nil : errno
    guard ferror(stdout) != 0, reason != EPIPE else { return }
    let words = reason.map { " (\(String(cString: strerror($0))))" } ?? ""
    throw Problem(
        "standard output cannot be written\(words): what was printed is not whole; free space, or send it elsewhere")
}
