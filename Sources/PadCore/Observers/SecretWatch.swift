import FleetModel

/// What an app itself treats as a secret: what it puts into the keychain, and what it shows to its backend as a credential. Where the same
/// bytes turn up in a file, a key-value store or a record, they lie where others may come by them (S16, S97). For `HabitLint` only.
struct SecretWatch {
    private struct Owner: Hashable {
        var person: Person
        var app: AppName
    }
    private var secrets: [Owner: Set<[UInt8]>] = [:]
    /// ASSUMED: what is shorter is found by chance.
    private static let shortest = 8
    /// Parts of the names of headers that carry a credential. ASSUMED: the customs of the web.
    private static let words = ["authorization", "credential", "token", "password", "secret", "api-key"]

    /// Reads an app's message.
    mutating func learn(_ message: Message, of app: AppIdentity) {
        switch message.name {
        case KeychainMessages.Add.name, KeychainMessages.Update.name:
            if let data = FileMessages.Whichever(lenient: message.body).data { add(data, app) }
        case TransferMessages.Send.name, TransferMessages.Upload.name, TransferMessages.Download.name:
            for pair in TransferMessages.Send(lenient: message.body).headers?.object?.pairs ?? [] {
                let name = pair.key.lowercased()
                guard Self.words.contains(where: { Self.holds(Array(name.utf8), Array($0.utf8)) }) else { continue }
                // `Bearer abc`: the word before it is none.
                if let last = pair.value.string?.split(separator: " ").last { add(Array(last.utf8), app) }
            }
        default: break
        }
    }
    private mutating func add(_ secret: [UInt8], _ app: AppIdentity) {
        guard secret.count >= Self.shortest else { return }
        secrets[Owner(person: app.person, app: app.app), default: []].insert(secret)
    }

    func knowsAny(of app: AppIdentity) -> Bool { secrets[Owner(person: app.person, app: app.app)] != nil }
    /// Whether bytes hold a secret of the app.
    func isTold(by bytes: [UInt8], _ app: AppIdentity) -> Bool {
        secrets[Owner(person: app.person, app: app.app)]?.contains { Self.holds(bytes, $0) } ?? false
    }
    /// Whether a text or bytes anywhere in a value hold a secret of the app.
    func isTold(by value: Value, _ app: AppIdentity) -> Bool {
        switch value {
        case .string(let text): isTold(by: Array(text.utf8), app)
        case .data(let bytes): isTold(by: bytes, app)
        case .array(let values): values.contains { isTold(by: $0, app) }
        case .object(let object): object.pairs.contains { isTold(by: $0.value, app) }
        default: false
        }
    }

    private static func holds(_ bytes: [UInt8], _ part: [UInt8]) -> Bool {
        guard let first = part.first, bytes.count >= part.count else { return false }
        for start in 0...(bytes.count - part.count) where bytes[start] == first {
            if bytes[start..<(start + part.count)].elementsEqual(part) { return true }
        }
        return false
    }
}
