import FleetModel
import Load
import Run

/// Measures a load of pairs of iPads in live, at one number of iPads after another.
struct FleetLevels {
    var app: AppName
    /// Between two edits of one iPad.
    var every: Span
    /// How long edits are made.
    var length: Span
    var level: ServiceLevel
    var seed: UInt64
    var live: LiveSettings
    /// Where runs leave what they write; the caller removes it.
    var scratch: String
    /// Where figures stay; nil: nowhere.
    var kept: FigureFolder?

    /// What one run showed.
    struct Measurement {
        var ipads: Int
        /// Nil: the run failed.
        var figures: RunFigures?
        /// Why it failed.
        var failure: String?
        var holds: Bool
    }

    /// So long for each iPad to sign in and open its app, one after another on a slow machine.
    private static let arrival = Span.milliseconds(300)

    /// A fleet that nothing disturbs: what takes long is the machine's doing.
    func scenario(_ ipads: Int) -> String {
        let from = max(Span.seconds(30), Self.arrival * Int64(ipads) + .seconds(15))
        // Edits of the end are waited for, so long as it matters.
        let storm = from + length + level.most + level.most + .seconds(5)
        return """
            name: fleet-\(ipads)
            purpose: \(ipads) iPads in pairs; each pair shares a person, each iPad makes an edit every \(words(every)).
            apps: [\(app)]
            people: \(ipads / 2)
            ipads: \(ipads)
            load: {every: \(words(every)), from: \(words(from)), length: \(words(length))}
            storm: \(words(storm))

            """
    }
    private func words(_ span: Span) -> String { "\(span.nanoseconds / 1_000_000)ms" }

    /// - Parameter ipads: even.
    func measure(_ ipads: Int) throws -> Measurement {
        let storm = MeasuredStorm(text: scenario(ipads), title: "\(ipads) iPads", seed: seed, live: live)
        let figures = try storm.figures(scratch: scratch)
        try kept?.keep(figures, of: ipads)
        return Measurement(ipads: ipads, figures: figures, holds: level.holds(figures))
    }

    /// Searches the largest number of iPads at which the level is kept. Once a level was measured, a run that breaks is a level that is not kept:
    /// servers that give up and iPads that end are what an overload looks like. Before that the machine or the command is what is wrong, and
    /// a full disk or too few open files are never a limit of the load.
    /// - Parameters:
    ///   - ipads: lowest and highest number.
    ///   - resolution: the answer may be too low by less than so many iPads.
    ///   - measure: `measure`, but in tests.
    ///   - each: gets each measurement as it is made.
    /// - Returns: the largest number that held and the smallest that did not; nil where there was none.
    /// - Throws: when the first run fails, when the machine lacks something (3), and when somebody stops the search.
    static func search(
        _ ipads: ClosedRange<Int>, resolution: Int, measure: (Int) throws -> Measurement, each: (Measurement) -> Void
    ) throws -> (holds: Int?, fails: Int?) {
        // In pairs, so that every number is even.
        var search = LevelSearch(
            levels: max(1, ipads.lowerBound / 2)...max(1, ipads.upperBound / 2), resolution: max(1, resolution / 2))
        var isUsable = false
        while true {
            switch search.next {
            case .measure(let pairs):
                let measurement: Measurement
                do { measurement = try measure(pairs * 2) } catch {
                    guard isUsable, let reason = Self.failure(error) else { throw error }
                    measurement = Measurement(ipads: pairs * 2, failure: reason, holds: false)
                }
                isUsable = true
                each(measurement)
                search.measured(holds: measurement.holds)
            case .found(let holds, let fails): return (holds.map { $0 * 2 }, fails.map { $0 * 2 })
            }
        }
    }

    /// - Returns: nil for what no load brings about: disk, files, somebody who stopped it.
    private static func failure(_ error: any Error) -> String? {
        guard !Interruption.isAsked, let end = RunEnd(error), end.status == .harness else { return nil }
        return end.line
    }
}
