import FleetModel

extension RunFigures {
    /// How a class came in after a bell: who signed in, and when the last of them was through.
    public struct Bell: Hashable, Sendable {
        /// The end of a period, or the beginning of the run.
        public var at: Instant
        /// Sign-ins of the plan until the next bell.
        public var planned: Int
        /// Of these, the ones after which their person had the iPad.
        public var answered: Int
        /// From the bell until the last of them was to be tried: what people took to walk.
        public var lastPlanned: Span
        /// From the bell until the last of them had the iPad; nil when somebody never had it.
        public var settled: Span?

        /// From its parts; nothing is checked.
        public init(at: Instant, planned: Int, answered: Int, lastPlanned: Span, settled: Span?) {
            self.at = at
            self.planned = planned
            self.answered = answered
            self.lastPlanned = lastPlanned
            self.settled = settled
        }
    }
}

/// Reads from plan and history how long it took after each bell until everybody was signed in.
struct BellTimes {
    private struct Seat: Hashable {
        var person: Person
        var pad: Int
    }
    private struct SignIn {
        var seat: Seat
        var at: Instant
        var answered: Instant?
    }
    private(set) var bells: [RunFigures.Bell] = []

    /// - Parameter bells: ends of periods, in order; none: nothing is told.
    init(history: [HistoryEvent], plan: [PlanStep], bells: [Instant]) {
        guard !bells.isEmpty else { return }
        var signIns: [SignIn] = []
        var places: [Seat: [Int]] = [:]
        for step in plan where step.deed == .signIn || step.deed == .signInAsGuest {
            let seat = Seat(person: step.person, pad: step.pad)
            places[seat, default: []].append(signIns.count)
            signIns.append(SignIn(seat: seat, at: step.at))
        }
        for event in Self.storm(of: history) where event.note.kind == .signedIn {
            guard let person = event.note.person, let pad = event.from.pad,
                let place = places[Seat(person: person, pad: pad)]?.last(where: { signIns[$0].at <= event.at })
            else { continue }
            signIns[place].answered = signIns[place].answered ?? event.at
        }
        let moments = [Instant.zero] + bells
        for (index, bell) in moments.enumerated() {
            let end = index + 1 < moments.count ? moments[index + 1] : Instant(nanoseconds: .max)
            let own = signIns.filter { bell <= $0.at && $0.at < end }
            guard let lastPlanned = own.map(\.at).max() else { continue }
            let answers = own.compactMap(\.answered)
            self.bells.append(
                .init(
                    at: bell, planned: own.count, answered: answers.count, lastPlanned: lastPlanned - bell,
                    settled: answers.count == own.count ? answers.max().map { $0 - bell } : nil))
        }
    }

    /// In calm the run itself signs people in.
    private static func storm(of history: [HistoryEvent]) -> ArraySlice<HistoryEvent> {
        history.prefix { $0.note.kind != .phase || $0.note.detail["name"] == "storm" }
    }
}
