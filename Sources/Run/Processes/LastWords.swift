import CInterpose
import FleetModel
import Glibc

/// What a process of a run tells the one that started it before it ends itself.
public enum LastWords {
    nonisolated(unsafe) private static var socket: FrameSocket?

    /// The machine failed: the run ends with `RunEnd` of kind `disk`.
    public static func machineFailed(_ text: String) -> Never { end(.machine, text) }

    /// A program did not keep to the protocol of apps: the run ends with `RunEnd` of kind `leak`.
    package static func protocolBroken(_ text: String) -> Never { end(.leak, text) }

    /// From now on a determinism leak of this process ends it with its name. In a worker the socket leads to the supervisor.
    package static func reportLeak(to socket: FrameSocket) {
        self.socket = socket
        hr_on_leak { text in LastWords.end(.leak, text.map { String(cString: $0) } ?? "unknown") }
    }
    /// Sends last words and ends the process.
    private static func end(_ kind: FrameKind, _ text: String) -> Never {
        var writer = ByteWriter()
        writer.string(text)
        _ = socket?.send(kind, writer)
        _exit(86)
    }
}
