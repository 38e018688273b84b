import FleetModel
import Storage

/// What an onlooker may know about the iPad: what still waits, and whose payloads lie where.
extension LocalData {
    var pendingBody: Value {
        .array(
            pad.residents.people.flatMap { person in
                (pad.daemons.pending(of: person) + pad.daemons.unheard(of: person)).map { item in
                    [
                        "what": .string(item.what), "waitsFor": .string(item.waitsFor), "person": .string(person),
                        "tokens": .strings(item.tokens), "isForApp": .bool(item.isForApp),
                    ]
                }
            })
    }

    /// What still waits, in words, without a message to the iPad: for a test that asks whether anything is under way.
    var pendingWords: [String] {
        (pendingBody.array ?? []).map { item in
            let words = ["what", "person", "waitsFor"].map { item[$0]?.string ?? "?" }
            return "\(words[0]) of \(words[1]) waits for \(words[2])"
        }
    }

    func listPending(_ command: Command) { reply(["pending": pendingBody], to: command) }

    /// `observed` notes: tokens in queues, and in files that apps of a person can reach.
    func observe(_ command: Command) {
        for person in pad.residents.people {
            for account in pad.accounts.accounts(of: person) {
                observed(pad.daemons.queuedTokens(of: account), account, "padQueue")
            }
            observed(tokensOnDisk(of: person), person, "padDisk")
        }
        done(command)
    }
    private func observed(_ tokens: [Token], _ person: Person, _ place: String) {
        guard !tokens.isEmpty else { return }
        note(Note(.observed, person: person, tokens: tokens, detail: ["where": .string(place)]))
    }
    /// What goes when a person is removed: on the disk or in a queue.
    func allTokens(of person: Person) -> [Token] {
        Set(pad.accounts.accounts(of: person).flatMap(pad.daemons.queuedTokens) + tokensOnDisk(of: person)).sorted()
    }

    private func tokensOnDisk(of person: Person) -> [Token] {
        guard let disk = pad.storage.volume(of: person)?.disk else { return [] }
        var tokens: Set<Token> = []
        for folder in [Pad.containers, Pad.ubiquity] where disk.status(folder) != nil {
            for path in disk.files(under: folder) {
                guard let bytes = try? disk.read(path) else { continue }
                tokens.formUnion(EditPayload.scan(bytes).tokens)
            }
        }
        return tokens.sorted()
    }
}

extension Pad {
    /// What still waits on this iPad, in words; empty when nothing does. Changes nothing, and is no part of a trace.
    package var pending: [String] { storage.localData.pendingWords }
}
