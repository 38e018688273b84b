/// All messages of the local link, in the order of the pages: Docs/local-link.md and Docs/app-protocol.md.
public enum LocalMessages {
    public typealias Way = MessageWay

    /// The messages of one service.
    public struct Service: Sendable {
        /// As pages call it.
        public var name: String
        public var messages: [any LocalMessage.Type]
    }
    public static let services: [Service] = [
        Service(name: "life cycle", messages: AppMessages.all),
        Service(name: "person's hand", messages: HandMessages.all),
        Service(name: "files", messages: FileMessages.all),
        Service(name: "key-value store", messages: KeyValueMessages.all),
        Service(name: "identity", messages: IdentityMessages.all),
        Service(name: "records", messages: RecordMessages.all),
        Service(name: "documents", messages: DocumentMessages.all),
        Service(name: "transfers", messages: TransferMessages.all),
        Service(name: "keychain", messages: KeychainMessages.all),
    ]
    /// Commands to an iPad, in the groups of their page (Docs/pad-commands.md).
    public static let commandGroups: [Service] = [
        Service(name: "people", messages: PadCommand.ofPeople), Service(name: "apps", messages: PadCommand.ofApps),
        Service(name: "device", messages: PadCommand.ofDevice),
        Service(name: "accounts", messages: PadCommand.ofAccounts),
        Service(name: "storage", messages: PadCommand.ofStorage), Service(name: "iPad", messages: PadCommand.ofPad),
    ]

    /// The messages of one service that travel in one way.
    public struct Group: Hashable, Sendable {
        /// The subject, as Docs/local-link.md has it: `files`, `keychain`.
        public var name: String
        /// How all of them travel.
        public var way: Way
        /// Names, each in one group only.
        public var messages: [String]
    }
    /// Every message of the local link, by subject and way.
    public static let all: [Group] = services.flatMap { service in
        var groups: [Group] = []
        for message in service.messages {
            if let index = groups.firstIndex(where: { $0.way == message.way }) {
                groups[index].messages.append(message.name)
            } else {
                groups.append(Group(name: service.name, way: message.way, messages: [message.name]))
            }
        }
        return groups
    }

    /// How a message travels; nil: there is none of that name.
    public static func way(of name: String) -> Way? { ways[name] }
    private static let ways: [String: Way] = Dictionary(
        all.flatMap { group in group.messages.map { ($0, group.way) } }, uniquingKeysWith: { first, _ in first })
}

/// What apps ask their iPad over the local link: names of calls and posts from an app, in ascending order.
public enum LocalCalls {
    public static let names = asked.map { $0.name }.sorted()
    /// Those that change what will survive: the moments at which an end is most telling. A swarm draws from them.
    public static let durable = asked.filter { $0.isDurable }.map { $0.name }.sorted()

    private static var asked: [any LocalMessage.Type] {
        LocalMessages.services.flatMap(\.messages).filter { [.call, .ask, .post].contains($0.way) }
    }
}
