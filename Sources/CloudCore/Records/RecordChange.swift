import FleetModel

/// What a request says about a reference beside the fields: nothing, that it goes, or where it points.
enum ReferenceWish: Hashable {
    case untouched
    case cleared
    case set(String)

    /// Reads `parent` or `share`: a reference dictionary, or null to clear it.
    /// - Parameter zone: of the record; a parent must not lie in another one (cloudkit-framework.md 3).
    init(_ value: Value?, _ key: String, zone: String) throws(CloudError) {
        guard let value else { self = .untouched; return }
        guard !value.isNull else { self = .cleared; return }
        guard let name = value["recordName"]?.string, !name.isEmpty else {
            throw .badRequest("'\(key)' must be a reference with a 'recordName', or null")
        }
        let action = try value.optionalText("action") ?? "NONE"
        guard action == "NONE" || key != "parent" else {
            throw .badRequest("'parent' must have the action 'NONE' (cloudkit-framework.md 4)")
        }
        if key == "parent", let target = value["zoneID"], !target.isNull, try Zone.name(target) != zone {
            throw .badRequest("'parent' names a record of another zone: references never cross zones")
        }
        self = .set(name)
    }
    /// What stands after the wish, where `old` stood before; a replacement drops what it does not name.
    func applied(to old: String, isReplacing: Bool) -> String {
        switch self {
        case .untouched: isReplacing ? "" : old
        case .cleared: ""
        case .set(let name): name
        }
    }
}

/// One operation of a modify request, and the decision what it comes to: the table of cloudkit-web-services.md 5.2.
struct RecordChange: Hashable {
    enum Kind: String {
        case create, update, forceUpdate, replace, forceReplace, delete, forceDelete

        /// Whether the stored tag must equal the one that was sent. A plain delete compares it when it is given (ASSUMED).
        var comparesTag: Bool { self == .update || self == .replace || self == .delete }
        var isDelete: Bool { self == .delete || self == .forceDelete }
        /// Whether doing it again later would change something anew: the protocol has no tag for it.
        var isForced: Bool { self == .forceUpdate || self == .forceReplace || self == .forceDelete }
        var keepsOtherFields: Bool { self == .update || self == .forceUpdate }
    }

    /// What is to be done to the table.
    enum Outcome: Hashable {
        case save(type: String, fields: Value.Object)
        case remove
        /// A forced delete of what is not there.
        case nothing
    }

    var kind: Kind
    /// Nil: the service makes one up.
    var name: String?
    var type: String?
    var tag: String?
    var fields: Value.Object
    /// Values of the fields that came without a type.
    var guessed = Value.Object()
    var parent: ReferenceWish
    var share: ReferenceWish
    /// Asks for a GUID by which a later share is found.
    var wantsGUID: Bool
    /// What is wanted of a share.
    var shareWish: ShareWish
    /// Why the operation cannot be done whatever is stored.
    var problem: CloudError?

    /// Reads an operation. What is wrong with one whose kind and record are named is that record's own failure
    /// (cloudkit-web-services.md 5.2): the others of the request do not pay for it.
    /// - Throws: `BAD_REQUEST`: the request is malformed as a whole.
    static func read(_ operation: Value, zone: String) throws(CloudError) -> RecordChange {
        do { return try RecordChange(operation, zone: zone) } catch {
            guard let kind = operation["operationType"]?.string.flatMap(Kind.init), let record = operation["record"],
                let name = record["recordName"]?.string, (try? checkName(name)) != nil,
                var bare = try? RecordChange(
                    ["operationType": .string(Kind.forceDelete.rawValue), "record": ["recordName": .string(name)]],
                    zone: zone)
            else { throw error }
            (bare.kind, bare.problem) = (kind, error)
            return bare
        }
    }

