import Foundation
import PadApp

/// An app that takes part in what a link leads to when a person opens it. The person has said yes; the app accepts the share
/// (`CKAcceptSharesOperation`).
///
/// Apple's name is `application(_:userDidAcceptCloudKitShareWith:)` (UIKit, "UIApplicationDelegate"). The app's Info.plist needs
/// `CKSharingSupported` there; nobody asks for it here (ASSUMED).
@MainActor public protocol CloudKitSharingDelegate: PadAppDelegate {
    func application(userDidAcceptCloudKitShareWith cloudKitShareMetadata: CKShare.Metadata) async
}

extension CloudKitSharingDelegate {
    /// The system's part: it asks what the link leads to before it tells the app. Without an answer the app hears nothing.
    public func application(userDidAcceptCloudKitShareAt url: String) async {
        // The iPad does not wait for the service before it shows the app.
        Task {
            guard let metadata = await CKShare.Metadata.opened(url) else { return }
            await application(userDidAcceptCloudKitShareWith: metadata)
        }
    }
}

extension CKShare.Metadata {
    /// What a link leads to that a person has opened; nil when that cannot be found out. ASSUMED: it is of the app's default container.
    package static func opened(_ link: String) async -> CKShare.Metadata? {
        guard let url = URL(string: link) else { return nil }
        return try? await CKContainer.default().shareMetadata(for: url)
    }
}
