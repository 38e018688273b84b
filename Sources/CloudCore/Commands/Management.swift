import FleetModel
import Storage

/// What the developer does in the console and an administrator in his: the server's command line and the World's
/// scenarios use the same (Docs/cloud-api.md, "Management").
extension Cloud {
    /// Carries one command out.
    /// - Returns: `{ok: true}` with what the command gives back and `notes` for the history, or `{refused: reason}`; and pushes that
    ///   it led to.
    public func command(_ message: Message, now: Instant) -> (answer: Value, pushes: [CloudReply.Push]) {
        do {
            switch message.name {
            case CloudCommand.history.rawValue: return (try History.page(message.body, self), [])
            case CloudCommand.board.rawValue: return (try Board.page(message.body, self, now: now), [])
            case CloudCommand.observe.rawValue:
                let events = try observe().map { HistoryEvent(at: now, from: .cloud, $0).body }
                return (["ok": true, "notes": .array(events)], [])
            case CloudCommand.deleteZones.rawValue:
                // Its notes are kept with those of requests.
                return (["ok": true], try deleteZones(message, now).pushes)
            case CloudCommand.mdm.rawValue: return try manageDevice(message, now)
            default: return (try carryOut(message, now), [])
            }
        } catch {
            return (["refused": .string((error as? CloudError)?.reason ?? "\(error)")], [])
        }
    }

    func manage(_ message: Message, _ now: Instant) throws -> Value {
        let body = message.body
        return try transact(now) { work in
            var answer: Value = ["ok": true]
            switch message.name {
            case CloudCommand.account.rawValue: try self.setAccount(body, work)
            case CloudCommand.accounts.rawValue:
                answer["accounts"] = .strings(
                    try work.database.query("SELECT name FROM owner WHERE id <> ? ORDER BY name", .int(Owner.publicID))
                        .map { $0.text(0) })
            case CloudCommand.apiToken.rawValue:
                let way = APITokens.Way(
                    callback: try body.optionalText("callback") ?? "", origin: try body.optionalText("origin") ?? "")
                answer["token"] = .string(try APITokens.issue(for: self.place(body), way, work))
            case CloudCommand.password.rawValue:
                answer["password"] = .string(try Passwords.make(for: self.account(body, work), work))
            case CloudCommand.pushTokens.rawValue:
                answer["pushTokens"] = .array(try PushTokens.all(of: self.account(body, work), work))
            case CloudCommand.webToken.rawValue:
                let account = try self.account(body, work)
                let stays = try body.flag("stays", otherwise: false)
                answer["token"] = .string(try WebTokens.issue(to: account, at: self.place(body), stays: stays, work))
            case CloudCommand.key.rawValue:
                guard let key = body["publicKey"]?.data ?? body["publicKey"]?.string.flatMap(Base64.decode),
                    !key.isEmpty
                else {
                    throw CloudError.badRequest("'publicKey' must be the key's bytes in base64")
                }
                answer["keyID"] = .string(try ServerKeys.add(key, to: self.container(body), work))
            case CloudCommand.revokeKey.rawValue: try ServerKeys.revoke(body.text("keyID"), work)
            case CloudCommand.mdmList.rawValue: answer["commands"] = try DeviceManagement.list(body, work)
            case CloudCommand.containers.rawValue: answer["containers"] = .strings(try Containers.all(work))
            case CloudCommand.resetContainer.rawValue: try Containers.reset(self.container(body), work)
            case CloudCommand.deploy.rawValue: try Deployment.deploy(self.container(body), work)
            case CloudCommand.index.rawValue: try self.setIndexes(body, work)
            case CloudCommand.deleteField.rawValue:
                try FieldRemoval(
                    container: self.container(body), type: body.text("recordType"), field: body.text("fieldName"),
                    work: work
                ).perform()
            case CloudCommand.register.rawValue: try Teams.register(self.container(body), for: body.text("team"), work)
            case CloudCommand.team.rawValue:
                try Teams.setMember(
                    self.account(body, work), of: body.text("team"), body.flag("isMember", otherwise: true), work)
            case CloudCommand.role.rawValue: try self.setRole(body, work)
            case CloudCommand.member.rawValue:
                try Roles.setMember(
                    self.account(body, work), of: body.text("role"), body.flag("isMember", otherwise: true),
                    in: self.place(body), work)
            case CloudCommand.publicQuota.rawValue: try self.setPublicQuota(body, work)
            default:
                throw CloudError.badRequest("'\(message.name)' is no command to the Cloud; see Docs/cloud-api.md")
            }
            return answer
        }
    }

