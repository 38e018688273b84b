import FleetModel
import Storage

/// The school's management server, as its iPads see it (shared-ipad.md 9): commands wait for an iPad, or for a person's session there,
/// are given one by one when it asks, and are over when it has said what became of them. A push tells it to ask.
///
/// ASSUMED: JSON stands for the property lists, the iPad's name for its certificate; who would have to be known by a certificate is not
/// served where names are not enough (`CloudPolicy.hasClosedSignIn`). A set-up that waits for the server is let go at once: it has
/// nothing to install.
enum DeviceManagement {
    /// Where an iPad and the person whose session it is, if it is a session's connection, are named in what it sends.
    private struct Channel {
        var device: String
        /// Empty: the device channel.
        var person: Person

        init(_ body: Value) throws(CloudError) {
            device = try body.text("UDID")
            guard case .pad = ParticipantID(device) else {
                throw .badRequest("'UDID' must be the name of an iPad as 'ipad-3', not '\(device)'")
            }
            person = try body.optionalText("UserShortName") ?? ""
        }
        var key: [SQLValue] { [.text(device), .text(person)] }
    }
    private static let finalStatuses = ["Acknowledged", "Error", "CommandFormatError"]

    // MARK: What iPads ask

    /// `PUT /mdm/v1/connect {UDID, UserShortName?, Status, CommandUUID?, ...}`: takes in what became of a command and gives the next,
    /// or nothing at all. Told twice, a result counts once.
    static func connect(_ call: Call, _ work: Work) throws -> Answer {
        let (body, channel) = try opened(call)
        switch try body.text("Status") {
        case "Idle":
            // The iPad comes of itself when it can do what it could not, or was called: all of it is tried again.
            try work.database.execute(
                "UPDATE managementcommand SET isputoff = 0 WHERE device = ? AND person = ?", all: channel.key)
        case "NotNow":
            try work.database.execute(
                "UPDATE managementcommand SET status = 'NotNow', isputoff = 1 WHERE device = ? AND person = ? AND uuid = ? "
                    + "AND status IN ('', 'NotNow')", all: channel.key + [.text(try body.text("CommandUUID"))])
        case let status where finalStatuses.contains(status):
            try work.database.execute(
                "UPDATE managementcommand SET status = ?, answer = ? WHERE device = ? AND person = ? AND uuid = ? "
                    + "AND status IN ('', 'NotNow')",
                all: [.text(status), .blob(body.jsonBytes)] + channel.key
                    + [.text(try body.optionalText("CommandUUID") ?? "")])
        case let status:
            throw CloudError.badRequest(
                "'Status' is Idle, NotNow, \(finalStatuses.joined(separator: ", ")); not '\(status)'")
        }
        let next = try work.database.query(
            "SELECT uuid, command FROM managementcommand WHERE device = ? AND person = ? AND isputoff = 0 "
                + "AND status IN ('', 'NotNow') ORDER BY id LIMIT 1", all: channel.key)
        guard let row = next.first else { return Answer(body: []) }
        return Answer(json: ["CommandUUID": .string(row.text(0)), "Command": try Value(json: row.blob(1))])
    }

    /// `PUT /mdm/v1/checkin {MessageType: TokenUpdate, UDID, UserShortName?, AwaitingConfiguration?}`: the connection can be used; a
    /// set-up that waits gets the command that lets it go on.
    static func checkIn(_ call: Call, _ work: Work) throws -> Answer {
        let (body, channel) = try opened(call)
        guard try body.text("MessageType") == "TokenUpdate" else {
            throw CloudError.badRequest("'MessageType' is TokenUpdate; others are not served")
        }
        if try body.flag("AwaitingConfiguration", otherwise: false) {
            let type = channel.person.isEmpty ? "DeviceConfigured" : "UserConfigured"
            let waiting = try work.database.query(
                "SELECT command FROM managementcommand WHERE device = ? AND person = ? AND status IN ('', 'NotNow')",
                all: channel.key)
            if try !waiting.contains(where: { try Value(json: $0.blob(0))["RequestType"]?.string == type }) {
                try add(["RequestType": .string(type)], uuid: try work.newUUID(Owner.publicID), channel, work)
            }
        }
        return Answer(body: [])
    }

    private static func opened(_ call: Call) throws(CloudError) -> (Value, Channel) {
        guard !call.policy.hasClosedSignIn else {
            throw CloudError(.notFound, "this service manages no iPads: nobody proves here which one it is")
        }
        let body = try call.json()
        return (body, try Channel(body))
    }

    // MARK: What administrators do

    /// `cloud.mdm {device, person?, Command: {RequestType, ...}, CommandUUID?}`: queues a command and calls the iPad. One whose UUID is known
    /// is not queued again.
    /// - Returns: `{CommandUUID}`.
    static func queue(_ body: Value, _ work: Work) throws -> Value {
        let named: Value = ["UDID": body["device"] ?? .null, "UserShortName": body["person"] ?? .null]
        let channel = try Channel(named)
        guard let command = body["Command"], let type = command["RequestType"]?.string, !type.isEmpty else {
            throw CloudError.badRequest("'Command' is a command with its 'RequestType'")
        }
        let uuid = try body.optionalText("CommandUUID") ?? work.newUUID(Owner.publicID)
        try add(command, uuid: uuid, channel, work)
        var push: Value = ["service": "mdm"]
        if !channel.person.isEmpty { push["person"] = .string(channel.person) }
        work.push(Message("push", push), to: channel.device)
        return ["CommandUUID": .string(uuid)]
    }
    private static func add(_ command: Value, uuid: String, _ channel: Channel, _ work: Work) throws {
        try work.database.execute(
            "INSERT INTO managementcommand(device, person, uuid, command) VALUES(?, ?, ?, ?) ON CONFLICT DO NOTHING",
            all: channel.key + [.text(uuid), .blob(command.jsonBytes)])
    }

    /// `cloud.mdmList {device?}`: what was queued and became of it, oldest first: `[{device, person, CommandUUID, RequestType, Status, answer?}]`;
    /// the status of what nobody has asked for is empty.
    static func list(_ body: Value, _ work: Work) throws -> Value {
        let device = try body.optionalText("device")
        return .array(
            try work.database.query(
                "SELECT device, person, uuid, command, status, answer FROM managementcommand ORDER BY id"
            ).compactMap { row in
                guard device ?? row.text(0) == row.text(0) else { return nil }
                let type = try Value(json: row.blob(3))["RequestType"] ?? .null
                var entry: Value = [
                    "device": .string(row.text(0)), "person": .string(row.text(1)), "CommandUUID": .string(row.text(2)),
                    "RequestType": type, "Status": .string(row.text(4)),
                ]
                if !row.blob(5).isEmpty { entry["answer"] = try Value(json: row.blob(5)) }
                return entry
            })
    }
}

extension Cloud {
    /// `cloud.mdm` with the push that it leads to.
    func manageDevice(_ message: Message, _ now: Instant) throws -> (answer: Value, pushes: [CloudReply.Push]) {
        try transact(now) { work in
            var answer = try DeviceManagement.queue(message.body, work)
            answer["ok"] = true
            return (answer, work.pushes)
        }
    }
}
