import Nemesis

/// What the nemesis wants done after so many more calls of a name by an iPad's apps.
package struct CallCounter {
    private var waiting: [(name: String, left: Int, act: FaultAct)] = []

    package init() {}
    package var isEmpty: Bool { waiting.isEmpty }
    package mutating func add(_ act: FaultAct, after calls: Int, _ name: String) { waiting.append((name, calls, act)) }

    /// Counts one call that was asked for and done.
    /// - Returns: what falls due after it, in the order in which it was added.
    package mutating func count(_ name: String) -> [FaultAct] {
        guard waiting.contains(where: { $0.name == name }) else { return [] }
        for index in waiting.indices where waiting[index].name == name { waiting[index].left -= 1 }
        defer { waiting.removeAll { $0.left <= 0 } }
        return waiting.filter { $0.left <= 0 }.map(\.act)
    }
}
