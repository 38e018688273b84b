import FleetModel

extension Message {
    /// The iPad's last step: it tears its own disk.
    package static func powerCut(seed: UInt64) -> Message {
        Message(PadCommand.PowerCut.name, ["seed": .int(Int64(bitPattern: seed))])
    }
}
