/// UIKit without views: the app and its delegate, as sync code uses them. `import UIKit` in an app's file means this module, which brings
/// Foundation and Ubiquity with it, as UIKit brings Foundation.
@_exported import Ubiquity
