import Ubiquity

/// The present iCloud account as the name of a folder: apps that keep something for an account keep it there (identity.md 3).
enum AccountName {
    /// Nil: signed out.
    @MainActor static var present: String? { FileManager.default.ubiquityIdentityToken.flatMap(of) }
    /// The token is opaque; its archive is the same for the same account on this iPad.
    static func of(_ token: any NSObjectProtocol) -> String? {
        guard let data = try? NSKeyedArchiver.archivedData(withRootObject: token, requiringSecureCoding: true) else {
            return nil
        }
        return String(data.stableMark, radix: 16)
    }
}
