import FleetModel

/// Who serves a request, and what it must show.
struct Endpoint {
    enum Access {
        /// An account on an iPad.
        case session
        /// Any credential of CloudKit (cloudkit-web-services.md 2, 3), or an account on an iPad.
        case cloudKit
        /// None: the URL itself is the secret.
        case open
    }
    var handler: Handler
    var access = Access.session
}

/// Finds the handler of a request: service and version first, then the service's own table.
///
/// A new endpoint is one new file and one line here.
enum Router {
    /// - Throws: `NOT_FOUND` for a target that no service knows.
    static func endpoint(for request: HTTPRequest, _ target: Target) throws(CloudError) -> Endpoint {
        let (method, path) = (request.method, target.path)
        switch (path.first, path.count > 1 ? path[1] : "") {
        case ("database", "1"):
            if let found = cloudKit(method, path) { return Endpoint(handler: found, access: .cloudKit) }
        case ("assets", "v1"): if let found = assets(method, path) { return Endpoint(handler: found, access: .open) }
        case ("webcourier", "v1"):
            if path.count == 3, method == "GET" || method == "POST" {
                return Endpoint(handler: PollCourier.handle, access: .open)
            }
        case ("kvs", "v1"): if let found = keyValue(method, path) { return Endpoint(handler: found) }
        case ("keychain", "v1"): if let found = keychain(method, path) { return Endpoint(handler: found) }
        case ("documents", "v1"): if let found = documents(method, path) { return Endpoint(handler: found) }
        case ("upload", "v1"): if let found = upload(method, path) { return Endpoint(handler: found) }
        case ("accounts", "v1"):
            if path.count == 3, let found = accounts["\(method) \(path[2])"] { return Endpoint(handler: found) }
        case ("mdm", "v1"):
            if path.count == 3, let found = management["\(method) \(path[2])"] {
                return Endpoint(handler: found, access: .open)
            }
        default: break
        }
        // Without the query: tokens are there, and clients log what refuses them.
        let place = request.target.prefix { $0 != "?" }
        throw CloudError(.notFound, "nothing answers \(method) '\(place)'; see Docs/cloud-api.md")
    }

    private static let accounts: [String: Handler] = [
        "POST signout": SignOut.handle, "POST webtoken": FetchWebToken.handle,
    ]

    private static let management: [String: Handler] = [
        "PUT connect": DeviceManagement.connect, "PUT checkin": DeviceManagement.checkIn,
    ]

    /// `/database/1/{container}/{environment}/{database}/{group}/{operation}`, and without a database for `tokens`.
    private static func cloudKit(_ method: String, _ path: [String]) -> Handler? {
        guard method == "POST" || method == "GET" else { return nil }
        switch path.count {
        case 6: return records["\(path[4])/\(path[5])"]
        case 7 where path[5] == "users" && path[6] == "discover":
            return method == "GET" ? DiscoverContacts.handle : DiscoverUsers.handle
        case 7: return path[4] == "tokens" ? nil : records["\(path[5])/\(path[6])"]
        case 8: return records["\(path[5])/\(path[6])/\(path[7])"]
        default: return nil
        }
    }
    /// The verb carries no meaning, the operation's name does (cloudkit-web-services.md 1): `users/discover` alone has two.
    static let records: [String: Handler] = [
        "records/modify": ModifyRecords.handle,
        "records/lookup": LookupRecords.handle,
        "records/query": QueryRecords.handle,
        "records/changes": RecordChanges.handle,
        "records/resolve": ResolveShares.handle,
        "records/accept": AcceptShares.handle,
        "changes/zone": ZoneChanges.handle,
        "changes/database": DatabaseChanges.handle,
        "zones/modify": ModifyZones.handle,
        "zones/list": ListZones.handle,
        "zones/lookup": LookupZones.handle,
        "zones/changes": ZoneListChanges.handle,
        "subscriptions/modify": ModifySubscriptions.handle,
        "subscriptions/list": ListSubscriptions.handle,
        "subscriptions/lookup": LookupSubscriptions.handle,
        "users/current": CurrentUser.handle,
        "users/caller": UsersCaller.handle,
        "users/lookup/email": LookupUsersByEmail.handle,
        "users/lookup/id": LookupUsersByID.handle,
        "users/lookup/contacts": LookupContacts.handle,
        "users/restrict": RestrictUser.restrict,
        "users/unrestrict": RestrictUser.unrestrict,
        "assets/upload": UploadAssets.handle,
        "assets/rereference": RereferenceAssets.handle,
        "tokens/create": CreateToken.handle,
        "tokens/register": RegisterToken.handle,
    ]

    /// `/assets/v1/upload/{token}` and `/assets/v1/download/...`.
    private static func assets(_ method: String, _ path: [String]) -> Handler? {
        switch (path.count, path.count > 2 ? path[2] : "", method) {
        case (4, "upload", "POST"), (4, "upload", "PUT"): ReceiveAsset.handle
        case (7, "download", "GET"): DownloadAsset.handle
        default: nil
        }
    }

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
        case ("GET", 3...): GetUpload.handle
        default: nil
        }
    }
}
