import FleetModel
import Storage

/// What the tables really hold at the end of a run, read from the content itself and not from any list beside it.
extension Cloud {
    /// One `observed` note for each place that holds a token; `detail.where` says which.
    func observe() throws -> [Note] {
        try observeRecords() + observeEntries() + observeDocuments() + observeUploads()
    }

    private func observeRecords() throws -> [Note] {
        let rows = try database.query(
            "SELECT o.name, c.name, z.name, r.name, r.json FROM record r JOIN zone z ON z.id = r.zone "
                + "JOIN owner o ON o.id = z.owner JOIN owner c ON c.id = r.creator "
                + "WHERE r.deleted = 0 ORDER BY o.id, z.space, z.name, r.name")
        return rows.compactMap { row in
            let isPublic = row.text(0).isEmpty
            let fields = (try? Value(json: row.blob(4)))?["fields"] ?? .empty
            return observed(
                RecordFields.tokens(in: fields), of: isPublic ? row.text(1) : row.text(0), .record,
                "record \(isPublic ? "public " : "")\(row.text(2))/\(row.text(3))")
        }
    }
    private func observeEntries() throws -> [Note] {
        let rows = try database.query(
            "SELECT o.name, e.store, e.key, e.json, e.owner FROM entry e JOIN owner o ON o.id = e.owner ORDER BY o.id, e.store, e.key"
        )
        return rows.compactMap { row in
            let isKeychain = row.text(1) == SyncKeychain.store
            let write = try? StampedEntry.content(row.blob(3), row.text(1), row.int(4), policy)
            let key = write?.key ?? row.text(2)
            return observed(
                EditPayload.scan(write?.value ?? .null), of: row.text(0), isKeychain ? .keychain : .keyValue,
                isKeychain ? "keychain \(key)" : "key \(key)")
        }
    }
    private func observeDocuments() throws -> [Note] {
        let rows = try database.query(
            "SELECT o.name, d.path, v.current, v.content FROM version v JOIN document d ON d.id = v.document "
                + "JOIN owner o ON o.id = d.owner WHERE d.deleted = 0 ORDER BY o.id, d.container, d.path, v.current DESC, v.id"
        )
        return rows.compactMap { row in
            observed(
                EditPayload.scan(row.blob(3)), of: row.text(0), .document,
                "document \(row.text(1))\(row.int(2) == 0 ? " conflict" : "")")
        }
    }
    private func observeUploads() throws -> [Note] {
        let rows = try database.query(
            "SELECT o.name, u.path, u.content FROM upload u JOIN owner o ON o.id = u.owner ORDER BY o.id, u.app, u.path"
        )
        return rows.compactMap { row in
            observed(EditPayload.scan(row.blob(2)), of: row.text(0), .upload, "upload \(row.text(1))")
        }
    }

    private func observed(_ found: EditPayload.Found, of person: Person, _ channel: Channel, _ place: String) -> Note? {
        guard !found.tokens.isEmpty || !found.damaged.isEmpty else { return nil }
        var detail: Value = ["where": .string(place)]
        if !found.damaged.isEmpty { detail["damaged"] = .strings(found.damaged) }
        return Note(.observed, person: person, channel: channel, tokens: found.tokens, detail: detail)
    }
}
