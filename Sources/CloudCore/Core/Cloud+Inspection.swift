import FleetModel
import Storage

/// What the reference iCloud shows of itself to somebody who looks on: its tables, read from a copy.
extension Cloud: Inspectable {
    /// Views for people; everything else by `sql`.
    private static let views: [String: String] = [
        "accounts": "SELECT name, used AS bytes, quota, sequence FROM owner ORDER BY id",
        "zones": "SELECT o.name AS account, z.space, z.name AS zone, z.deleted, "
            + "(SELECT COUNT(*) FROM record r WHERE r.zone = z.id AND r.deleted = 0) AS records "
            + "FROM zone z JOIN owner o ON o.id = z.owner ORDER BY o.id, z.space, z.name",
        "records": "SELECT o.name AS account, z.name AS zone, r.name AS record, r.type, r.tag, r.seq, r.deleted, "
            + "r.tokens AS edits FROM record r JOIN zone z ON z.id = r.zone JOIN owner o ON o.id = z.owner "
            + "ORDER BY o.id, z.space, z.name, r.name",
        "entries": "SELECT o.name AS account, e.store, e.key, e.device, e.seq, e.tokens AS edits FROM entry e "
            + "JOIN owner o ON o.id = e.owner ORDER BY o.id, e.store, e.key",
        "documents": "SELECT o.name AS account, d.container, d.path, d.deleted, v.current, v.size, v.device, "
            + "v.tokens AS edits FROM document d JOIN owner o ON o.id = d.owner "
            + "LEFT JOIN version v ON v.document = d.id ORDER BY o.id, d.path, v.current DESC, v.id",
        "uploads": "SELECT o.name AS account, u.app, u.path, u.size FROM upload u JOIN owner o ON o.id = u.owner "
            + "ORDER BY o.id, u.app, u.path",
        "subscriptions": "SELECT o.name AS account, s.space, s.name FROM subscription s "
            + "JOIN owner o ON o.id = s.account ORDER BY s.id",
        "sessions": "SELECT o.name AS account, s.device FROM session s JOIN owner o ON o.id = s.owner ORDER BY s.id",
    ]

    /// `state`; `view {name, most?}`, of which `state` names those that there are; `files`, `file`, `tables`, `sql`.
    public func inspect(_ question: Message) -> Value? {
        switch question.name {
        case "state":
            return [
                "views": .strings(Self.views.keys.sorted()), "accounts": view("accounts"), "zones": view("zones"),
                "nextChore": .optional(nextChore.map { Instant(nanoseconds: $0).wallClock }),
                "canWrite": .bool(failure == nil),
            ]
        case "view":
            let name = question["name"]?.string ?? ""
            guard Self.views[name] != nil else {
                return ["error": .string("there is no view '\(name)'; there are \(Self.views.keys.sorted())")]
            }
            return view(name, question["most"])
        default:
            var body = question.body
            if body["path"] == nil { body["path"] = .string(Schema.path) }
            return disk.inspect(Message(question.name, body))
        }
    }
    private func view(_ name: String, _ most: Value? = nil) -> Value {
        var body: Value = ["path": .string(Schema.path), "sql": .string(Self.views[name] ?? "")]
        body["most"] = most
        return disk.inspect(Message("sql", body)) ?? .null
    }
}
