import FleetModel
import Glibc

/// What `ps -e` and `top` call a process, so that people can tell the ones of a run apart. The system keeps 15 bytes.
public enum ProcessName {
    /// Who forks iPads.
    package static let starter = "homeroom-start"
    /// Who carries their bytes in live.
    package static let network = "homeroom-net"
    /// Who forks an iPad's apps in live.
    package static func starter(ofPad number: Int) -> String { "\(ParticipantID.pad(number))/start" }
    /// `ipad-3`, `ipad-3/quiz`.
    package static func of(_ id: ParticipantID, _ spec: Value) -> String {
        guard case .app(let number, _) = id, let app = spec["app"]?.string else { return "\(id)" }
        return "\(ParticipantID.pad(number))/\(app)"
    }

    /// Names this process.
    public static func set(_ name: String) {
        let file = open("/proc/self/comm", O_WRONLY | O_CLOEXEC)
        guard file >= 0 else { return }
        _ = write(file, name, name.utf8.count)
        close(file)
    }
}
