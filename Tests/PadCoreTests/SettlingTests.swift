import FleetModel
import Storage
import Testing

@testable import PadCore

/// A daemon that starts over whatever the iPad has just finished.
private final class Restless: Daemon {
    static let service = "restless"
    let nextWake: Instant? = nil

    func observe(_ event: SystemEvent, _ pad: any PadServices) {
        guard case .signedOut(let person) = event, let host = pad as? DaemonHost else { return }
        host.pad.sessions.beginSignOut(person, forced: true)
    }

    func boot(_ pad: any PadServices) {}
    func call(_ message: Message, from app: AppIdentity, _ pad: any PadServices) -> Message { message }
    func post(_ message: Message, exchange: UInt64, from app: AppIdentity, _ pad: any PadServices) {}
    func reply(_ reply: NetworkReply, to task: NetworkTask, _ pad: any PadServices) {}
    func pushed(_ message: Message, person: Person, _ pad: any PadServices) {}
    func wake(_ pad: any PadServices) {}
    func pending(of person: Person) -> [PendingItem] { [] }
    func queuedTokens(of person: Person) -> [Token] { [] }
}

@Suite("Settling", .timeLimit(.minutes(20))) struct SettlingTests {
    @Test("Settling: what never ends is a problem that names who moves")
    func endless() throws {
        let pad = try Pad(
            spec: ["pad": 1, "seed": 7, "slots": 3, "purgeAtSignOut": false, "apps": []], disk: { _ in .memory() },
            daemons: [Restless()])
        pad.sessions.beginSignOut("maya", forced: true)
        pad.settle()
        let problems = pad.kernel.problems
        #expect(problems.count == 1)
        #expect(problems.first?.contains("ipad-1 does not settle") == true)
        #expect(problems.first?.contains("maya signs out") == true)
    }
}
