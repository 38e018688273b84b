import FleetModel

/// One CloudKit database as a caller sees it: container, environment and scope, with the account that owns the data.
///
/// A private database belongs to the caller and to nobody else: every query carries the owner, so another account's rows
/// are out of reach. Public databases have one owner of their own. In the shared database each zone has its own owner,
/// and `Reach` alone leads there.
struct Space: Hashable {
    /// `CKDatabase.Scope` (cloudkit-framework.md 1).
    enum Scope: Int64 { case everyone = 1, own, shared }

    var place: Place
    var scope: Scope
    /// Row of the account that owns what lies in it; 0 in the shared database until a zone is named.
    var owner: Int64

    /// Reads `/database/1/{container}/{environment}/{database}/...` (cloudkit-web-services.md 1).
    /// - Throws: `AUTHENTICATION_REQUIRED` or `ACCESS_DENIED` for a database that needs a person and has none.
    init(_ call: Call) throws(CloudError) {
        place = try Place(call.target)
        switch call.target.path[4] {
        case "public": (scope, owner) = (.everyone, Owner.publicID)
        case "private":
            try call.requirePerson("the private database")
            (scope, owner) = (.own, call.caller.account)
        case "shared":
            try call.requirePerson("the shared database")
            (scope, owner) = (.shared, 0)
        default:
            throw .badRequest("there is no database '\(call.target.path[4])' here; use 'private', 'shared' or 'public'")
        }
    }
    init(place: Place, scope: Scope, owner: Int64) {
        self.place = place
        self.scope = scope
        self.owner = owner
    }

    /// The private database of the account that owns a shared zone, seen by somebody else.
    func owned(by account: Int64) -> Space { Space(place: place, scope: scope, owner: account) }

    var container: String { place.container }
    var environment: String { place.environment }
    var isPublic: Bool { scope == .everyone }
    var isShared: Bool { scope == .shared }
    /// Name in the tables.
    var key: String { place.key }

    /// The private database, which alone has custom zones of one's own (cloudkit-web-services.md 11).
    func requirePrivate(_ what: String) throws(CloudError) {
        switch scope {
        case .own: return
        case .everyone: throw .badRequest("\(what) is not possible in the public database; use the private one")
        case .shared: throw .badRequest("\(what) is not possible in the shared database; use the private one")
        }
    }
    /// The databases that have changes to fetch.
    func requireChanges() throws(CloudError) {
        if isPublic {
            throw .badRequest("fetching changes is not possible in the public database; use the private one")
        }
    }
}
