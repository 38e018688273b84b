import FleetModel
import Storage

/// What must hold of the tables whatever clients ask for, at the end of each step.
extension Cloud: InvariantHolder {
    /// A question to the tables that nothing may answer, and what an answer means.
    private struct Contradiction {
        let question: String
        let meaning: String
    }

    private static let contradictions = [
        Contradiction(
            question: "SELECT z.name FROM zone z WHERE (SELECT max(seq) FROM record WHERE zone = z.id) > z.seq",
            meaning:
                "a record changed after the last change of its zone, so that no reader of the feed hears of it: zone"),
        Contradiction(
            question: "SELECT z.name FROM zone z JOIN owner o ON o.id = z.owner WHERE z.seq > o.sequence",
            meaning: "a zone changed after the last change of its owner: zone"),
        Contradiction(
            question: """
                SELECT z.name FROM zone z WHERE EXISTS(SELECT 1 FROM departed d WHERE d.zone = z.id AND d.seq > z.seq)
                """,
            meaning: "a record left a share after the last change of its zone: zone"),
        Contradiction(question: "SELECT name FROM owner WHERE used < 0", meaning: "somebody uses less than nothing:"),
        Contradiction(
            question: """
                SELECT f.record FROM recordfield f WHERE NOT EXISTS(SELECT 1 FROM recordtype t
                WHERE t.container = f.container AND t.environment = f.environment AND t.name = f.record)
                """,
            meaning: "the catalogue has fields of a record type that it does not have:"),
        Contradiction(
            question: """
                SELECT p.lookup FROM participant p WHERE NOT EXISTS(SELECT 1 FROM share s
                WHERE s.zone = p.zone AND s.name = p.share)
                """,
            meaning: "somebody takes part in a share that is not there:"),
    ]

    /// Asks the tables for contradictions, one query each. A disk that cannot be read breaks no invariant: the questions end there.
    public func checkInvariants() throws(BrokenInvariant) {
        for contradiction in Self.contradictions {
            let found: String?
            // A disk that cannot be read breaks no invariant: it is a fault of the run.
            do { found = try database.query(contradiction.question + " LIMIT 1").first?.text(0) } catch { return }
            try invariant(found == nil, "\(contradiction.meaning) \(found ?? "")")
        }
    }
    /// For the end of a step: empty where nobody looks.
    var brokenInvariants: [String] {
        guard Invariants.areChecked else { return [] }
        do { try checkInvariants() } catch { return ["an invariant of the Cloud is broken: \(error)"] }
        return []
    }
}
