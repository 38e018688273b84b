import FleetModel

/// The windows of a run's faults: what was at work at a given moment on a given iPad. Linear in the faults; a question is a binary search.
struct FaultLog: Sendable {
    struct Window: Hashable, Sendable {
        var id: String
        var kind: String
        /// Empty: every iPad, or the Cloud.
        var pads: [Int]
        /// Events of the history.
        var began: Int
        var healed: Int?
        /// It never heals: at work to the end (decision 0017).
        var stays = false
    }
    /// Windows that healed, in the order in which they began.
    private struct Ends: Sendable {
        var began: [Int] = []
        /// The latest healing of this window and of all before it.
        var healed: [Int] = []

        mutating func add(_ window: Window) {
            guard let end = window.healed else { return }
            began.append(window.began)
            healed.append(max(healed.last ?? end, end))
        }
        func last(at event: Int) -> Int? {
            let count = LifeLog.position(after: event, in: began)
            guard count > 0, healed[count - 1] > event else { return nil }
            return healed[count - 1]
        }
    }

    private(set) var windows: [Window] = []
    /// Positions of those that have not healed, by their name, the latest last.
    private var open: [String: [Int]] = [:]
    private var (all, everywhere) = (Ends(), Ends())
    private var byPad: [Int: Ends] = [:]
    /// Windows looked at: shows that the work is linear.
    private(set) var work = 0

    /// Files the event if it is one of faults.
    mutating func note(_ note: Note, at index: Int) {
        let id = note.detail["id"]?.string ?? ""
        switch note.kind {
        case .faultBegan:
            let pads = (note.detail["target"]?.string ?? "").split(separator: " ").compactMap {
                ParticipantID(String($0))?.pad
            }
            open[id, default: []].append(windows.count)
            let stays = note.detail["stays"]?.bool ?? false
            windows.append(
                Window(id: id, kind: note.detail["kind"]?.string ?? "?", pads: pads, began: index, stays: stays))
            work += 1 + pads.count
        case .faultHealed:
            work += 1
            if let position = open[id]?.popLast() { windows[position].healed = index }
        default: break
        }
    }

    /// To be called when all is filed, and before the first question.
    mutating func settle() {
        for window in windows {
            work += 1 + window.pads.count
            all.add(window)
            if window.pads.isEmpty { everywhere.add(window) }
            for pad in window.pads { byPad[pad, default: Ends()].add(window) }
        }
    }

    /// When the last of the faults healed that were at work at an event and concern the iPad; nil: any. A fault that is a moment has no window.
    func lastHealing(ofFaultsAt event: Int, pad: Int?) -> Int? {
        guard let pad else { return all.last(at: event) }
        return [everywhere.last(at: event), byPad[pad]?.last(at: event)].compactMap { $0 }.max()
    }
}
