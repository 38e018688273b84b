import FleetModel

/// When an edit first reaches an app: noted for who measures how long edits are on their way. Only with `notesArrivals` in the iPad's
/// specification; nothing else depends on it.
///
/// Not seen: what an app is handed compressed or encrypted, and whether it then shows it.
extension Pad {
    /// Looks into what leaves the iPad for an app, be it told or answered.
    func noteArrivals(in output: Output) {
        guard spec.notesArrivals, case .app(_, let launch) = output.to, let message = output.payload.told else {
            return
        }
        let tokens = EditPayload.scan(message.body).tokens.filter { runs[launch]?.handed.insert($0) == true }
        // What its person has it do is made here and now.
        guard !tokens.isEmpty, message.name != "ui.perform", let app = runs[launch]?.identity else { return }
        note(Note(.arrived, person: app.person, app: app.app, tokens: tokens, detail: ["launch": .int(launch)]))
    }
}

extension Payload {
    fileprivate var told: Message? {
        switch self {
        case .post(let message), .answer(let message): message
        default: nil
        }
    }
}

/// Edits that one launch has been handed. Its memory is bounded: of very many it forgets the oldest, and takes them for new when they come again.
struct HandedTokens: Hashable, Sendable {
    /// At most so many are known at a time, and at least half of them.
    static let most = 8192
    private var newer: Set<Token> = []
    private var older: Set<Token> = []

    var count: Int { newer.count + older.count }

    /// - Returns: whether it is new.
    mutating func insert(_ token: Token) -> Bool {
        guard !older.contains(token), newer.insert(token).inserted else { return false }
        if newer.count == Self.most / 2 { (older, newer) = (newer, []) }
        return true
    }
}
