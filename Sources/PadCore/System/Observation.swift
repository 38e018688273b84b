import FleetModel
import Storage

/// What an onlooker may know about the iPad: what still waits, and whose payloads lie where.
extension Pad {
    var pendingBody: Value {
        .array(
            people.flatMap { person in
                pending(of: person).map { item in
                    [
                        "what": .string(item.what), "waitsFor": .string(item.waitsFor), "person": .string(person),
                        "tokens": .strings(item.tokens), "isForApp": .bool(item.isForApp),
                    ]
                }
            })
    }

    /// `observed` notes: tokens in queues, and in files that apps of a person can reach.
    func observe(_ command: Command) {
        for person in people {
            for account in accounts(of: person) { observed(queuedTokens(of: account), account, "padQueue") }
            observed(tokensOnDisk(of: person), person, "padDisk")
        }
        done(command)
    }
    private func observed(_ tokens: [Token], _ person: Person, _ place: String) {
        guard !tokens.isEmpty else { return }
        note(Note(.observed, person: person, tokens: tokens, detail: ["where": .string(place)]))
    }

    private func queuedTokens(of person: Person) -> [Token] {
        var queued: [Token] = []
        for daemon in daemons {
            for token in daemon.queuedTokens(of: person) where !queued.contains(token) { queued.append(token) }
        }
        return queued
    }
    /// What goes when a person is removed: on the disk or in a queue.
    func allTokens(of person: Person) -> [Token] {
        Set(accounts(of: person).flatMap(queuedTokens) + tokensOnDisk(of: person)).sorted()
    }

    private func tokensOnDisk(of person: Person) -> [Token] {
        guard let disk = volume(of: person)?.disk else { return [] }
        var tokens: Set<Token> = []
        for folder in [Self.containers, Self.ubiquity] where disk.status(folder) != nil {
            for path in disk.files(under: folder) {
                guard let bytes = try? disk.read(path) else { continue }
                tokens.formUnion(EditPayload.scan(bytes).tokens)
            }
        }
        return tokens.sorted()
    }
}
