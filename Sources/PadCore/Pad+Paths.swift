/// Where things lie on an iPad, as its apps see it.
extension Pad {
    static let containers = "/var/mobile/Containers/Data/Application"
    static func home(of bundle: String) -> String { containers + "/" + bundle }
    /// In an app's home. Source: app-lifecycle.md 13: received files, read and delete only.
    static let inbox = "Documents/Inbox"
    static let ubiquity = "/var/mobile/Library/Mobile Documents"

    static func isPlain(_ path: String, below roots: [String]) -> Bool {
        roots.contains { path.hasPrefix($0 + "/") } && !path.split(separator: "/").contains("..")
    }
}
