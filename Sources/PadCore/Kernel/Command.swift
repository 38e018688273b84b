import FleetModel

/// What a hand or fate does to the iPad, and who waits for the answer.
struct Command {
    var from: ParticipantID
    var message: Message
    /// 0: nobody waits.
    var exchange: UInt64

    /// What it says; members that are missing or cannot be read are as by default.
    func asked<C: PadCommandMessage>(_ definition: C.Type) -> C { C(lenient: message.body) }
    /// What it says; nil when a member that it must have is missing or cannot be read.
    func whole<C: PadCommandMessage>(_ definition: C.Type) -> C? { try? C(message) }
}
