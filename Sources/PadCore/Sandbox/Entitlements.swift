import FleetModel

/// What an app may use of iCloud (icloud-documents.md 1, key-value-store.md 1, cloudkit-framework.md 1).
///
/// Without an entitlements file an app has its own container and its own store. ASSUMED: the fleet's team has no prefix then.
struct Entitlements: Hashable {
    /// Ubiquity containers in the order of the list; the first is the primary (S44). Names with wildcards are none (S45).
    let documents: [String]
    /// CloudKit containers.
    let records: [String]
    /// Whether CloudKit may be used at all.
    let hasRecords: Bool
    /// Of CloudKit, as in its addresses: `production`, or `development` for an app that says so (cloudkit-framework.md 1). Without a
    /// word production, as apps have it that a school's iPads get (ASSUMED; S290).
    let environment: String
    /// The key-value store; nil: none (S98).
    let store: String?
    /// Access groups of keychain items, in the order of the list, the app's own last; the first is where items are added (identity.md 5).
    let keychainGroups: [String]

    init(_ manifest: AppManifest?, bundle: String) {
        guard let entitlements = manifest?.entitlements else {
            (documents, records, hasRecords, store) = (["iCloud.\(bundle)"], ["iCloud.\(bundle)"], true, bundle)
            environment = "production"
            keychainGroups = [bundle]
            return
        }
        let team = entitlements["com.apple.developer.team-identifier"]?.string.map { $0 + "." } ?? ""
        func expanded(_ text: String) -> String {
            let text = Self.replacing("$(CFBundleIdentifier)", by: bundle, in: text)
            // Two names of one prefix for the apps of one team.
            return ["$(TeamIdentifierPrefix)", "$(AppIdentifierPrefix)"].reduce(text) {
                Self.replacing($1, by: team, in: $0)
            }
        }
        func list(_ key: String) -> [String]? {
            entitlements["com.apple.developer." + key].map { $0.strings.map(expanded).filter { !$0.contains("*") } }
        }
        let services = list("icloud-services") ?? []
        let containers = list("icloud-container-identifiers") ?? []
        documents = services.contains("CloudDocuments") ? list("ubiquity-container-identifiers") ?? containers : []
        hasRecords = services.contains("CloudKit")
        records = hasRecords ? containers : []
        environment =
            entitlements["com.apple.developer." + Self.environmentKey] == "Development" ? "development" : "production"
        let groups = (entitlements["keychain-access-groups"]?.strings ?? []).map(expanded)
        keychainGroups = groups.filter { !$0.contains("*") && $0 != team + bundle } + [team + bundle]
        store = entitlements["com.apple.developer.ubiquity-kvstore-identifier"]?.string.map(expanded)
    }

    static let environmentKey = "icloud-container-environment"

    private static func replacing(_ word: String, by other: String, in text: String) -> String {
        var (out, rest) = ("", text[...])
        while let first = rest.first {
            if rest.hasPrefix(word) {
                out += other
                rest = rest.dropFirst(word.count)
            } else {
                out.append(first)
                rest = rest.dropFirst()
            }
        }
        return out
    }
}

extension AppManifest {
    /// CloudKit containers that the app may use, the default first; none without the entitlement.
    public var recordContainers: [String] { Entitlements(self, bundle: bundleID).records }
}
