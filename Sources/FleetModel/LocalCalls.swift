/// What apps ask their iPad over the local link (Docs/local-link.md): names of calls and posts from an app.
public enum LocalCalls {
    public static let names = [
        "app.beginBackgroundTask", "app.endBackgroundTask", "app.identifierForVendor", "app.settingsTaken",
        "app.state", "app.watchNetwork",
        "ck.acceptShares", "ck.accountStatus", "ck.attach", "ck.cancel", "ck.databaseChanges", "ck.discover",
        "ck.fetchZones",
        "ck.longLived", "ck.lookup", "ck.modify", "ck.permission", "ck.query", "ck.shareMetadata", "ck.subscribe",
        "ck.subscriptions",
        "ck.unsubscribe", "ck.userRecordID", "ck.zoneChanges", "ck.zones",
        "docs.beginWrite", "docs.container", "docs.download", "docs.endRead", "docs.endWrite", "docs.evict",
        "docs.list", "docs.metadata", "docs.present", "docs.resolve", "docs.status", "docs.versions",
        "file.append", "file.close", "file.exclude", "file.list", "file.makeFolder", "file.move", "file.protect",
        "file.read", "file.remove", "file.stat", "file.sync", "file.write",
        "identity.get", "identity.taken",
        "keychain.add", "keychain.copy", "keychain.delete", "keychain.update",
        "kvs.open", "kvs.set", "kvs.synchronize",
        "transfer.cancel", "transfer.download", "transfer.tasks", "transfer.upload",
    ]
    /// Those that change what will survive: the moments at which an end is most telling. A swarm draws from them.
    public static let durable = [
        "ck.modify", "docs.beginWrite", "docs.endWrite", "docs.resolve", "file.append", "file.move", "file.remove",
        "file.sync", "file.write", "keychain.add", "keychain.update", "kvs.set", "kvs.synchronize", "transfer.upload",
    ]
}
