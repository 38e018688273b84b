import Checkers
import FleetModel

/// What became of one edit in one run.
enum Fate: Hashable {
    /// It was performed and came to no harm.
    case saved
    /// A checker found something.
    case harmed(LossClass)
    /// Nobody performed it, so the run says nothing about it.
    case notPerformed

    init(of token: Token, in judgement: Judgement, _ history: [HistoryEvent]) {
        if let finding = judgement.findings.first(where: { $0.token == token }) {
            self = .harmed(finding.lossClass)
        } else {
            let isPerformed = history.contains { $0.note.kind == .performed && $0.note.tokens.contains(token) }
            self = isPerformed ? .saved : .notPerformed
        }
    }

    /// As a worker tells it to its supervisor.
    var word: String {
        switch self {
        case .saved: "saved"
        case .harmed(let lossClass): lossClass.rawValue
        case .notPerformed: "not performed"
        }
    }
    init?(_ word: String) {
        switch word {
        case "saved": self = .saved
        case "not performed": self = .notPerformed
        default:
            guard let lossClass = LossClass(rawValue: word) else { return nil }
            self = .harmed(lossClass)
        }
    }
}
