import FleetModel
import Storage

/// The record types and fields of one container and environment (cloudkit-framework.md 15).
///
/// Development makes a type or field at the first save and never changes its type; a closed production takes what was
/// deployed and nothing else; an open production (the World's) keeps no catalogue.
struct Catalogue {
    struct Field: Hashable {
        var type: String
        var indexes: FieldIndexes
        /// Its values are its writer's secret: the service neither looks for them nor sorts by them.
        var isEncrypted: Bool
    }
    let place: Place
    private let work: Work
    private let isKept: Bool
    /// Known types; nil for one that is not there. Read once a request.
    private var known: [String: [String: Field]?] = [:]
    /// Fields that lie in the table, by type; what a save brings beside them is written.
    private var stored: [String: Set<String>] = [:]

    init(_ place: Place, _ work: Work) {
        self.place = place
        self.work = work
        isKept = place.environment == "development" || place.isClosed(work.policy)
    }
    private var isClosed: Bool { place.isClosed(work.policy) }
    /// Types that are there without anybody's doing.
    private static let systemTypes = [UserRecords.type, ShareRecord.type]

    /// Checks the fields of a save, and gives an empty list and what came without a type the type of its field.
    /// - Parameter guessed: values of the fields that came without a type.
    /// - Throws: `BAD_REQUEST` naming what does not fit.
    /// - Returns: the fields of the type after the save, for `expect`.
    mutating func check(
        _ type: String, _ fields: inout Value.Object, guessed: Value.Object, zone: String
    ) throws -> [String: Field] {
        guard isKept else { return [:] }
        guard var present = try self.fields(of: type) ?? (isClosed ? nil : [:]) else {
            throw CloudError.badRequest(
                "record type '\(type)' is not in the production schema of '\(place.container)'; deploy it from development"
            )
        }
        for pair in fields.pairs {
            guard let found = pair.value["type"]?.string else { continue }
            let isEncrypted = RecordFields.isSecret(pair.value)
            if let field = present[pair.key] {
                if field.isEncrypted {
                    fields[pair.key]?["isEncrypted"] = true
                } else if isEncrypted {
                    throw CloudError.badRequest(
                        "field '\(pair.key)' of '\(type)' is not encrypted in the schema, and that cannot change")
                }
                if found == RecordFields.emptyList, field.type.hasSuffix("_LIST") {
                    fields[pair.key]?["type"] = .string(field.type)
                } else if found != field.type, mayFit(field.type), let value = guessed[pair.key],
                    let fitted = RecordFields.fitted(
                        fields[pair.key] ?? pair.value, value, to: field.type, name: pair.key, zone: zone)
                {
                    fields[pair.key] = fitted
                } else if found != field.type {
                    let sent =
                        guessed[pair.key] == nil
                        ? "sent as a \(found)" : "sent without a 'type' and looks like a \(found)"
                    // The first sentence is Apple's, and clients look for it.
                    throw CloudError.badRequest(
                        "Invalid value, expected type \(field.type). Field '\(pair.key)' of '\(type)' was \(sent), and the type of a "
                            + "field cannot change; send 'type': '\(field.type)' and a value of it")
                }
                continue
            }
            if isClosed {
                throw CloudError.badRequest(
                    "field '\(pair.key)' of '\(type)' is not in the production schema; deploy it from development")
            }
            if found == RecordFields.emptyList {
                throw CloudError.badRequest(
                    "the new field '\(pair.key)' cannot begin as an empty list: its type is unknown")
            }
            if let value = guessed[pair.key], RecordFields.isBeyondIntegers(value) {
                throw CloudError.badRequest(
                    "the new field '\(pair.key)' cannot begin with a number that no INT64 holds and that has no 'type': the field "
                        + "would be a DOUBLE for good; name it in 'type'")
            }
            present[pair.key] = Field(
                type: found, indexes: .automatic(found, isEncrypted: isEncrypted), isEncrypted: isEncrypted)
        }
        return present
    }
    /// Whether a value that came without a type may be read as one of a field's. Apple's service does not take a number for a moment:
    /// https://github.com/brightdigit/MistKit/issues/375, https://github.com/BennyKJohnson/OpenCloudKit/issues/4
    private func mayFit(_ type: String) -> Bool {
        !(work.policy.settings.untypedTimestampIsRefused && ["TIMESTAMP", "TIMESTAMP_LIST"].contains(type))
    }
    /// Takes the new fields of a save for known in the rest of the request; only of one that nothing else has refused.
    mutating func expect(_ type: String, _ fields: [String: Field]) {
        if isKept { known[type] = .some(fields) }
    }

    /// Keeps what an accepted save has brought.
    mutating func learn(_ type: String, _ fields: Value.Object) throws {
        guard isKept, !isClosed else { return }
        if let there = stored[type], fields.pairs.allSatisfy({ there.contains($0.key) }) { return }
        try work.database.execute(
            "INSERT INTO recordtype(container, environment, name) VALUES(?, ?, ?) ON CONFLICT DO NOTHING",
            .text(place.container), .text(place.environment), .text(type))
        stored[type, default: []].formUnion([])
        for pair in fields.pairs where stored[type]?.contains(pair.key) != true {
            guard let found = pair.value["type"]?.string, found != RecordFields.emptyList else { continue }
            let isEncrypted = RecordFields.isSecret(pair.value)
            try work.database.execute(
                "INSERT INTO recordfield(container, environment, record, name, type, indexes, encrypted) "
                    + "VALUES(?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING", .text(place.container),
                .text(place.environment), .text(type), .text(pair.key), .text(found),
                .int(FieldIndexes.automatic(found, isEncrypted: isEncrypted).rawValue), .int(isEncrypted ? 1 : 0))
            stored[type]?.insert(pair.key)
        }
    }

