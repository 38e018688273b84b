import FleetModel

/// In which states of apps faults found the iPads that they were for: the table that shows what a fleet of runs has not tried yet.
public struct FaultCoverage: Hashable, Sendable {
    /// States as columns; the last one: no app ran there.
    public static let states = ["foreground", "background", "suspended", "launched", "no app"]

    /// By kind of fault and state: how many windows met it.
    public private(set) var windows: [String: [String: Int]] = [:]

    /// No run has been counted.
    public init() {}

    /// Counts the windows of one more run.
    public mutating func add(_ picture: RunPicture) {
        var byPad: [Int: [RunPicture.Stay]] = [:]
        for stay in picture.stays where stay.app != nil { byPad[stay.pad, default: []].append(stay) }
        for fault in picture.faults {
            let until = fault.isOpen ? fault.from : fault.until
            var met: Set<String> = []
            for pad in fault.pads.isEmpty ? picture.pads : fault.pads {
                let there = (byPad[pad] ?? []).filter { $0.from <= until && $0.until >= fault.from }
                met.formUnion(there.isEmpty ? ["no app"] : there.map(\.state.rawValue))
            }
            for state in met { windows[fault.kind, default: [:]][state, default: 0] += 1 }
        }
    }
}
