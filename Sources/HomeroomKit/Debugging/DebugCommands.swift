import FleetModel
import Run

/// The commands of the debugger: each a line of words, for people and programs alike. Docs/debug.md has them all.
enum DebugCommands {
    struct Entry {
        var name: String
        /// Other names.
        var short: [String] = []
        var form: String
        var help: String
        var run: (DebugSession, [String]) throws -> Value
    }

    /// - Returns: nil for a line without words.
    /// - Throws: `DebugProblem`, after which everything is as it was.
    static func run(_ line: String, in session: DebugSession) throws -> (name: String, result: Value)? {
        let words = try DebugWords.split(line)
        guard let first = words.first else { return nil }
        guard let entry = all.first(where: { $0.name == first || $0.short.contains(first) }) else {
            throw DebugProblem("there is no command '\(first)'; 'help' lists them")
        }
        return (entry.name, try entry.run(session, Array(words.dropFirst())))
    }

    static var all: [Entry] { moves + places + contents + ways }

    // MARK: Moving

    private static var moves: [Entry] {
        [
            Entry(name: "where", short: ["w"], form: "where", help: "where you stand, and what has just happened") {
                session, _ in
                try session.look("place")
            },
            Entry(
                name: "goto", short: ["g"], form: "goto MOMENT",
                help: "to 08:03:40.5, 3m40s, +5s, -5s, #1234 (a message), line 1234, turn 12, start or end"
            ) { session, words in
                try session.go(to: try DebugMoment.turn(words, from: session.now, in: session.line.index))
            },
            Entry(name: "next", short: ["n"], form: "next", help: "one turn on: the next thing that happens") {
                session, _ in
                try session.go(to: session.turn + 1)
            },
            Entry(name: "back", short: ["b"], form: "back [N]", help: "one turn back, or N") { session, words in
                try session.go(to: session.turn - (try number(words, standard: 1)))
            },
            Entry(name: "step", short: ["s"], form: "step N", help: "N turns on") { session, words in
                try session.go(to: session.turn + (try number(words, standard: 1)))
            },
            Entry(
                name: "continue", short: ["c"], form: "continue [back]",
                help: "on to the next break or the end; or back to the last one"
            ) { session, words in
                guard let word = words.first else { return try session.goOn() }
                guard word == "back", words.count == 1 else {
                    throw DebugProblem("it is 'continue' or 'continue back'")
                }
                return try session.goBack()
            },
            Entry(
                name: "break", form: "break ...",
                help:
                    "mark NAME, edit maya.3 [KIND], note KIND [PLACE], message TEXT [PLACE], fault ID, at TIME, when PLACE PATH OP VALUE"
            ) { session, words in
                session.add(try DebugBreak(words))
                return breaks(session)
            },
            Entry(name: "breaks", form: "breaks", help: "the breaks, with their numbers") { session, _ in
                breaks(session)
            },
            Entry(name: "delete", form: "delete N", help: "removes a break") { session, words in
                guard let number = words.first.flatMap({ Int($0) }) else { throw DebugProblem("say which: 'delete 1'") }
                try session.removeBreak(number)
                return breaks(session)
            },
        ]
    }
    private static func breaks(_ session: DebugSession) -> Value {
        .array(session.breaks.enumerated().map { ["number": .int($0 + 1), "break": .string($1.text)] })
    }
    private static func number(_ words: [String], standard: Int) throws(DebugProblem) -> Int {
        guard let word = words.first else { return standard }
        guard words.count == 1, let number = Int(word), (1...1_000_000_000).contains(number) else {
            throw DebugProblem("'\(words.joined(separator: " "))' is no number of turns from 1")
        }
        return number
    }

    // MARK: Who and where

    private static var places: [Entry] {
        [
            Entry(name: "people", form: "people", help: "everybody: what they do, and what they wait for") {
                session, _ in
                try session.look("people")
            },
            Entry(name: "who", form: "who PERSON", help: "one person: sessions, next step, edits") { session, words in
                try session.look("person", ["name": .string(try one(words, "a person, as 'who maya'"))])
            },
            Entry(
                name: "screen", form: "screen ipad-1",
                help: "what the person sees there: the app in front is asked, in a process aside"
            ) { session, words in
                try session.lookAside("screen", ["pad": .int(try pad(try one(words, "an iPad, as 'screen ipad-1'")))])
            },
            Entry(
                name: "pad", form: "pad ipad-1 [PART]",
                help: "an iPad: session, apps, requests, timers, queue, residents, volumes; or one of these parts"
            ) { session, words in
                guard let first = words.first, words.count <= 2 else {
                    throw DebugProblem("say which, as 'pad ipad-1'")
                }
                let state = try ask(session, .pad(try pad(first)), "state")
                guard let part = words.dropFirst().first else { return state }
                guard let value = state[part] else {
                    throw DebugProblem(
                        "an iPad has no '\(part)'; it has \((state.object?.keys ?? []).joined(separator: ", "))")
                }
                return value
            },
            Entry(
                name: "app", form: "app NAME ipad-1",
                help: "an app's launches: state, callbacks, what its loop waits for"
            ) {
                session, words in
                guard words.count == 2 else { throw DebugProblem("say which and where, as 'app notebook ipad-1'") }
                return try session.look("app", ["name": .string(words[0]), "pad": .int(try pad(words[1]))])
            },
            Entry(name: "living", form: "living", help: "all participants that are alive") { session, _ in
                try session.look("living")
            },
            Entry(
                name: "messages", short: ["m"], form: "messages",
                help: "messages under way, with the numbers that 'branch drop' takes"
            ) {
                session, _ in try session.look("messages")
            },
            Entry(name: "timers", form: "timers", help: "who waits for what: timers, faults and boots to come") {
                session, _ in
                try session.look("timers")
            },
            Entry(name: "faults", form: "faults", help: "all faults, and which are at work") { session, _ in
                try session.look("faults")
            },
            Entry(name: "edit", form: "edit maya.3", help: "the story of an edit until now") { session, words in
                try session.look("edit", ["token": .string(try one(words, "an edit, as 'edit maya.3'"))])
            },
            Entry(name: "edits", form: "edits [PERSON]", help: "how far each edit has come") { session, words in
                try session.look("edits", words.isEmpty ? .empty : ["person": .string(try one(words, "a person"))])
            },
            Entry(name: "notes", form: "notes [N]", help: "the last N lines of the history (20)") { session, words in
                try session.look("notes", ["most": .int(try number(words, standard: 20))])
            },
        ]
    }
    private static func one(_ words: [String], _ what: String) throws(DebugProblem) -> String {
        guard words.count == 1 else { throw DebugProblem("say \(what)") }
        return words[0]
    }
    static func pad(_ word: String) throws(DebugProblem) -> Int {
        guard case .pad(let pad)? = ParticipantID(word) else { throw DebugProblem("'\(word)' is no iPad: use ipad-1") }
        return pad
    }
    static func ask(_ session: DebugSession, _ id: ParticipantID, _ question: String, _ with: Value = .empty) throws
        -> Value
    {
        try session.look(
            "participant", ["id": .string(id.description), "question": .string(question), "with": with])
    }
}
