import FleetModel

/// One CloudKit database as a caller sees it: container, environment and scope, with the account that owns the data.
///
/// A private database belongs to the caller and to nobody else: every query carries the owner, so another account's rows
/// are out of reach. Public databases have one owner of their own. The shared database is not modelled.
struct Space: Hashable {
    var container: String
    var environment: String
    var isPublic: Bool
    /// Row of the account that owns what lies in it.
    var owner: Int64

    /// Reads `/database/1/{container}/{environment}/{database}/...` (cloudkit-web-services.md 1).
    init(_ call: Call) throws(CloudError) {
        let path = call.target.path
        guard path.count > 4 else { throw .badRequest("'\(call.http.target)' names no database") }
        container = path[2]
        environment = path[3]
        guard container.hasPrefix("iCloud."), container.utf8.count <= 255 else {
            throw .badRequest("'\(container)' is no container; its name is 'iCloud.' and a reverse domain name")
        }
        guard environment == "production" || environment == "development" else {
            throw .badRequest("'\(environment)' is no environment; use 'production' or 'development'")
        }
        switch path[4] {
        case "public": isPublic = true
        case "private": isPublic = false
        default: throw .badRequest("there is no database '\(path[4])' here; use 'private' or 'public'")
        }
        owner = isPublic ? Owner.publicID : call.caller.account
    }

    /// Name in the tables.
    var key: String { "\(container)/\(environment)" }
    /// `CKDatabase.Scope` (cloudkit-framework.md 1).
    var scope: Int64 { isPublic ? 1 : 2 }

    /// The private database, which alone has custom zones and change tokens (cloudkit-web-services.md 11).
    func requirePrivate(_ what: String) throws(CloudError) {
        if isPublic { throw .badRequest("\(what) is not possible in the public database; use the private one") }
    }
}
