import FleetModel

/// What the pages show of the messages: Docs/local-link.md one table a service, Docs/pad-commands.md one a group of commands.
enum MessagePages {
    static var tables: [(name: String, lines: () -> [String])] {
        LocalMessages.services.map { service in ("link \(service.name)", { link(service.messages) }) }
            + LocalMessages.commandGroups.map { group in ("commands \(group.name)", { commands(group.messages) }) }
            + [
                ("link of every record operation", { members(of: RecordMessages.Common.self) }),
                ("end reasons", { words(EndReason.allCases.map(\.rawValue)) }),
                ("purge reasons", { words(PurgeReason.allCases.map(\.rawValue)) }),
            ]
    }

    private static func link(_ messages: [any LocalMessage.Type]) -> [String] {
        table(
            ["message", "kind", "body", "answer", "note"],
            messages.map { [PageTables.code($0.name), way($0), body($0), answer($0), $0.about] })
    }
    private static func commands(_ messages: [any LocalMessage.Type]) -> [String] {
        table(
            ["command", "body", "answer", "effect"],
            messages.map { [PageTables.code($0.name), body($0), answer($0), $0.about] })
    }
    /// A cell has at most 25 words (Docs/style.md, Pages): what is longer stands under the table.
    private static func table(_ head: [String], _ rows: [[String]]) -> [String] {
        var below: [String] = []
        let short = rows.map { row in
            row.enumerated().map { column, cell in
                guard cell.split(separator: " ").count > 25 else { return cell }
                below.append("- \(row[0]), \(head[column]): \(cell)")
                return "below"
            }
        }
        return PageTables.table(head, short) + (below.isEmpty ? [] : [""] + below)
    }
    private static func members(of group: any FieldGroup.Type) -> [String] {
        PageTables.table(
            ["member", "kind", "meaning"],
            group.members.map { [PageTables.code($0.key), $0.kind + ($0.isOptional ? ", optional" : ""), $0.about] })
    }
    private static func words(_ words: [String]) -> [String] { [words.map(PageTables.code).joined(separator: ", ")] }

    private static func way(_ message: any LocalMessage.Type) -> String {
        switch message.way {
        case .call: "call"
        case .ask: "post, answered"
        case .post: "post, no answer"
        case .question: "Pad -> app, answered"
        case .notice: "Pad -> app, no answer"
        case .command: "command"
        }
    }
    private static func body(_ group: any FieldGroup.Type) -> String {
        group.members.map { member in
            PageTables.code(member.key) + (member.isOptional ? "? " : " ") + member.kind
                + (member.about.isEmpty ? "" : " (\(member.about))")
        }.joined(separator: ", ")
    }
    private static func answer<M: LocalMessage>(_ message: M.Type) -> String {
        M.Answer.self == AppMessages.Returned.self ? "" : body(M.Answer.self)
    }
}