    /// Refuses a query that no index serves, and gives what it compares fields with the form that their types want.
    mutating func check(_ filter: inout RecordFilter, _ order: RecordOrder) throws {
        let type = filter.recordType
        guard isKept else { return try RecordChange.checkType(type) }
        guard let present = try fields(of: type) else {
            try RecordChange.checkType(type)
            let remedy = isClosed ? "deploy it from development" : "save a record of it first"
            throw CloudError.badRequest("did not find record type '\(type)' in \(place.environment); \(remedy)")
        }
        for (field, comparator) in filter.fields {
            try check(field, of: type, present, comparator.index, "queried")
            if let kind = present[field]?.type { try comparator.check(kind, field: field) }
        }
        if filter.searchesAll {
            let searched = present.filter { $0.value.indexes.contains(.searchable) && !$0.value.isEncrypted }
            guard !searched.isEmpty else {
                throw CloudError.badRequest("no field of '\(type)' is searchable in \(place.environment)")
            }
            filter.search(in: Set(searched.keys))
        }
        try filter.fit { present[$0]?.type }
        for field in order.fields { try check(field, of: type, present, .sortable, "sorted by") }
    }
    private func check(
        _ field: String, of type: String, _ present: [String: Field], _ index: FieldIndexes, _ use: String
    ) throws(CloudError) {
        guard let known = present[field] else {
            throw .badRequest("'\(type)' has no field '\(field)' in \(place.environment)")
        }
        guard !known.isEncrypted else {
            throw .badRequest("field '\(field)' of '\(type)' cannot be \(use): it is encrypted")
        }
        guard known.indexes.contains(index) else {
            throw .badRequest(
                "field '\(field)' of '\(type)' cannot be \(use): it has no such index in \(place.environment)")
        }
    }

    /// - Throws: `BAD_REQUEST` for a subscription to what is no type, or to a type that production does not know.
    mutating func checkSubscription(_ type: String) throws {
        guard try fields(of: type) == nil else { return }
        try RecordChange.checkType(type)
        guard isClosed else { return }
        throw CloudError.badRequest("record type '\(type)' is not in the production schema; deploy it from development")
    }

    /// Whether the place has a record type.
    mutating func hasType(_ type: String) throws -> Bool { try fields(of: type) != nil }

    /// Types of the fields of one record type; none where no catalogue is kept.
    mutating func types(of type: String) throws -> [String: String] {
        isKept ? try fields(of: type)?.mapValues(\.type) ?? [:] : [:]
    }

    private mutating func fields(of type: String) throws -> [String: Field]? {
        if let found = known[type] { return found }
        let keys: [SQLValue] = [.text(place.container), .text(place.environment), .text(type)]
        let isThere =
            try Self.systemTypes.contains(type)
            || !work.database.query(
                "SELECT 1 FROM recordtype WHERE container = ? AND environment = ? AND name = ?", keys[0], keys[1],
                keys[2]
            ).isEmpty
        var found: [String: Field]?
        if isThere {
            var fields: [String: Field] = [:]
            for row in try work.database.query(
                "SELECT name, type, indexes, encrypted FROM recordfield "
                    + "WHERE container = ? AND environment = ? AND record = ?", keys[0], keys[1], keys[2])
            {
                fields[row.text(0)] = Field(
                    type: row.text(1), indexes: FieldIndexes(rawValue: row.int(2)), isEncrypted: row.int(3) != 0)
            }
            found = fields
            stored[type] = Set(fields.keys)
        }
        known[type] = .some(found)
        return found
    }
}

/// What the developer does to schemas.
enum Deployment {
    /// Copies types, fields, indexes and roles of development to production, and no record (cloudkit-framework.md 15). Nothing
    /// is ever taken away from production.
    static func deploy(_ container: String, _ work: Work) throws {
        try work.database.execute(
            "INSERT INTO recordtype(container, environment, name) SELECT container, 'production', name FROM recordtype "
                + "WHERE container = ? AND environment = 'development' ON CONFLICT DO NOTHING", .text(container))
        try work.database.execute(
            "INSERT INTO recordfield(container, environment, record, name, type, indexes, encrypted) "
                + "SELECT container, 'production', record, name, type, indexes, encrypted FROM recordfield "
                + "WHERE container = ? AND environment = 'development' "
                + "ON CONFLICT(container, environment, record, name) DO UPDATE SET indexes = indexes | excluded.indexes",
            .text(container))
        try Roles.deploy(container, work)
    }
    /// Sets the indexes of a field of development.
    static func index(_ container: String, _ type: String, _ field: String, _ indexes: FieldIndexes, _ work: Work)
        throws
    {
        let secret = try work.database.query(
            "SELECT 1 FROM recordfield WHERE container = ? AND environment = 'development' AND record = ? AND name = ? "
                + "AND encrypted <> 0", .text(container), .text(type), .text(field))
        guard secret.isEmpty else {
            throw CloudError.badRequest("field '\(field)' of '\(type)' is encrypted and can have no index")
        }
        try work.database.execute(
            "UPDATE recordfield SET indexes = ? WHERE container = ? AND environment = 'development' AND record = ? AND name = ?",
            .int(indexes.rawValue), .text(container), .text(type), .text(field))
        guard work.database.changes > 0 else {
            throw CloudError(.notFound, "'\(type)' has no field '\(field)' in development of '\(container)'")
        }
    }
}
