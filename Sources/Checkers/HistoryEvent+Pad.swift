import FleetModel

extension HistoryEvent {
    /// The iPad that an event is about: its witness, or the one it names.
    var pad: Int? { from.pad ?? note.detail["pad"]?.int.flatMap { Int(exactly: $0) } }
}
