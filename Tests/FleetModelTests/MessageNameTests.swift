import FleetModel
import Foundation
import Testing

/// Lines of the sources, by file.
private struct SourceLines {
    var file: String
    var lines: [String]

    static func all(of rooms: [String]? = nil) throws -> [SourceLines] {
        let root = ArrowTests.sources
        let folders = rooms.map { $0.map { root.appending(path: $0) } } ?? [root]
        return try folders.flatMap { folder -> [SourceLines] in
            let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
            return try files.compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" }.map { file in
                let text = try String(contentsOf: file, encoding: .utf8)
                let lines = text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
                return SourceLines(
                    file: file.path.replacing(root.path + "/", with: ""), lines: lines.filter { !$0.hasPrefix("//") })
            }
        }
    }
    /// Literals that are one word, as `"kvs.set"`.
    static func words(in line: String) -> [String] {
        line.matches(of: /"([a-zA-Z0-9.\-]+)"/).map { String($0.1) }
    }
}

/// What has a definition is named by it: a literal elsewhere would be a second name, which no compiler compares.
@Suite("Names of messages", .timeLimit(.minutes(20))) struct MessageNameTests {
    private static let definitions = "FleetModel/Messages/"

    private static let messages: Set<String> = Set(
        LocalMessages.all.flatMap(\.messages)
            + LocalMessages.commandGroups.flatMap { $0.messages.map { $0.name } }
            + CloudCommand.allCases.map(\.rawValue) + [DocumentMessages.put])

    /// `"NAME"` in a line, where NAME is a message, a command or a mark.
    private static func offenders(_ source: SourceLines, _ names: Set<String>) -> [String] {
        source.lines.flatMap { line in
            SourceLines.words(in: line).filter(names.contains).map { "\(source.file): \($0)" }
        }
    }

    @Test("Messages and commands: a name is a literal in its definition and nowhere else")
    func messages() throws {
        let sources = try SourceLines.all()
        let elsewhere = sources.filter { !$0.file.hasPrefix(Self.definitions) }
        let offenders = elsewhere.flatMap { Self.offenders($0, Self.messages) }
        #expect(offenders.isEmpty, "name the definition instead: \(offenders)")
        let defined = sources.filter { $0.file.hasPrefix(Self.definitions) }.flatMap {
            $0.lines.flatMap { SourceLines.words(in: $0) }.filter(Self.messages.contains)
        }
        #expect(Set(defined) == Self.messages && defined.count == Self.messages.count)
    }

    /// Some faults are called as the mark that they bring about: those names are of `FaultRegistry` too.
    @Test("Marks: a name is a literal in `Mark` and nowhere else, but for the faults of the same name")
    func marks() throws {
        let faults = try SourceLines.all(of: ["Nemesis/Faults"]).flatMap {
            $0.lines.flatMap { SourceLines.words(in: $0) }
        }
        let names = Set(Mark.allCases.map(\.rawValue)).subtracting(faults).filter { $0.contains("-") }
        #expect(names.count > 25)
        let offenders = try SourceLines.all().filter { !$0.file.hasPrefix(Self.definitions) }.flatMap {
            Self.offenders($0, names)
        }
        #expect(offenders.isEmpty, "use Mark instead: \(offenders)")
    }

    /// Only fewer: a member that has a definition is read and written by it. When this fails because there are fewer, lower the number.
    @Test("PadCore: few members are read by a literal key")
    func subscripts() throws {
        var counts: [(file: String, count: Int)] = []
        for source in try SourceLines.all(of: ["PadCore"]) {
            let count = source.lines.reduce(0) { $0 + $1.matches(of: /\["[A-Za-z$_.]*"\]/).count }
            if count > 0 { counts.append((source.file, count)) }
        }
        let all = counts.reduce(0) { $0 + $1.count }
        let most = counts.sorted { ($1.count, $0.file) < ($0.count, $1.file) }.prefix(10).map {
            "\($0.file) \($0.count)"
        }
        #expect(all == Self.subscriptsMax, "most: \(most)")
    }
    private static let subscriptsMax = 145
}

@Suite("Definitions of messages", .timeLimit(.minutes(20))) struct MessageDefinitionTests {
    private static let all: [any LocalMessage.Type] =
        (LocalMessages.services + LocalMessages.commandGroups).flatMap(\.messages)

    private static func answer<M: LocalMessage>(_ message: M.Type) -> any FieldGroup.Type { M.Answer.self }

    @Test("Names: each once on its link")
    func names() {
        let link = LocalMessages.all.flatMap(\.messages)
        let commands = LocalMessages.commandGroups.flatMap { $0.messages.map { $0.name } }
        #expect(Set(link).count == link.count && Set(commands).count == commands.count)
        #expect(link.count > 90 && commands.count > 50)
        #expect(LocalMessages.commandGroups.allSatisfy { $0.messages.allSatisfy { $0.way == .command } })
    }

    @Test("Keys: each once, in ascending order, so that an object is filled by appending")
    func keys() {
        for group in Self.all.flatMap({ [$0, Self.answer($0)] as [any FieldGroup.Type] }) {
            let keys = group.members.map(\.key)
            #expect(keys == keys.sorted() && Set(keys).count == keys.count, "\(group): \(keys)")
        }
    }

    private static func isStable<G: FieldGroup>(_ group: G.Type) -> Bool {
        let body = G().body
        return G(lenient: body).body == body
    }
    @Test("What a definition writes it reads")
    func same() {
        for group in Self.all.flatMap({ [$0, Self.answer($0)] as [any FieldGroup.Type] }) {
            let isStable = Self.isStable(group)
            #expect(isStable, "\(group)")
        }
    }

    private static let hostile: [Value] = [
        .null, true, 1, -1, 1.5, .double(Double.infinity), .int(Int64.min), "text", .data([0, 255]), [], [.null],
        ["a", 1], .empty,
        ["a": ["b": []]],
    ]
    private static func reads<G: FieldGroup>(_ group: G.Type, _ body: Value) -> Bool {
        _ = G(lenient: body).body
        do { _ = try G(body, of: "it").body } catch { return error.message.hasPrefix("it needs ") }
        return true
    }
    @Test("Hostile bodies: read or refused with what it needs, never a trap")
    func hostile() {
        for message in Self.all {
            for value in Self.hostile {
                let body = Value.object(Value.Object(message.members.map { ($0.key, value) }))
                let isRead = Self.reads(message, value) && Self.reads(message, body)
                #expect(isRead, "\(message.name) with \(value)")
            }
        }
    }

    @Test("A missing member: what it is called, and of which kind")
    func missing() {
        #expect(throws: MalformedMessage(message: "kvs.set needs the text 'key'")) {
            try KeyValueMessages.Set(Message("kvs.set", ["value": 1]))
        }
        #expect(throws: MalformedMessage(message: "docs.container needs a text or null as 'identifier'")) {
            try DocumentMessages.Container(Message("docs.container", ["identifier": 7]))
        }
    }
}
