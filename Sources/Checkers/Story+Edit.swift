import FleetModel

extension Story {
    /// The story of any edit, also of one that ended well: everything in the history that names it.
    /// - Returns: nil when nobody made an edit of this name.
    public init?(of token: Token, history: [HistoryEvent], findings: [Finding]) {
        if let finding = findings.first(where: { $0.token == token }) {
            self.init(finding, history: history)
            return
        }
        let own = history.indices.filter { history[$0].note.tokens.contains(token) }
        guard let edit = own.lazy.compactMap({ history[$0].note.detail["edit"].flatMap(Edit.init) }).first else { return nil }
        self.init(
            Finding(
                .excused, token: token, person: edit.person, app: edit.app, summary: "nothing happened to it that should not",
                doomedBy: nil, story: own), history: history)
        title = "well  \(title.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: true).last ?? "")"
    }
}
