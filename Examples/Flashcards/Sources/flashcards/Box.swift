import CloudKit
import Foundation
import GRDB

/// The cards and the engine's state, in one database: what was fetched and where fetching goes on reach the disk together.
struct Box: Sendable {
    let database: DatabasePool

    init() throws {
        let folder = FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask)[0]
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        var configuration = Configuration()
        // A power cut must not take back what the person was told.
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA synchronous = FULL") }
        database = try DatabasePool(path: folder.appending(path: "box.sqlite").path, configuration: configuration)
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1") { database in
            try database.create(table: "card") { table in
                table.primaryKey("id", .text)
                table.column("text", .text).notNull()
                table.column("shown", .text)
                table.column("written", .integer).notNull()
                table.column("systemFields", .blob)
                table.column("isDirty", .boolean).notNull()
            }
            try database.create(table: "engine") { table in
                table.primaryKey("id", .integer)
                table.column("state", .blob).notNull()
            }
        }
        try migrator.migrate(database)
    }

    func card(_ id: String) async throws -> Card? { try await database.read { try Card.fetchOne($0, key: id) } }
    func cards() async throws -> [Card] { try await database.read { try Card.order(Column("id")).fetchAll($0) } }

    /// What a person wrote: it stays on the iPad until the server has it.
    func write(_ text: String, as id: String) async throws {
        try await database.write { database in
            let now = Int64(Date().timeIntervalSince1970 * 1000)
            var card = try Card.fetchOne(database, key: id) ?? Card(id: id, text: text, written: now, isDirty: true)
            // A clock that was set back must not lose what is written after something that was seen.
            (card.text, card.written, card.isDirty) = (text, max(now, card.written + 1), true)
            try card.save(database)
        }
    }
    func change(_ id: String, _ change: @Sendable @escaping (inout Card) -> Void) async throws {
        try await database.write { database in
            guard var card = try Card.fetchOne(database, key: id) else { return }
            change(&card)
            try card.save(database)
        }
    }
    /// What the server has; a card that waits to be sent keeps its text.
    func take(_ records: [CKRecord], deleted: [CKRecord.ID]) async throws {
        try await database.write { database in
            for record in records {
                let id = record.recordID.recordName
                var card =
                    try Card.fetchOne(database, key: id)
                    ?? Card(id: id, text: "", written: 0, isDirty: false)
                card.merge(record)
                try card.save(database)
            }
            for id in deleted { _ = try Card.deleteOne(database, key: id.recordName) }
        }
    }

    func state() throws -> CKSyncEngine.State.Serialization? {
        let data = try database.read { try Data.fetchOne($0, sql: "SELECT state FROM engine WHERE id = 1") }
        return try data.map { try JSONDecoder().decode(CKSyncEngine.State.Serialization.self, from: $0) }
    }
    func keep(_ state: CKSyncEngine.State.Serialization) async throws {
        let data = try JSONEncoder().encode(state)
        try await database.write {
            try $0.execute(sql: "INSERT OR REPLACE INTO engine VALUES (1, ?)", arguments: [data])
        }
    }
    /// Another account's box is none of this one's.
    func empty() async throws {
        try await database.write { try $0.execute(sql: "DELETE FROM card; DELETE FROM engine") }
    }
}
