/// Apple's interfaces for iCloud, files, transfers and the keychain, on an emulated iPad: `import Ubiquity` and write as for an iPad.
///
/// Types that Foundation has as well (`Bundle`, `FileManager`, `FileHandle`, `UserDefaults`, `NotificationCenter`, and for speed `NSKeyedArchiver` and
/// `NSKeyedUnarchiver`) are shadowed: in a file that imports Ubiquity,
/// which re-exports Foundation, the name means the iPad's. A file that imports Foundation itself gets "ambiguous" from the compiler, never
/// the machine's by accident; drop that import, or write once in the app: `typealias FileManager = Ubiquity.FileManager` (and so for the
/// others). Everything goes through the running app's `AppLink`: apps that share a process share nothing.
///
/// Shadowed for files of the sandbox: `Data(contentsOf:)`, `data.write(to:)` and `string.write(to:atomically:encoding:)`. No library can
/// shadow `data.write(to:options:)` and `String(contentsOf:encoding:)`: they go to the machine's disk, where an iPad's paths do not
/// exist, and throw. Use `FileManager.default.createFile(atPath:contents:)` and `Data(contentsOf:)`.
/// `Timer` and `RunLoop` are shadowed as well: Foundation's wait on the process's run loop, which nobody runs.
/// Not modelled: selectors and key-value observing (they need Objective-C); the queues that are passed to these interfaces (they call back on
/// the app's loop).
@_exported import Foundation
@_exported import PadApp
