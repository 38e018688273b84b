import FleetModel

/// The stories of one history: its ledger is built once for as many of them as somebody asks for.
public struct Stories: Sendable {
    /// Every note of the run, in order: indices of stories lead here.
    public let history: [HistoryEvent]
    /// The edits of that history.
    public let ledger: Ledger
    /// The first finding of each edit.
    private let findings: [Token: Finding]

    /// `findings` have to be those of the same history. Costs one pass over it.
    public init(history: [HistoryEvent], findings: [Finding]) {
        self.history = history
        ledger = Ledger(history)
        self.findings = Dictionary(findings.map { ($0.token, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// The first finding about an edit; nil where it ended well or is not known.
    public func finding(of token: Token) -> Finding? { findings[token] }

    /// The story of any edit, also of one that ended well: its own ladder and the readings that show it.
    /// - Returns: nil when nobody tried an edit of this name.
    public func story(of token: Token) -> Story? {
        if let finding = findings[token] { return Story(finding, history: history) }
        return ledger.entry(of: token).map { Story($0, ledger, history) }
    }

    /// The word for how an edit ended: the class of its finding, or `kept`, `superseded` and their like.
    public func ending(of entry: Entry) -> String {
        findings[entry.edit.token]?.lossClass.rawValue ?? Story.ending(entry, ledger, history).word
    }

    /// Events of the history as steps of an edit's story, in their words. Indices outside the history are left out.
    public func steps(_ events: some Sequence<Int>, about token: Token, of person: Person) -> [Story.Step] {
        Story.steps(
            events.filter(history.indices.contains), of: history, about: token, of: person,
            doomedBy: findings[token]?.doomedBy)
    }

    /// The events of an edit's own ladder, in their order.
    public func ladder(of entry: Entry) -> [Int] { Set(entry.ladder).sorted() }
}
