import FleetModel

/// Who has to be woken when: the smallest (time, person) first. Entries are never removed early; the owner drops stale ones.
struct WakeHeap {
    struct Wake: Comparable {
        var at: Instant
        var person: Int
        static func < (a: Wake, b: Wake) -> Bool { a.at != b.at ? a.at < b.at : a.person < b.person }
    }
    private var heap: [Wake] = []

    var first: Wake? { heap.first }

    mutating func add(_ wake: Wake) {
        heap.append(wake)
        var child = heap.count - 1
        while child > 0, heap[child] < heap[(child - 1) / 2] {
            heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }
    mutating func removeFirst() {
        guard let last = heap.popLast(), !heap.isEmpty else { return }
        heap[0] = last
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count && heap[child] < heap[least] {
                least = child
            }
            if least == parent { return }
            heap.swapAt(parent, least)
            parent = least
        }
    }
}
