import FleetModel
import Storage

/// The apps of an iPad: what their bundles say, and which of them are installed now.
final class AppCatalogue: PadService {
    let kernel: Kernel
    /// Every app that an iPad of this fleet may have, by name.
    private let manifests: [AppName: AppManifest]
    private let entitlements: [AppName: Entitlements]

    init(_ kernel: Kernel) {
        self.kernel = kernel
        manifests = Dictionary(kernel.spec.apps.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        entitlements = manifests.mapValues { Entitlements($0, bundle: $0.bundleID) }
    }

    // MARK: Vendor

    /// `identifierForVendor`: the same for all apps of a vendor on this iPad, another one elsewhere (app-lifecycle.md 14). The vendor is the
    /// bundle identifier without its last component. A new one after all of a vendor's apps were removed.
    func vendorIdentifier(of bundle: String) -> String {
        let name = Self.vendor(of: bundle)
        var high = StableHash.of(kernel.spec.seed, deviceName, "vendor", name)
        if let gone = kernel.state.apps.vendorsGone[name]?.int { high = StableHash.of(high, "again", String(gone)) }
        let low = StableHash.of(high, name)
        let digits = Self.hex(high) + Self.hex(low)
        var parts: [Substring] = []
        var rest = digits[...]
        for length in [8, 4, 4, 4, 12] {
            parts.append(rest.prefix(length))
            rest = rest.dropFirst(length)
        }
        return parts.joined(separator: "-")
    }
    static func vendor(of bundle: String) -> String {
        let vendor = bundle.split(separator: ".").dropLast().joined(separator: ".")
        return vendor.isEmpty ? bundle : vendor
    }
    private static func hex(_ number: UInt64) -> String {
        let digits = String(number, radix: 16, uppercase: true)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// The app if it is installed now.
    func installed(_ app: AppName) -> AppManifest? { kernel.state.apps.removed.contains(app) ? nil : manifests[app] }

    var packageExtensions: [String] { kernel.spec.apps.flatMap(\.packageExtensions) }
    func manifest(of app: AppName) -> AppManifest? { manifests[app] }
    func entitlements(of app: AppIdentity) -> Entitlements {
        entitlements[app.app] ?? Entitlements(nil, bundle: app.bundle)
    }
}
