// Apple's CloudKit as an app sees it, over the local link (Docs/local-link.md, section Records).
//
// Container, account status and discovery, private and public database, records with assets and locations, zones, changes with tokens, modify
// with save policies, queries, subscriptions and their notifications, long-lived operations, quality of service and timeouts, every error.
// Not modelled: sharing, the shared database, CKSyncEngine, `desiredKeys` but in queries and subscriptions, operation queues (an operation
// starts when it is added).
//
// Everything runs on the app's own loop: one thread, so the classes are `@unchecked Sendable` without locks.
// Ubiquity brings Foundation with the iPad's own FileManager, UserDefaults and NotificationCenter: an app that imports CloudKit alone must
// not reach the machine's by accident.
@_exported import Ubiquity
