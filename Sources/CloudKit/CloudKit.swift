// Apple's CloudKit as an app sees it, over the local link (Docs/local-link.md, section Records).
//
// A first slice: container, account status, private and public database, records, zones, changes with tokens, modify with save
// policies, long-lived operations, subscriptions, errors, queries. Not modelled: assets, sharing, the shared database,
// CKSyncEngine, `desiredKeys` but in queries, operation queues (an operation starts when it is added).
//
// Everything runs on the app's own loop: one thread, so the classes are `@unchecked Sendable` without locks.
// Ubiquity brings Foundation with the iPad's own FileManager, UserDefaults and NotificationCenter: an app that imports CloudKit alone must
// not reach the machine's by accident.
@_exported import Ubiquity
