import os

private let logger = Logger(subsystem: "com.example.notes", category: "sync")
private let counter = OSAllocatedUnfairLock(initialState: 0)

func note(_ name: String, _ count: Int) {
    logger.info("saved \(name, privacy: .public): \(count, format: .hex) of \(3.5, format: .fixed(precision: 1))")
    logger.log(level: .error, "\(name, align: .right(columns: 9), privacy: .private(mask: .hash))")
    counter.withLock { $0 += 1 }
}
