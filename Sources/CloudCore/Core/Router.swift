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
/// A new endpoint is one new file and one line here; Docs/openapi.yaml publishes it.
enum Router {
    /// - Throws: `NOT_FOUND` for a target that no service knows.
    static func endpoint(for request: HTTPRequest, _ target: Target) throws(CloudError) -> Endpoint {
        let (method, path) = (request.method, target.path)
        if path.starts(with: ["database", "1"]) {
            if let found = cloudKit(method, path) { return Endpoint(handler: found, access: .cloudKit) }
        } else if let found = routes.first(where: { $0.fits(method, path) }) {
            return found.endpoint
        }
        // Without the query: tokens are there, and clients log what refuses them.
        let place = request.target.prefix { $0 != "?" }
        throw CloudError(.notFound, "nothing answers \(method) '\(place)'; see Docs/cloud-api.md")
    }

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

    /// A way to a handler outside CloudKit.
    struct Route {
        var method: String
        /// Parts of the path; one in braces stands for any, `{path}` at the end for all that are left.
        var path: String
        var endpoint: Endpoint
        private let parts: [Substring]

        init(_ method: String, _ path: String, _ handler: @escaping Handler, access: Endpoint.Access = .session) {
            self.method = method
            self.path = path
            endpoint = Endpoint(handler: handler, access: access)
            parts = path.split(separator: "/")
        }
        func fits(_ method: String, _ path: [String]) -> Bool {
            let takesRest = parts.last == "{path}"
            guard method == self.method, takesRest ? path.count >= parts.count : path.count == parts.count else {
                return false
            }
            return zip(parts, path).allSatisfy { $0.first == "{" || $0 == $1 }
        }
    }
    /// The first that fits.
    static let routes: [Route] = [
        Route("POST", "/assets/v1/upload/{token}", ReceiveAsset.handle, access: .open),
        Route("PUT", "/assets/v1/upload/{token}", ReceiveAsset.handle, access: .open),
        Route("GET", "/assets/v1/download/{checksum}/{expiry}/{seal}/{name}", DownloadAsset.handle, access: .open),
        Route("GET", "/webcourier/v1/{token}", PollCourier.handle, access: .open),
        Route("POST", "/webcourier/v1/{token}", PollCourier.handle, access: .open),
        Route("POST", "/accounts/v1/signout", SignOut.handle),
        Route("POST", "/accounts/v1/webtoken", FetchWebToken.handle),
        Route("POST", "/kvs/v1/{store}/sync", SyncKeyValue.handle),
        Route("POST", "/keychain/v1/sync", SyncKeychain.handle),
        Route("POST", "/documents/v1/{container}/changes", DocumentChanges.handle),
        Route("PUT", "/documents/v1/{container}/items/{id}", PutDocument.handle),
        Route("GET", "/documents/v1/{container}/items/{id}", GetDocument.handle),
        Route("DELETE", "/documents/v1/{container}/items/{id}", DeleteDocument.handle),
        Route("POST", "/documents/v1/{container}/items/{id}/move", MoveDocument.handle),
        Route("POST", "/documents/v1/{container}/items/{id}/resolve", ResolveDocument.handle),
        Route("POST", "/upload/v1/{app}/login", UploadLogin.handle),
        Route("PUT", "/upload/v1/{app}/{path}", PutUpload.handle),
        Route("GET", "/upload/v1/{app}/{path}", GetUpload.handle),
        // A list of everything has no path.
        Route("GET", "/upload/v1/{app}", GetUpload.handle),
        Route("PUT", "/mdm/v1/connect", DeviceManagement.connect, access: .open),
        Route("PUT", "/mdm/v1/checkin", DeviceManagement.checkIn, access: .open),
    ]
}
