// Apple's CloudKit as an app sees it, over the local link (Docs/local-link.md, section Records).
//
// Container, account status and discovery, private and public database, records with assets, locations and encrypted values, zones, changes with
// tokens, modify with save policies, queries, subscriptions and their notifications, long-lived operations, quality of service and timeouts,
// every error, shares and the shared database, and CKSyncEngine on top of them. Blocks and completion handlers of the older interface too
// (Docs/decisions/0020, 0028). Not modelled of sharing: its interface, links for one use, asking for access.
//
// Everything runs on the app's own loop: one thread, so the classes are `@unchecked Sendable` without locks.
// Ubiquity brings Foundation with the iPad's own FileManager, UserDefaults and NotificationCenter: an app that imports CloudKit alone must
// not reach the machine's by accident.
@_exported import Ubiquity
