import Foundation
import OSLog
import os.lock
import os.log

private let log = OSLog(subsystem: "com.example.notes", category: "sync")

func noteOlder(_ name: String, _ error: Int) {
    os_log("could not save %{public}@: %ld", log: log, type: .error, name as NSString, error)
    os_log(.debug, log: log, "done")
    var lock = os_unfair_lock()
    os_unfair_lock_lock(&lock)
    os_unfair_lock_unlock(&lock)
}
