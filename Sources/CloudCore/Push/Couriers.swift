import FleetModel
import Storage

/// Web clients that are told of changes by long poll (cloudkit-web-services.md 7.4): each `tokens/create` is one more
/// device of its person, and what it has not fetched yet waits in a queue.
enum Couriers {
    /// Pushes that wait for one courier; the oldest go first. They are hints: who misses some fetches changes anyway.
    private static let queueMax = 100
    /// Couriers of one person; the oldest go first. ASSUMED.
    private static let couriersMax = 100
    /// A courier that nobody polls for so long is removed with what waits for it. ASSUMED.
    static let keptFor = Span.hours(24)
    /// How exactly the last poll is known: a poll that finds nothing shall not cost a commit each time.
    private static let polledWithin = Span.hours(1)

    static func add(_ token: String, of account: Int64, at place: Place, client: String, _ work: Work) throws {
        try work.database.execute(
            "INSERT INTO courier(hash, owner, container, environment, client, polled) VALUES(?, ?, ?, ?, ?, ?)",
            .text(Secret.hidden(token)), .int(account), .text(place.container), .text(place.environment),
            .text(client), .int(work.now.nanoseconds))
        try Chores.add(.courier, ["courier": .int(work.database.lastRow)], after: keptFor + polledWithin, work)
        let old = try work.database.query(
            "SELECT id FROM courier WHERE owner = ? ORDER BY id DESC LIMIT -1 OFFSET ?", .int(account),
            .int(couriersMax))
        for row in old { try remove(row.int(0), work) }
    }
    private static func remove(_ id: Int64, _ work: Work) throws {
        try work.database.execute("DELETE FROM courierpush WHERE courier = ?", .int(id))
        try work.database.execute("DELETE FROM courier WHERE id = ?", .int(id))
    }
    static func notePoll(of id: Int64, _ work: Work) throws {
        try work.database.execute(
            "UPDATE courier SET polled = ? WHERE id = ? AND (polled < ? OR polled = 0)", .int(work.now.nanoseconds),
            .int(id), .int(work.now.nanoseconds &- polledWithin.nanoseconds))
    }
    /// Removes a courier that nobody has polled for long; looks at any other again later.
    static func review(_ id: Int64, _ work: Work) throws {
        guard let row = try work.database.query("SELECT polled FROM courier WHERE id = ?", .int(id)).first else {
            return
        }
        // From before polls were noted.
        if row.int(0) == 0 { try notePoll(of: id, work) }
        let polled = row.int(0) == 0 ? work.now : Instant(nanoseconds: row.int(0))
        guard polled + keptFor < work.now else {
            return try Chores.add(.courier, ["courier": .int(id)], after: keptFor + polledWithin, work)
        }
        try remove(id, work)
    }

    static func deliver(_ payload: Value, to account: Int64, in space: Space, but caller: Caller, _ work: Work) throws {
        let rows = try work.database.query(
            "SELECT id, hash, client FROM courier WHERE owner = ? AND container = ? AND environment = ? ORDER BY id",
            .int(account), .text(space.container), .text(space.environment))
        for row in rows {
            // The client that made the change, if it said which it is.
            if caller.kind == .web, caller.account == account, !row.text(2).isEmpty,
                caller.device == "web-" + row.text(2)
            {
                continue
            }
            try work.database.execute(
                "INSERT INTO courierpush(courier, body) VALUES(?, ?)", .int(row.int(0)), .blob(payload.jsonBytes))
            try work.database.execute(
                "DELETE FROM courierpush WHERE courier = ? AND id NOT IN "
                    + "(SELECT id FROM courierpush WHERE courier = ? ORDER BY id DESC LIMIT ?)", .int(row.int(0)),
                .int(row.int(0)), .int(queueMax))
            work.ring(row.text(1))
        }
    }

    fileprivate static func environment(_ body: Value) throws(CloudError) -> String {
        let environment = try body.text("apnsEnvironment")
        guard environment == "development" || environment == "production" else {
            throw .badRequest("'apnsEnvironment' must be 'development' or 'production'")
        }
        return environment
    }
    /// `tokens/...` has no database in its path, and belongs to a person.
    fileprivate static func place(_ call: Call) throws(CloudError) -> Place {
        let place = try Place(call.target)
        try call.requirePerson("a push token")
        return place
    }
}

/// `tokens/create {apnsEnvironment, clientId?}`: a new device of the caller, with the URL to poll.
enum CreateToken {
    static func handle(_ call: Call, _ work: Work) throws -> Answer {
        let place = try Couriers.place(call)
        let body = try call.json()
        let environment = try Couriers.environment(body)
        let client = try body.optionalText("clientId") ?? call.target["clientId"] ?? ""
        let token = try work.newToken(call.caller.account, "courier") + work.newToken(call.caller.account, "courier")
        try Couriers.add(token, of: call.caller.account, at: place, client: client, work)
        return Answer(json: [
            "apnsEnvironment": .string(environment), "apnsToken": .string(token),
            "webcourierURL": .string("\(work.policy.origin)/webcourier/v1/\(token)"),
        ])
    }
}

/// `tokens/register {apnsEnvironment, apnsToken}`: the token of a device that Apple's own push service reaches, which is not
/// modelled: the service takes note of it (`PushTokens`). A courier gets its pushes without; it is polled under no other
/// token, because a client chooses what it registers and others may guess that.
enum RegisterToken {
    static func handle(_ call: Call, _ work: Work) throws -> Answer {
        let place = try Couriers.place(call)
        let body = try call.json()
        let environment = try Couriers.environment(body)
        let token = try body.text("apnsToken")
        guard !token.isEmpty, token.utf8.count <= 512 else {
            throw CloudError.badRequest("'apnsToken' must have 1 to 512 bytes")
        }
        try PushTokens.register(token, environment, of: call.caller.account, at: place, work)
        return Answer(json: .empty)
    }
}

/// `GET /webcourier/v1/{token}`: one push, the oldest; nothing when none waits, and the edge may hold that answer back.
enum PollCourier {
    static func handle(_ call: Call, _ work: Work) throws -> Answer {
        let hash = Secret.hidden(call.target.path[2])
        guard let courier = try work.database.query("SELECT id FROM courier WHERE hash = ?", .text(hash)).first else {
            throw CloudError(.notFound, "this courier is unknown; ask tokens/create for another")
        }
        let waiting = try work.database.query(
            "SELECT id, body FROM courierpush WHERE courier = ? ORDER BY id LIMIT 1", .int(courier.int(0)))
        try Couriers.notePoll(of: courier.int(0), work)
        guard let push = waiting.first else {
            var answer = Answer(body: [])
            answer.waitsFor = hash
            return answer
        }
        try work.database.execute("DELETE FROM courierpush WHERE id = ?", .int(push.int(0)))
        return Answer(body: push.blob(1))
    }
}
