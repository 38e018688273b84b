import FleetModel

/// When an edit first reaches an app: noted for those who measure how long edits are on their way. Only with `notesArrivals` in the iPad's
/// specification; nothing else depends on it.
///
/// Not seen: what an app is handed compressed or encrypted, and whether it then shows it.
final class ArrivalWatch: PadService, PadObserver {
    let kernel: Kernel
    /// Edits that each launch has been handed.
    private var handed: [Int: HandedTokens] = [:]

    init(_ kernel: Kernel) { self.kernel = kernel }

    func saw(_ event: PadEvent) {
        switch event {
        case .left(let output): left(output)
        case .ended(let run): handed[run.identity.launch] = nil
        default: break
        }
    }

    /// Looks into what leaves the iPad for an app, be it posted or answered.
    private func left(_ output: Output) {
        guard case .app(_, let launch) = output.to, let message = output.payload.told,
            let app = pad.apps[launch]?.identity
        else { return }
        let tokens = EditPayload.scan(message.body).tokens.filter { handed[launch, default: HandedTokens()].insert($0) }
        // What its person has it do is made here and now.
        guard !tokens.isEmpty, message.name != HandMessages.Perform.name else { return }
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