    private func container(_ body: Value) throws(CloudError) -> String {
        let name = try body.text("container")
        try Place.checkContainer(name)
        return name
    }
    private func place(_ body: Value) throws(CloudError) -> Place {
        let environment = try body.text("environment")
        try Place.checkEnvironment(environment)
        return Place(container: try container(body), environment: environment)
    }
    private func account(_ body: Value, _ work: Work) throws -> Int64 {
        let name = try body.text("account")
        guard let account = try People.account(name, work) else {
            throw CloudError.badRequest("there is no account '\(name)'")
        }
        return account
    }

    /// `cloud.account {account, emailAddress?, phoneNumber?, firstName?, lastName?, discoverable?, contacts?}`: makes the
    /// account if need be, and keeps what is not named.
    private func setAccount(_ body: Value, _ work: Work) throws {
        let (account, _) = try People.named(body.text("account"), work)
        var profile = try People.profile(of: account, work)
        if let email = try body.optionalText("emailAddress") { profile.email = email }
        if let phone = try body.optionalText("phoneNumber") { profile.phone = phone }
        if let given = try body.optionalText("firstName") { profile.given = given }
        if let family = try body.optionalText("lastName") { profile.family = family }
        if let contacts = try body.optionalTexts("contacts") { profile.contacts = contacts }
        profile.isDiscoverable = try body.flag("discoverable", otherwise: profile.isDiscoverable)
        let taken = try work.database.query(
            "SELECT 1 FROM profile WHERE owner <> ? AND (email = ? OR phone = ?)", .int(account),
            .text(profile.email.lowercased()), .optional(profile.phone))
        guard taken.isEmpty else { throw CloudError(.exists, "another account has this address or number") }
        try People.save(profile, work)
    }

    /// `cloud.index {container, recordType, fieldName, queryable?, sortable?, searchable?}`, of development.
    private func setIndexes(_ body: Value, _ work: Work) throws {
        var indexes: FieldIndexes = []
        if try body.flag("queryable", otherwise: false) { indexes.insert(.queryable) }
        if try body.flag("sortable", otherwise: false) { indexes.insert(.sortable) }
        if try body.flag("searchable", otherwise: false) { indexes.insert(.searchable) }
        try Deployment.index(container(body), body.text("recordType"), body.text("fieldName"), indexes, work)
    }

    /// `cloud.role {container, environment, recordType, role, create?, read?, write?}`: what is not named the role may not do.
    private func setRole(_ body: Value, _ work: Work) throws {
        var rights: RecordRights = []
        if try body.flag("create", otherwise: false) { rights.insert(.create) }
        if try body.flag("read", otherwise: false) { rights.insert(.read) }
        if try body.flag("write", otherwise: false) { rights.insert(.write) }
        try Roles.grant(rights, to: body.text("role"), of: body.text("recordType"), in: place(body), work)
    }

    /// `cloud.publicQuota {container, bytes}`: null restores the usual space.
    private func setPublicQuota(_ body: Value, _ work: Work) throws {
        let bytes = body["bytes"] ?? .null
        guard bytes.isNull || (bytes.int ?? -1) >= 0 else {
            throw CloudError.badRequest("'bytes' must be a number of bytes or null")
        }
        let quota = bytes.int.map(SQLValue.int) ?? .null
        try work.database.execute(
            "INSERT INTO container(name, used, quota) VALUES(?, 0, ?) ON CONFLICT(name) DO UPDATE SET quota = excluded.quota",
            .text(try container(body)), quota)
    }
}
