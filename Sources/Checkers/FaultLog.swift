import FleetModel

/// The windows of a run's faults: what was at work at a given moment on a given iPad.
struct FaultLog: Sendable {
    struct Window: Hashable, Sendable {
        var id: String
        var kind: String
        /// Empty: every iPad, or the Cloud.
        var pads: [Int]
        /// Events of the history.
        var began: Int
        var healed: Int?
    }
    private(set) var windows: [Window] = []

    /// Files the event if it is one of faults.
    mutating func note(_ note: Note, at index: Int) {
        switch note.kind {
        case .faultBegan:
            let id = note.detail["id"]?.string ?? ""
            let pads = (note.detail["target"]?.string ?? "").split(separator: " ").compactMap {
                ParticipantID(String($0))?.pad
            }
            windows.append(Window(id: id, kind: note.detail["kind"]?.string ?? "?", pads: pads, began: index))
        case .faultHealed:
            let id = note.detail["id"]?.string ?? ""
            if let open = windows.lastIndex(where: { $0.id == id && $0.healed == nil }) { windows[open].healed = index }
        default: break
        }
    }

    /// Windows that were open at an event and concern the iPad; nil: any. A fault that is a moment has no window.
    func atWork(at event: Int, pad: Int?) -> [Window] {
        windows.filter { window in
            guard window.began <= event, let healed = window.healed, healed > event else { return false }
            return window.pads.isEmpty || pad.map(window.pads.contains) ?? true
        }
    }
}
