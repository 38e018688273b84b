import FleetModel
import Testing

private let school = """
    DEFINE SCHEMA // of the school

        CREATE ROLE teacher;

        RECORD TYPE Note (
            "___recordID" REFERENCE QUERYABLE, -- for queries of everything
            title STRING QUERYABLE SORTABLE SEARCHABLE,
            lines LIST<STRING>,
            secret ENCRYPTED STRING,
            photo ASSET,
            rank number preferred as int64 SORTABLE,
            GRANT WRITE TO "_creator",
            GRANT READ, CREATE TO "_icloud",
            GRANT READ, CREATE, WRITE TO teacher
        );
        /* Nothing in it yet. */
        record type Class ( name STRING );
    """

@Suite("CloudKit's schema language", .timeLimit(.minutes(20))) struct CloudSchemaTests {
    @Test("Schema: read in the words and cases that people write, and written so that it reads back the same")
    func roundTrip() throws {
        let schema = try CloudSchema(text: school)
        #expect(schema.roles == ["teacher"] && schema.types.map(\.name) == ["Note", "Class"])
        let note = try #require(schema.type("Note"))
        #expect(note.field("title")?.indexes == [.queryable, .sortable, .searchable])
        #expect(note.field("lines")?.type.wire == "STRING_LIST" && note.field("photo")?.type.wire == "ASSETID")
        #expect(note.field("secret")?.type == .init("STRING", isEncrypted: true))
        #expect(note.field("rank") == .init("rank", .init("INT64"), [.sortable]))
        #expect(note.grants.last == .init(["READ", "CREATE", "WRITE"], to: "teacher"))
        #expect(try CloudSchema(text: schema.text) == schema)
        #expect(schema.text.contains(#""___recordID" REFERENCE QUERYABLE"#))
        let odd = CloudSchema(
            types: [.init("Empty"), .init("My Type", [.init("my field", .init("STRING"))])], roles: ["_own"])
        #expect(try CloudSchema(text: odd.text) == odd)
    }

    @Test(
        "Schema: what cannot be read is told with its place and what to write",
        arguments: [
            ("", "1:1: expected 'DEFINE', not the end of the file"),
            ("DEFINE SCHEMA RECORD TYPE Note ( a STRING )", "1:44: expected ';', not the end of the file"),
            ("DEFINE SCHEMA\nRECORD TYPE Note ( a TEXT );", "2:22: 'TEXT' is no type of a field"),
            ("DEFINE SCHEMA RECORD TYPE N ( a STRING, a INT64 );", "1:41: the field 'a' of 'N' is defined twice"),
            ("DEFINE SCHEMA RECORD TYPE N ( a STRING ); RECORD TYPE N ( a STRING );", "'N' is defined twice"),
            ("DEFINE SCHEMA RECORD TYPE N ( a ENCRYPTED STRING QUERYABLE );", "can have no index"),
            ("DEFINE SCHEMA RECORD TYPE N ( GRANT DELETE TO x );", "'DELETE' cannot be granted"),
            ("DEFINE SCHEMA TABLE N;", "1:15: 'TABLE' begins no statement"),
            ("DEFINE SCHEMA RECORD TYPE N ( \"a STRING );", "1:31: this name has no closing quotation mark"),
            ("DEFINE SCHEMA /* never ends", "1:15: this comment has no end"),
            ("DEFINE SCHEMA RECORD TYPE N ( a.b STRING );", "1:32: '.' has no place here"),
            ("DEFINE SCHEMA RECORD TYPE N ( l LIST<LIST<STRING>> );", "'LIST' is no type of a field"),
        ])
    func unreadable(text: String, message: String) {
        do {
            _ = try CloudSchema(text: text)
            Issue.record("read: \(text)")
        } catch { #expect(error.description.contains(message), "\(error)") }
    }

    @Test("Schema: any cut of it is read or refused, and ends")
    func cuts() {
        for length in 0..<school.count { _ = try? CloudSchema(text: String(school.prefix(length))) }
        #expect((try? CloudSchema(text: String(school.prefix(40)))) == nil)
    }

    @Test("Difference: what is added, and what production never takes")
    func differences() throws {
        let old = try CloudSchema(
            text: "DEFINE SCHEMA RECORD TYPE A ( x STRING QUERYABLE, y INT64 ); RECORD TYPE B ( z STRING );")
        let new = try CloudSchema(
            text: "DEFINE SCHEMA RECORD TYPE A ( x STRING SORTABLE, y DOUBLE, w BYTES ); RECORD TYPE C ( z STRING );")
        #expect(old.differences(to: old).isEmpty)
        #expect(
            old.differences(to: new) == [
                .init("A.x becomes SORTABLE", isAdditive: true), .init("A.x is no longer QUERYABLE", isAdditive: false),
                .init("A.y was INT64 and is DOUBLE", isAdditive: false), .init("new field A.w BYTES", isAdditive: true),
                .init("new type C", isAdditive: true), .init("type B is gone", isAdditive: false),
            ])
    }

    @Test("Needs: the lines to deploy are whole fields, and a type that can never fit is said to be one")
    func lines() throws {
        let schema = try CloudSchema(text: school)
        let needs = [
            SchemaNeed(type: "Note", field: "title", index: .queryable, use: "x"),
            SchemaNeed(type: "Note", field: "photo", index: .queryable, use: "x"),
            SchemaNeed(type: "Note", field: "rank", fieldType: .init("STRING"), use: "x"),
            SchemaNeed(type: "Note", field: "due", fieldType: .init(wire: "TIMESTAMP_LIST"), use: "x"),
            SchemaNeed(type: "Desk", use: "x"), SchemaNeed(type: "Seat", use: "x"),
            SchemaNeed(type: "Seat", field: "row", fieldType: .init("INT64"), use: "x"),
            SchemaNeed(type: "Seat", field: "row", index: .sortable, use: "x"),
        ]
        #expect(
            schema.lines(for: needs) == [
                "RECORD TYPE Note ( photo ASSET QUERYABLE )",
                "no line helps: Note.rank is INT64 in production and saved as STRING, and a field never changes its type; use a new field",
                "RECORD TYPE Note ( due LIST<TIMESTAMP> )", "RECORD TYPE Desk ( )",
                "RECORD TYPE Seat ( row INT64 SORTABLE )",
            ])
        #expect(schema.lines(for: schema.needs) == [])
        for line in schema.lines(for: needs) where line.hasPrefix("RECORD") {
            #expect(throws: Never.self, "\(line)") { try CloudSchema(text: "DEFINE SCHEMA \(line);") }
        }
        let number = try CloudSchema(text: "DEFINE SCHEMA RECORD TYPE N ( a NUMBER );")
        let wanted = [
            SchemaNeed(type: "N", field: "a", fieldType: .init("DOUBLE"), use: "x"),
            SchemaNeed(type: "N", field: "a", index: .sortable, use: "x"),
        ]
        #expect(number.lines(for: wanted) == ["RECORD TYPE N ( a NUMBER SORTABLE )"])
        let written = CloudSchema(needs: needs)
        #expect(written.lines(for: written.needs) == [] && written.type("Desk") != nil)
    }
}
