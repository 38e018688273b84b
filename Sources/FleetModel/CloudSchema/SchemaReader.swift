/// Reads CloudKit's schema language. Words of the language may be written in any case; names keep theirs.
///
/// Source: Apple, "Integrating a Text-Based Schema into Your Workflow". What is not said there is refused, so that nobody believes in a
/// line that means nothing. ASSUMED: comments are `//`, `--` and `/* */`.
struct SchemaReader {
    private let tokens: [SchemaToken]
    private var at = 0
    private var token: SchemaToken { tokens[at] }

    private init(_ text: String) throws(SchemaError) { tokens = try SchemaToken.all(in: text) }

    static func read(_ text: String) throws(SchemaError) -> CloudSchema {
        var reader = try SchemaReader(text)
        return try reader.schema()
    }

    private mutating func schema() throws(SchemaError) -> CloudSchema {
        try require("DEFINE")
        try require("SCHEMA")
        var schema = CloudSchema()
        while token.kind != .end {
            if takes("CREATE") {
                try require("ROLE")
                schema.roles.append(try name("the name of a role"))
            } else if takes("RECORD") {
                try require("TYPE")
                let place = token
                let type = try recordType()
                guard schema.type(type.name) == nil else {
                    throw wrong("the record type '\(type.name)' is defined twice", at: place)
                }
                schema.types.append(type)
            } else {
                throw wrong("\(token.words) begins no statement: write RECORD TYPE or CREATE ROLE", at: token)
            }
            try require(";")
        }
        return schema
    }

    private mutating func recordType() throws(SchemaError) -> CloudSchema.RecordType {
        var type = CloudSchema.RecordType(try name("the name of a record type"))
        try require("(")
        // A type without fields of its own, which somebody may save all the same.
        if takes(")") { return type }
        repeat {
            if takes("GRANT") {
                type.grants.append(try grant())
                continue
            }
            let place = token
            let field = try field()
            guard type.field(field.name) == nil else {
                throw wrong("the field '\(field.name)' of '\(type.name)' is defined twice", at: place)
            }
            type.fields.append(field)
        } while takes(",")
        try require(")")
        return type
    }

    private mutating func field() throws(SchemaError) -> CloudSchema.Field {
        let name = try name("the name of a field, or GRANT")
        var field = CloudSchema.Field(name, try type())
        let place = token
        while token.kind == .word, let index = CloudSchema.Index(rawValue: token.text.uppercased()) {
            field.indexes.insert(index)
            step()
        }
        if field.type.isEncrypted, !field.indexes.isEmpty {
            throw wrong("the encrypted field '\(name)' can have no index: nobody but its writer can read it", at: place)
        }
        return field
    }

    private mutating func type() throws(SchemaError) -> CloudSchema.FieldType {
        let isEncrypted = takes("ENCRYPTED")
        if takes("LIST") {
            try require("<")
            let member = try primitive()
            try require(">")
            return CloudSchema.FieldType(member, isList: true, isEncrypted: isEncrypted)
        }
        return CloudSchema.FieldType(try primitive(), isEncrypted: isEncrypted)
    }
    private mutating func primitive() throws(SchemaError) -> String {
        let name = token.text.uppercased()
        guard token.kind == .word, CloudSchema.FieldType.names.contains(name) else {
            let known = CloudSchema.FieldType.names.joined(separator: ", ")
            throw wrong("\(token.words) is no type of a field: use \(known), or LIST<...>", at: token)
        }
        step()
        if name == "NUMBER", takes("PREFERRED") {
            try require("AS")
            return try primitive()
        }
        return name
    }

    private mutating func grant() throws(SchemaError) -> CloudSchema.Grant {
        var rights: [String] = []
        repeat {
            let right = token.text.uppercased()
            guard token.kind == .word, CloudSchema.Grant.rights.contains(right) else {
                throw wrong("\(token.words) cannot be granted: use READ, CREATE or WRITE", at: token)
            }
            rights.append(right)
            step()
        } while takes(",")
        try require("TO")
        return CloudSchema.Grant(rights, to: try name("the name of a role"))
    }

    // MARK: Tokens

    /// The last token is the end, which stays.
    private mutating func step() { at = min(at + 1, tokens.count - 1) }
    private func wrong(_ message: String, at token: SchemaToken) -> SchemaError {
        SchemaError(line: token.line, column: token.column, message: message)
    }
    private mutating func takes(_ text: String) -> Bool {
        let isThere =
            token.kind == .symbol && token.text == text || token.kind == .word && token.text.uppercased() == text
        if isThere { step() }
        return isThere
    }
    private mutating func require(_ text: String) throws(SchemaError) {
        let found = token
        guard takes(text) else { throw wrong("expected '\(text)', not \(found.words)", at: found) }
    }
    private mutating func name(_ what: String) throws(SchemaError) -> String {
        let found = token
        guard found.kind == .word || found.kind == .quoted, !found.text.isEmpty else {
            throw wrong("expected \(what), not \(found.words)", at: found)
        }
        step()
        return found.text
    }
}

extension CloudSchema {
    /// - Throws: with line and column of the first thing that cannot be read.
    public init(text: String) throws(SchemaError) { self = try SchemaReader.read(text) }
}
