/// One sync after the other, in the order in which they came: so events are serial (cloudkit-framework.md 17).
final class SyncTurns: @unchecked Sendable {
    private var isTaken = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    func take() async {
        guard isTaken else {
            isTaken = true
            return
        }
        await withCheckedContinuation { waiting.append($0) }
    }
    func leave() {
        if waiting.isEmpty { isTaken = false } else { waiting.removeFirst().resume() }
    }
}

/// Waits for something, but not for ever.
enum SyncLimit {
    /// - Returns: when `body` is done or the time is over; `body` goes on then.
    static func wait(_ time: Duration, _ body: @escaping @Sendable () async -> Void) async {
        let end = End()
        await withCheckedContinuation { continuation in
            end.continuation = continuation
            Task {
                await body()
                end.reach()
            }
            end.timer = Task {
                try? await Task.sleep(for: time)
                end.reach()
            }
        }
    }
    private final class End: @unchecked Sendable {
        var continuation: CheckedContinuation<Void, Never>?
        var timer: Task<Void, Never>?
        func reach() {
            continuation?.resume()
            continuation = nil
            timer?.cancel()
        }
    }
}
