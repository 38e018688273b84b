import FleetModel
import Testing

@testable import ProgramApps

@Suite("Declarations of programs", .timeLimit(.minutes(20))) struct DeclarationTests {
    private static let whole = """
        {"name": "notes", "command": ["python3", "-S", "notes.py"], "bundle": "com.example.notes", "channel": "record",
         "actions": [{"name": "write", "kind": "note", "verb": "put", "prefix": "note", "pool": 4}],
         "promises": {"note": "keepsAll"}, "infoPlist": {"NSSupportsPurgeableLocalStorage": true}}
        """

    @Test("A whole one: manifest, command, folder and what messages call it")
    func whole() throws {
        let program = try AppProgram(json: Self.whole, file: "apps/notes.json")
        #expect(program.folder == "apps")
        #expect(program.command == ["python3", "-S", "notes.py"])
        #expect(program.title == "notes.py")
        #expect(program.manifest.name == "notes" && program.manifest.bundleID == "com.example.notes")
        #expect(program.manifest.isPurgeable)
        #expect(program.manifest.infoPlist["CFBundleIdentifier"] == "com.example.notes")
        #expect(program.manifest.actions == [.init("write", kind: "note", verb: .put, pool: 4, prefix: "note")])
        #expect(try AppProgram(json: Self.whole, file: "notes.json").folder == ".")
        #expect(try AppProgram(json: Self.whole, file: "/notes.json").folder == "/")
    }

    @Test(
        "What is wrong is named with its file, and what would be right",
        arguments: [
            ("\"name\": \"notes\"", "\"name\": \"My Notes\"", "'My Notes' is not a name"),
            ("\"name\": \"notes\", ", "", "'name' is missing: what scenarios call the app"),
            ("\"channel\": \"record\"", "\"channel\": \"records\"", "'channel' has to be one of record, keyValue"),
            ("[\"python3\", \"-S\", \"notes.py\"]", "[]", "'command' has to be a list of texts"),
            ("[\"python3\", \"-S\", \"notes.py\"]", "[\"python3\", 3]", "'command' has to be a list of texts"),
            ("[\"python3\", \"-S\", \"notes.py\"]", "\"notes.py\"", "'command' has to be a list"),
            ("\"com.example.notes\"", "\"\"", "'bundle' is empty"),
            ("\"keepsAll\"", "\"keepAll\"", "'promises.note' has to be one of keepsAll"),
            ("\"verb\": \"put\"", "\"verb\": \"write\"", "'actions[1].verb' has to be one of put, delete, effect"),
            ("\"kind\": \"note\"", "\"kind\": \"card\"", "actions[1]: nothing is promised for the kind 'card'"),
            ("\"infoPlist\"", "\"infoplist\"", "there is no member 'infoplist'"),
            ("{\"name\": \"notes\"", "{\"name\" \"notes\"", "is no JSON"),
        ])
    func wrong(_ right: String, _ wrong: String, message: String) {
        let text = Self.whole.replacing(right, with: wrong)
        #expect(text != Self.whole)
        let problem = #expect(throws: ProgramProblem.self) { try AppProgram(json: text, file: "apps/notes.json") }
        #expect(problem?.message.hasPrefix("apps/notes.json: ") == true, "\(problem?.message ?? "")")
        #expect(problem?.message.contains(message) == true, "\(problem?.message ?? "")")
    }
}
