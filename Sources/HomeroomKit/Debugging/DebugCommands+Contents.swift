import FleetModel
import Run

/// Disks and tables; branches.
extension DebugCommands {
    static var contents: [Entry] {
        [
            Entry(
                name: "files", form: "files ipad-1 [VOLUME [FOLDER]]",
                help: "files of an iPad (or 'files cloud'): bytes, time, what a power cut may undo, which are databases"
            ) { session, words in
                guard let first = words.first, words.count <= 3 else {
                    throw DebugProblem("say where, as 'files ipad-1 maya'")
                }
                var with = Value.empty
                if words.count > 1 { with["volume"] = .string(words[1]) }
                if words.count > 2 { with["under"] = .string(words[2]) }
                return try ask(session, try holder(first), "files", with)
            },
            Entry(name: "file", form: "file ipad-1 VOLUME PATH [BYTES]", help: "what is in a file") { session, words in
                let (id, with, rest) = try target(words, "file ipad-1 maya /var/mobile/...")
                guard rest.count <= 1 else { throw DebugProblem("a path with blanks stands between quotation marks") }
                var question = with
                question["most"] = try rest.first.map { word -> Value in
                    guard let bytes = Int(word), (1...(1 << 24)).contains(bytes) else {
                        throw DebugProblem("'\(word)' is no number of bytes from 1 to 16777216")
                    }
                    return .int(bytes)
                }
                return try ask(session, id, "file", question)
            },
            Entry(
                name: "tables", form: "tables ipad-1 VOLUME PATH",
                help: "tables of a database ('tables cloud'), with their rows"
            ) {
                session, words in
                let (id, with, rest) = try target(words, "tables ipad-1 maya /var/mobile/daemons.sqlite")
                guard rest.isEmpty else { throw DebugProblem("a path with blanks stands between quotation marks") }
                return try ask(session, id, "tables", with)
            },
            Entry(
                name: "sql", form: "sql ipad-1 VOLUME PATH \"SELECT ...\"",
                help: "any statement on a copy of a database ('sql cloud \"SELECT ...\"'); it changes nothing"
            ) { session, words in
                let (id, with, rest) = try target(words, "sql ipad-1 maya /var/mobile/daemons.sqlite \"SELECT ...\"")
                guard !rest.isEmpty else { throw DebugProblem("the statement is missing") }
                var question = with
                question["sql"] = .string(rest.joined(separator: " "))
                // It may never end.
                return try session.lookAside(
                    "participant", ["id": .string(id.description), "question": "sql", "with": question])
            },
            Entry(
                name: "cloud", form: "cloud [VIEW]",
                help: "iCloud: accounts and zones; or records, entries, documents, uploads, subscriptions, sessions"
            ) { session, words in
                guard words.count <= 1 else { throw DebugProblem("say one view, as 'cloud records'") }
                guard let view = words.first else { return try ask(session, .cloud, "state") }
                return try ask(session, .cloud, "view", ["name": .string(view), "most": 500])
            },
        ]
    }
    private static func holder(_ word: String) throws(DebugProblem) -> ParticipantID {
        if word == "cloud" { return .cloud }
        return .pad(try pad(word))
    }
    /// Whose database or file a command means, and what is left of its words.
    private static func target(_ words: [String], _ example: String) throws(DebugProblem) -> (
        ParticipantID, Value, [String]
    ) {
        guard let first = words.first else { throw DebugProblem("say which, as '\(example)'") }
        let id = try holder(first)
        if id == .cloud { return (id, .empty, Array(words.dropFirst())) }
        guard words.count >= 3 else { throw DebugProblem("say which, as '\(example)'") }
        return (id, ["volume": .string(words[1]), "path": .string(words[2])], Array(words.dropFirst(3)))
    }

    static var ways: [Entry] {
        [
            Entry(
                name: "branch", form: "branch CHANGE",
                help: "goes on with one thing done otherwise, and compares: "
                    + DebugEngine.changes.joined(separator: ", ")
            ) { session, words in
                guard !words.isEmpty else {
                    throw DebugProblem("say what changes: " + DebugEngine.changes.joined(separator: ", "))
                }
                let branch = try session.branch(words)
                return try comparison(of: branch, with: session.lines[0])
            },
            Entry(name: "branches", form: "branches", help: "all lines; the present one is marked") { session, _ in
                .array(
                    session.lines.map { line in
                        [
                            "line": .string(line.name), "here": .bool(line === session.line),
                            "from": .string("turn \(line.index.first)"),
                            "turns": .int(line.index.last - line.index.first),
                            "change": .string(line.change.joined(separator: " ")),
                        ]
                    })
            },
            Entry(name: "use", form: "use original", help: "stands on another line: 'use 1' or 'use original'") {
                session, words in
                guard let word = words.first, words.count == 1 else {
                    throw DebugProblem("say which, as 'use original'")
                }
                try session.use(word)
                return session.place
            },
            Entry(name: "forget", form: "forget 1", help: "ends a branch") { session, words in
                guard let word = words.first, words.count == 1 else { throw DebugProblem("say which, as 'forget 1'") }
                try session.forget(word)
                return session.place
            },
            Entry(
                name: "compare", form: "compare",
                help: "the present branch with the original: verdicts, edits, first difference"
            ) {
                session, _ in try comparison(of: session.line, with: session.lines[0])
            },
            Entry(name: "verdict", form: "verdict", help: "what the checkers say of the whole of the present line") {
                session, _ in
                try session.line.verdict()
            },
            Entry(name: "help", short: ["h", "?"], form: "help", help: "this list") { _, _ in
                .array(all.map { ["command": .string($0.form), "does": .string($0.help)] })
            },
        ]
    }

    private static func comparison(of branch: DebugLine, with original: DebugLine) throws -> Value {
        let (old, new) = (try original.verdict(), try branch.verdict())
        var body: Value = [
            "line": .string(branch.name), "change": .string(branch.change.joined(separator: " ")),
            "verdict": new["verdict"] ?? .null, "originalVerdict": old["verdict"] ?? .null,
            "findings": new["findings"] ?? [],
        ]
        let tokens = Set((old["fates"]?.object?.keys ?? []) + (new["fates"]?.object?.keys ?? [])).sorted()
        body["edits"] = .array(
            tokens.compactMap { token in
                let (before, after) = (old["fates"]?[token], new["fates"]?[token])
                guard before != after else { return nil }
                let none: Value = "not tried"
                return ["edit": .string(token), "original": before ?? none, "branch": after ?? none]
            })
        body["firstDifference"] = branch.difference
        body["obstacle"] = new["obstacle"]
        return body
    }
}
