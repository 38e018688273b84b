import FleetModel

/// What a hand or fate does to the iPad, and who waits for the answer.
struct Command {
    var from: ParticipantID
    var message: Message
    /// 0: nobody waits.
    var exchange: UInt64
}
