import Ubiquity

/// Edits that the system has no room for: on a full iPad the person waits for it, and sees what is safe.
///
/// `Seen` is what a person sees of an item.
@MainActor final class WaitingForRoom<Seen> {
    /// Between two tries. ASSUMED.
    static var pause: Duration { .seconds(2) }

    private var asBefore: [String: Seen] = [:]

    /// What is seen of an item whose newest text waits; nil: nothing of it does.
    subscript(item: String) -> Seen? { asBefore[item] }

    /// Returns when the edit of an item was taken, and shows until then what was seen before it, if that is to be seen at all.
    func wait(_ item: String, showing seen: Seen?, until isTaken: () -> Bool) async throws {
        if let seen { asBefore[item] = seen }
        repeat { try await Task.sleep(for: Self.pause) } while !isTaken()
        forget()
    }
    func forget() { asBefore = [:] }
}
