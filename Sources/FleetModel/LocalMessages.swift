/// The messages of the local link by name and direction (Docs/local-link.md has their members): what a program may send, and how
/// (Docs/app-protocol.md).
public enum LocalMessages {
    /// How a message travels.
    public enum Way: String, Hashable, Sendable, CaseIterable {
        /// The app asks and waits: the answer comes in the same instant.
        case call
        /// The app posts it with an exchange: the answer comes later, perhaps never.
        case ask
        /// The app posts it, and no answer comes.
        case post
        /// The iPad posts it and wants an answer under the same name and exchange.
        case question
        /// The iPad posts it and wants none.
        case notice
    }
    public struct Group: Hashable, Sendable {
        public var name: String
        public var way: Way
        public var messages: [String]
    }

    public static let all: [Group] = [
        Group(
            name: "life cycle", way: .question,
            messages: [
                "app.didFinishLaunching", "app.didBecomeActive", "app.willResignActive", "app.didEnterBackground",
                "app.willEnterForeground", "app.willTerminate", "app.memoryWarning", "app.remoteNotification",
                "app.backgroundEvents", "app.identityChanged", "app.backgroundTaskExpired", "app.openURL", "app.notice",
                "app.saveState", "app.performFetch", "app.wake",
            ]),
        Group(name: "life cycle", way: .notice, messages: ["app.localNotification", "app.networkPath"]),
        Group(
            name: "life cycle", way: .call,
            messages: [
                "app.beginBackgroundTask", "app.endBackgroundTask", "app.state", "app.identifierForVendor",
                "app.watchNetwork", "app.settingsTaken", "app.notifyLocally", "app.fetchInterval", "app.keepState",
                "app.restoreState",
            ]),
        Group(name: "life cycle", way: .post, messages: ["app.habit"]),
        Group(name: "person's hand", way: .question, messages: ["ui.perform", "ui.state"]),
        Group(name: "person's hand", way: .post, messages: ["ui.began"]),
        Group(
            name: "files", way: .call,
            messages: [
                "file.read", "file.write", "file.sync", "file.append", "file.close", "file.open", "file.readAt",
                "file.writeAt", "file.truncate", "file.remove", "file.move", "file.makeFolder", "file.list",
                "file.stat", "file.protect", "file.exclude",
            ]),
        Group(name: "files", way: .post, messages: ["file.locks"]),
        Group(name: "key-value store", way: .call, messages: ["kvs.open", "kvs.synchronize"]),
        Group(name: "key-value store", way: .post, messages: ["kvs.set"]),
        Group(name: "key-value store", way: .notice, messages: ["kvs.changed"]),
        Group(name: "identity", way: .call, messages: ["identity.get", "identity.taken"]),
        Group(
            name: "records", way: .ask,
            messages: [
                "ck.accountStatus", "ck.userRecordID", "ck.modify", "ck.lookup", "ck.query", "ck.zones",
                "ck.fetchZones", "ck.zoneChanges", "ck.databaseChanges", "ck.subscribe", "ck.unsubscribe",
                "ck.subscriptions", "ck.permission", "ck.discover", "ck.shareMetadata", "ck.acceptShares",
                "ck.attach",
            ]),
        Group(name: "records", way: .call, messages: ["ck.longLived"]),
        Group(name: "records", way: .post, messages: ["ck.cancel"]),
        Group(
            name: "documents", way: .call,
            messages: [
                "docs.container", "docs.beginWrite", "docs.endWrite", "docs.beginRead", "docs.endRead", "docs.list",
                "docs.status", "docs.metadata", "docs.versions", "docs.resolve", "docs.evict", "docs.present",
            ]),
        Group(name: "documents", way: .ask, messages: ["docs.download"]),
        Group(name: "documents", way: .notice, messages: ["docs.presented", "docs.changed"]),
        Group(
            name: "transfers", way: .call,
            messages: ["transfer.upload", "transfer.download", "transfer.cancel", "transfer.tasks"]),
        Group(name: "transfers", way: .ask, messages: ["http.send"]),
        Group(name: "transfers", way: .question, messages: ["transfer.completed"]),
        Group(
            name: "keychain", way: .call,
            messages: ["keychain.add", "keychain.update", "keychain.copy", "keychain.delete", "keychain.list"]),
    ]

    /// How a message travels; nil: there is none of that name.
    public static func way(of name: String) -> Way? { ways[name] }
    private static let ways: [String: Way] = Dictionary(
        all.flatMap { group in group.messages.map { ($0, group.way) } }, uniquingKeysWith: { first, _ in first })
}
