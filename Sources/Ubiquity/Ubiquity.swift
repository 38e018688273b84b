/// Apple's interfaces for iCloud, files, transfers and the keychain, on an emulated iPad: `import Ubiquity` and write as for an iPad.
///
/// Types that Foundation has as well (`FileManager`, `UserDefaults`, `NotificationCenter`) are shadowed: the name means the iPad's, also
/// in a file that imports Foundation. Everything goes through the running app's `AppLink`; what belongs to one app is never seen by
/// another in the same process.
///
/// Shadowed for files of the sandbox: `Data(contentsOf:)`, `data.write(to:)` and `string.write(to:atomically:encoding:)`. Two members of
/// Foundation cannot be shadowed by any library: `data.write(to:options:)` and `String(contentsOf:encoding:)`. They are declared here
/// too, so that the compiler calls them ambiguous instead of silently using the machine's own disk; use
/// `FileManager.default.createFile(atPath:contents:)` and `contents(atPath:)`.
/// Not modelled: selectors and key-value observing (they need Objective-C), operation queues and run loops (everything runs on the app's
/// main actor).
@_exported import Foundation
@_exported import PadApp
