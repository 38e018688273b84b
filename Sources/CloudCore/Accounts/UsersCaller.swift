import FleetModel
import Storage

/// `users/caller`: the caller's own identity in this container (cloudkit-web-services.md 7.2).
enum UsersCaller {
    static func handle(_ call: Call, _ work: Work) throws -> Answer {
        let space = try Users.space(call)
        guard call.caller.kind != .device else {
            // What iPads have always been told: a name is shown to those alone who asked for it.
            return Answer(json: [
                "users": [["userRecordName": .string(recordName(of: call.caller.name, in: space, work))]]
            ])
        }
        let profile = try People.profile(of: call.caller.account, work)
        return Answer(json: ["users": [profile.identity(in: space, showsName: profile.isDiscoverable, work)]])
    }

    /// `_` and 32 hex digits, random per person and container, the same on every device (cloudkit-framework.md 12).
    static func recordName(of person: Person, in space: Space, _ work: Work) -> String {
        recordName(work.seals.seal(subject(person, space.key)))
    }
    /// Keyed: who knows names of some people can compute those of no others.
    static func recordName(of person: Person, in place: String, key: [UInt8]) -> String {
        recordName(Secret.seal(subject(person, place), key: key))
    }
    private static func subject(_ person: Person, _ place: String) -> String { "user \(place) \(person)" }
    private static func recordName(_ seal: [UInt8]) -> String { "_" + Hex.text(seal.prefix(16)) }
}

/// `users/current` (older): name, and if discoverable first and last name.
enum CurrentUser {
    static func handle(_ call: Call, _ work: Work) throws -> Answer {
        let space = try Users.space(call)
        let profile = try People.profile(of: call.caller.account, work)
        return Answer(json: profile.user(in: space, showsName: profile.isDiscoverable, work))
    }
}

/// `POST users/discover`: identities of the asked people who opted in.
enum DiscoverUsers {
    static func handle(_ call: Call, _ work: Work) throws -> Answer {
        let space = try Users.space(call)
        let infos = try Users.list(call.json(), "lookupInfos")
        var users: [Value] = []
        for info in infos {
            guard let account = try People.find(info, in: space, work) else { continue }
            let profile = try People.profile(of: account, work)
            if profile.isDiscoverable { users.append(profile.identity(in: space, lookup: info, showsName: true, work)) }
        }
        return Answer(json: ["users": .array(users)])
    }
}

/// `GET users/discover`: identities of those in the caller's address book who opted in.
enum DiscoverContacts {
    static func handle(_ call: Call, _ work: Work) throws -> Answer {
        let space = try Users.space(call)
        return Answer(json: [
            "users": .array(
                try Users.contacts(call, work).map { email, profile in
                    profile.identity(in: space, lookup: ["emailAddress": .string(email)], showsName: true, work)
                })
        ])
    }
}

/// `users/lookup/email` (older).
enum LookupUsersByEmail {
    static func handle(_ call: Call, _ work: Work) throws -> Answer {
        try Users.lookup(call, by: "emailAddress", work) { profile, email, space in
            profile.user(in: space, email: email, showsName: true, work)
        }
    }
}

/// `users/lookup/id` (older); answers without e-mail addresses.
enum LookupUsersByID {
    static func handle(_ call: Call, _ work: Work) throws -> Answer {
        try Users.lookup(call, by: "userRecordName", work) { profile, _, space in
            profile.user(in: space, showsName: true, work)
        }
    }
}

/// `users/lookup/contacts` (older).
enum LookupContacts {
    static func handle(_ call: Call, _ work: Work) throws -> Answer {
        let space = try Users.space(call)
        return Answer(json: [
            "users": .array(try Users.contacts(call, work).map { $0.profile.user(in: space, showsName: true, work) })
        ])
    }
}

/// `users/restrict` and `users/unrestrict`: freezes and frees what the caller has in a container.
enum RestrictUser {
    static func restrict(_ call: Call, _ work: Work) throws -> Answer {
        let space = try own(call)
        try work.database.execute(
            "INSERT INTO restriction(owner, container) VALUES(?, ?) ON CONFLICT DO NOTHING", .int(space.owner),
            .text(space.container))
        return Answer(json: .empty)
    }
    static func unrestrict(_ call: Call, _ work: Work) throws -> Answer {
        let space = try own(call)
        try work.database.execute(
            "DELETE FROM restriction WHERE owner = ? AND container = ?", .int(space.owner), .text(space.container))
        return Answer(json: .empty)
    }
    private static func own(_ call: Call) throws(CloudError) -> Space {
        let space = try Space(call)
        try space.requirePrivate("restricting a user's data")
        return space
    }
    /// - Throws: `ACCESS_DENIED` for what is frozen.
    static func check(_ space: Space, _ work: Work) throws {
        if space.scope == .own { try check(owner: space.owner, space.container, work) }
    }
    /// The same of a person's data that others come to by a share.
    static func check(owner: Int64, _ container: String, _ work: Work) throws {
        guard try !isRestricted(owner, container, work) else {
            throw CloudError(
                .accessDenied, "the person has restricted the data in '\(container)'; only the person can unrestrict it"
            )
        }
    }
    static func isRestricted(_ owner: Int64, _ container: String, _ work: Work) throws -> Bool {
        try !work.database.query(
            "SELECT 1 FROM restriction WHERE owner = ? AND container = ?", .int(owner), .text(container)
        ).isEmpty
    }
}

/// What the endpoints about users share.
enum Users {
    /// People of one request, as records (cloudkit-web-services.md 10).
    private static let peopleMax = 200

    /// - Throws: `BAD_REQUEST` outside the public database, `AUTHENTICATION_REQUIRED` without a person.
    static func space(_ call: Call) throws(CloudError) -> Space {
        let space = try Space(call)
        guard space.isPublic else { throw CloudError.badRequest("users are asked in the public database") }
        try call.requirePerson("a question about users", else: call.policy.settings.serverKeyOnUsers)
        return space
    }
    static func list(_ body: Value, _ key: String) throws(CloudError) -> [Value] {
        let list = try body.list(key)
        guard list.count <= peopleMax else { throw .badRequest("\(list.count) people are more than \(peopleMax)") }
        return list
    }
    static func contacts(_ call: Call, _ work: Work) throws -> [(email: String, profile: Profile)] {
        try People.profile(of: call.caller.account, work).contacts.compactMap { email in
            guard
                let account = try People.find(["emailAddress": .string(email)], in: try space(call), work)
            else { return nil }
            let profile = try People.profile(of: account, work)
            return profile.isDiscoverable ? (email, profile) : nil
        }
    }
    static func lookup(
        _ call: Call, by key: String, _ work: Work, _ show: (Profile, String, Space) -> Value
    ) throws -> Answer {
        let space = try space(call)
        var users: [Value] = []
        for entry in try list(call.json(), "users") {
            let wanted = try entry.text(key)
            guard let account = try People.find([key: .string(wanted)], in: space, work) else { continue }
            let profile = try People.profile(of: account, work)
            if profile.isDiscoverable { users.append(show(profile, wanted, space)) }
        }
        return Answer(json: ["users": .array(users)])
    }
}