    /// - Parameter zone: name of the request's zone; a record may name it too, and no other.
    /// - Throws: `BAD_REQUEST`: the request is malformed as a whole.
    init(_ operation: Value, zone: String) throws(CloudError) {
        let word = try operation.text("operationType")
        guard let kind = Kind(rawValue: word) else { throw .badRequest("there is no operation '\(word)'") }
        guard let record = operation["record"], record.object != nil else {
            throw .badRequest("an operation has no 'record'")
        }
        self.kind = kind
        name = try record.optionalText("recordName")
        type = try record.optionalText("recordType")
        tag = try record.optionalText("recordChangeTag")
        fields = try RecordFields.normalized(record["fields"] ?? .empty, zone: zone, guessed: &guessed)
        parent = try ReferenceWish(record["parent"], "parent", zone: zone)
        share = try ReferenceWish(record["share"], "share", zone: zone)
        wantsGUID = try record.flag("createShortGUID", otherwise: false)
        shareWish = try ShareWish(record)
        try checkNames()
        if let identifier = record["zoneID"], !identifier.isNull, try Zone.name(identifier) != zone {
            throw .badRequest("record '\(name ?? "")' names another zone than the request; send one request a zone")
        }
    }

    static func checkName(_ name: String) throws(CloudError) {
        guard !name.isEmpty, name.utf8.count <= 255, name.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7f }) else {
            throw .badRequest("a record name is 1 to 255 ASCII characters")
        }
    }
    private func checkNames() throws(CloudError) {
        if let name {
            try Self.checkName(name)
        } else if kind != .create {
            throw .badRequest("'\(kind.rawValue)' needs a 'recordName'")
        }
        if type == nil, [.create, .forceUpdate, .forceReplace].contains(kind) {
            throw .badRequest("'\(kind.rawValue)' of '\(name ?? "a new record")' needs a 'recordType'")
        }
        if tag == nil, kind == .update || kind == .replace {
            throw .badRequest("'\(kind.rawValue)' of '\(name ?? "")' needs the 'recordChangeTag' it was made from")
        }
        if let name, parent == .set(name) { throw .badRequest("record '\(name)' cannot be its own parent") }
    }
    /// For types that are not there yet: earlier versions of the service have taken other names too.
    /// - Throws: `BAD_REQUEST` for what is called as no record type may be: the service's own have a prefix, and there is one that
    ///   apps save (cloudkit-framework.md 2).
    static func checkType(_ type: String) throws(CloudError) {
        guard type == ShareRecord.type || RecordFields.isPlainName(type) else {
            throw .badRequest(
                "'\(type)' is no record type: a letter, then letters, digits and '_', 255 at most, all of them ASCII")
        }
    }

    /// Decides against what is stored; changes nothing.
    /// - Parameters:
    ///   - present: the live record of this name.
    ///   - stored: its fields.
    ///   - settings: whether a plain delete compares a tag that is sent.
    /// - Throws: the record's own error.
    func decide(
        present: RecordRow?, stored: Value.Object, _ settings: CloudSettings
    ) throws(CloudError) -> Outcome {
        guard let present else {
            switch kind {
            case .create, .forceUpdate, .forceReplace:
                return .save(type: type ?? "", fields: RecordFields.merged(.init(), fields))
            case .forceDelete: return .nothing
            case .update, .replace, .delete: throw CloudError(.notFound, "there is no record '\(name ?? "")'")
            }
        }
        if kind == .create {
            throw CloudError(settings.existing, "record '\(present.name)' exists; update it with its change tag")
        }
        let compares = kind.comparesTag && (kind != .delete || settings.deleteComparesTag)
        if compares, let tag, tag != present.tag {
            throw CloudError(
                .conflict, "record '\(present.name)' has another change tag than '\(tag)'; fetch it and merge")
        }
        if kind.isDelete { return .remove }
        if let type, type != present.type {
            throw .badRequest("record '\(present.name)' is a '\(present.type)'; the type of a record cannot change")
        }
        return .save(type: present.type, fields: RecordFields.merged(kind.keepsOtherFields ? stored : .init(), fields))
    }
}
