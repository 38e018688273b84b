import FleetModel

extension Message {
    /// The iPad's last step: it tears its own disk.
    package static func powerCut(seed: UInt64) -> Message {
        PadCommand.PowerCut(seed: seed).message
    }
}
