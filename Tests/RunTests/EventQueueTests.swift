import FleetModel
import Testing

@testable import Run

@Suite("Event queue", .timeLimit(.minutes(20))) struct EventQueueTests {
    @Test("Events come by time, and of one instant in the order in which they were added")
    func order() throws {
        var queue = EventQueue()
        let instants = [5, 3, 5, 3, 1].map { Instant.zero + .seconds($0) }
        for (index, at) in instants.enumerated() { queue.add(.faultBegins(index), at: at) }
        try queue.checkInvariants()
        var popped: [Int] = []
        while let (_, happening) = queue.pop() {
            try queue.checkInvariants()
            if case .faultBegins(let index) = happening { popped.append(index) }
        }
        #expect(popped == [4, 1, 3, 0, 2])
    }
}
