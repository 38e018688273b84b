import FleetModel

/// Finds the handler of a request: service and version first, then the service's own table.
///
/// A new endpoint is one new file and one line here.
enum Router {
    /// - Throws: `NOT_FOUND` for a target that no service knows.
    static func handler(for request: HTTPRequest, _ target: Target) throws(CloudError) -> Handler {
        let path = target.path
        let found: Handler? =
            switch (path.first, path.count > 1 ? path[1] : "") {
            case ("database", "1"): cloudKit(request.method, path)
            case ("kvs", "v1"): keyValue(request.method, path)
            case ("keychain", "v1"): keychain(request.method, path)
            case ("documents", "v1"): documents(request.method, path)
            case ("upload", "v1"): upload(request.method, path)
            case ("accounts", "v1"): path.count == 3 ? accounts["\(request.method) \(path[2])"] : nil
            default: nil
            }
        if let found { return found }
        throw CloudError(.notFound, "nothing answers \(request.method) '\(request.target)'; see Docs/cloud-api.md")
    }

    private static let accounts: [String: Handler] = ["POST signout": SignOut.handle]

    /// `/database/1/{container}/{environment}/{database}/{group}/{operation}`.
    private static func cloudKit(_ method: String, _ path: [String]) -> Handler? {
        path.count == 7 ? records["\(method) \(path[5])/\(path[6])"] : nil
    }
    private static let records: [String: Handler] = [
        "POST records/modify": ModifyRecords.handle,
        "POST records/lookup": LookupRecords.handle,
        "POST records/query": QueryRecords.handle,
        "POST changes/zone": ZoneChanges.handle,
        "POST changes/database": DatabaseChanges.handle,
        "POST zones/modify": ModifyZones.handle,
        "GET zones/list": ListZones.handle,
        "POST zones/list": ListZones.handle,
        "POST zones/lookup": LookupZones.handle,
        "POST subscriptions/modify": ModifySubscriptions.handle,
        "GET users/caller": UsersCaller.handle,
        "POST users/caller": UsersCaller.handle,
    ]

    /// `/kvs/v1/{store}/sync`.
    private static func keyValue(_ method: String, _ path: [String]) -> Handler? {
        method == "POST" && path.count == 4 && path[3] == "sync" ? SyncKeyValue.handle : nil
    }
    /// `/keychain/v1/sync`.
    private static func keychain(_ method: String, _ path: [String]) -> Handler? {
        method == "POST" && path.count == 3 && path[2] == "sync" ? SyncKeychain.handle : nil
    }

    /// `/documents/v1/{container}/changes`, `/documents/v1/{container}/items/{id}` and below.
    private static func documents(_ method: String, _ path: [String]) -> Handler? {
        switch (path.count, path.last, method) {
        case (4, "changes", "POST"): DocumentChanges.handle
        case (5, _, "PUT") where path[3] == "items": PutDocument.handle
        case (5, _, "GET") where path[3] == "items": GetDocument.handle
        case (5, _, "DELETE") where path[3] == "items": DeleteDocument.handle
        case (6, "move", "POST") where path[3] == "items": MoveDocument.handle
        case (6, "resolve", "POST") where path[3] == "items": ResolveDocument.handle
        default: nil
        }
    }

    /// `/upload/v1/{app}/{path}`; the path may have several parts.
    private static func upload(_ method: String, _ path: [String]) -> Handler? {
        switch (method, path.count) {
        case ("POST", 4) where path[3] == "login": UploadLogin.handle
        case ("PUT", 4...): PutUpload.handle
        case ("GET", 3...): ListUploads.handle
        default: nil
        }
    }
}
