import FleetModel

/// Production's gate where its schema is given (`CloudPolicy.schemas`): it takes what the schema has, and nothing else (S288).
///
/// It knows what a request needs before anything is looked up, so that one refusal names everything that is to be deployed. What was
/// needed is noted once for each run of the service, whether it is there or not.
struct SchemaGate {
    private let place: Place
    private let work: Work
    /// Nil: the gate is open.
    private let schema: CloudSchema?

    init(_ place: Place, _ work: Work) {
        self.place = place
        self.work = work
        schema = place.environment == "production" ? work.policy.schemas[place.container] : nil
    }
    private var isWatched: Bool { place.environment == "production" && work.policy.watchesSchema }

    /// A record is saved.
    /// - Parameters:
    ///   - fields: as they were sent, with their types.
    ///   - guessed: those that came without a type: whatever fits is taken.
    /// - Throws: `BAD_REQUEST` with Apple's words first.
    func checkSave(_ type: String, _ fields: Value.Object, guessed: Value.Object) throws(CloudError) {
        guard isWatched, type != UserRecords.type else { return }
        var needs = [SchemaNeed(type: type, use: "records are saved")]
        for pair in fields.pairs where !RecordFields.isSystemName(pair.key) {
            let isGuessed = guessed[pair.key] != nil
            let wire = pair.value["type"]?.string.flatMap { $0 == RecordFields.emptyList || isGuessed ? nil : $0 }
            needs.append(
                SchemaNeed(
                    type: type, field: pair.key,
                    fieldType: wire.map { .init(wire: $0, isEncrypted: RecordFields.isSecret(pair.value)) },
                    use: "records are saved"))
        }
        try pass(needs, tokens: EditPayload.scan(.object(fields)).tokens)
    }
    /// Records are asked for.
    /// - Throws: `NOT_FOUND` for a type that is not there, `BAD_REQUEST` for an index that is not.
    func checkQuery(_ filter: RecordFilter, _ order: RecordOrder) throws(CloudError) {
        guard isWatched else { return }
        let type = filter.recordType
        var needs = filter.needs
        // A query for all records is one by their names.
        if needs.isEmpty {
            needs = [
                SchemaNeed(type: type, field: "___recordID", index: .queryable, use: "a query asks for all records")
            ]
        }
        needs += order.needs(of: type)
        try pass([SchemaNeed(type: type, use: "records are asked for")] + needs, tokens: [], isQuery: true)
    }
    /// A subscription to records of a type.
    func checkSubscription(_ filter: RecordFilter) throws(CloudError) {
        guard isWatched else { return }
        let needs = filter.needs.map { need in
            var need = need
            need.use = "a subscription compares it"
            return need
        }
        try pass(
            [SchemaNeed(type: filter.recordType, use: "a subscription watches it")] + needs, tokens: [], isQuery: true)
    }

    private func pass(_ needs: [SchemaNeed], tokens: [Token], isQuery: Bool = false) throws(CloudError) {
        let person = work.caller.isPerson ? work.caller.name : nil
        for need in needs where work.schemaWatch.isNew(need, in: place.container) {
            var detail = need.body
            detail["container"] = .string(place.container)
            work.note(Note(.schemaUsed, person: person, detail: detail))
        }
        guard let schema, let first = needs.first(where: { !schema.serves($0) }) else { return }
        let lines = schema.lines(for: needs)
        work.note(
            Note(
                .undeployed, person: person, channel: .record, tokens: tokens,
                detail: [
                    "container": .string(place.container), "device": .string(work.caller.device),
                    "lines": .strings(lines), "use": .string(first.use), "type": .string(first.type),
                ]))
        let reason = "\(words(first, schema, isQuery: isQuery)); deploy to production: \(lines.joined(separator: "; "))"
        throw CloudError(isQuery && schema.type(first.type) == nil ? .notFound : .badRequest, reason)
    }
    /// Apple's sentences, which clients look for.
    private func words(_ need: SchemaNeed, _ schema: CloudSchema, isQuery: Bool) -> String {
        guard let type = schema.type(need.type) else {
            return isQuery
                ? "Did not find record type: \(need.type)"
                : "Cannot create new type \(need.type) in production schema"
        }
        guard let name = need.field else { return "record type \(need.type) is not in production" }
        if let index = need.index {
            return "Field '\(RecordKey.appName(of: name))' is not marked \(index.rawValue.lowercased())"
        }
        guard let field = type.field(name) else {
            return "Cannot create or modify field '\(name)' in record '\(need.type)' in production schema"
        }
        return "Invalid value, expected type \(field.type.wire) for field '\(name)' of '\(need.type)'"
    }
}

/// What was noted already: an app uses the same fields again and again.
final class SchemaWatch {
    private var seen: [String: Set<SchemaNeed>] = [:]
    func isNew(_ need: SchemaNeed, in container: String) -> Bool { seen[container, default: []].insert(need).inserted }
}

extension RecordFilter {
    /// Indexes that its terms are looked up by.
    var needs: [SchemaNeed] {
        keys.map { key, comparator in
            let index: CloudSchema.Index = comparator.index == .searchable ? .searchable : .queryable
            return SchemaNeed(type: recordType, field: key.schemaName, index: index, use: "a query compares it")
        }
    }
}

extension RecordOrder {
    func needs(of type: String) -> [SchemaNeed] {
        sortKeys.map { SchemaNeed(type: type, field: $0.schemaName, index: .sortable, use: "a query sorts by it") }
    }
}
