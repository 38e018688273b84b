import Foundation
import PadApp

/// The iPad that the app runs on.
@preconcurrency @MainActor public final class UIDevice {
    /// The one device object of this launch: the iPad that the app runs on.
    public static var current: UIDevice { AppLink.current.singleton { UIDevice(AppLink.current) } }

    private let link: AppLink
    private init(_ link: AppLink) { self.link = link }

    /// The same for all apps of the vendor on this iPad, whoever uses it; another one on another iPad. It names no person (S192).
    public var identifierForVendor: UUID? {
        link.call(AppMessages.IdentifierForVendor.name)["identifier"]?.string.flatMap(UUID.init(uuidString:))
    }
}
