import FleetModel
import Load

/// What is asked of a bell: everybody of the class that comes has their iPad within so long a time.
struct BellLevel {
    var ipads: Int
    var app: AppName
    /// From the bell, with the way to the next iPad.
    var most: Span

    /// So long for each iPad to sign in, one after another on a slow machine.
    private static let arrival = Span.milliseconds(300)
    /// The way from one iPad to the next. ASSUMED.
    private static let walk = "[1s, 2s]"

    /// Two classes that take turns at all iPads, which nothing disturbs. The second period brings people whom no iPad has seen, the third those
    /// that it keeps.
    var scenario: String {
        let length = max(.seconds(30), Self.arrival * Int64(ipads), most + most)
        let periods = ["red", "blue", "red"].enumerated().map { number, people in
            "  - {start: \(words(length * Int64(number))), length: \(words(length)), seats: {\(people): 1-\(ipads)}}"
        }
        return """
            name: bell-\(ipads)
            purpose: Two classes of \(ipads) take turns at \(ipads) iPads; each person makes two edits in a period.
            apps: [\(app)]
            people: \(ipads * 2)
            classes: {red: \(ipads), blue: \(ipads)}
            ipads: \(ipads)
            timetable:
            \(periods.joined(separator: "\n"))
            work: {edits: 2, walk: \(Self.walk), home: 0}
            measure: true
            storm: \(words(length * 3))

            """
    }
    private func words(_ span: Span) -> String { "\(span.nanoseconds / 1_000_000)ms" }

    /// Bells at which one class makes room for the other: not the beginning, and not the end, after which nobody comes.
    static func bells(_ figures: RunFigures) -> [RunFigures.Bell] { figures.bells.filter { $0.at > .zero } }

    func holds(_ bells: [RunFigures.Bell]) -> Bool {
        bells.count == 2
            && bells.allSatisfy { bell in bell.planned == ipads && bell.settled.map { $0 <= most } ?? false }
    }
}
