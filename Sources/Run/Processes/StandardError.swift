import CInterpose
import Glibc

/// One line to standard error, without the C library's shared stream (which Swift 6 rightly distrusts).
public func writeError(_ text: String) {
    let line = Array((text + "\n").utf8)
    _ = write(2, line, line.count)
}

/// Text to standard error as it is: a progress line that is rewritten in place.
public func writeErrorRaw(_ text: String) {
    let bytes = Array(text.utf8)
    _ = write(2, bytes, bytes.count)
}

/// What a participant prints goes to its own log, and never mixes with the command's output.
package func redirectOutput(to log: String) {
    let fd = open(log.isEmpty ? "/dev/null" : log, O_WRONLY | O_CREAT | O_APPEND, 0o644)
    guard fd >= 0 else { return }
    hr_line_buffered_output()
    dup2(fd, 1)
    dup2(fd, 2)
    close(fd)
}
