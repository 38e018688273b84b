import CInterpose
import FleetModel
import Glibc
import Load
import Run

/// A line on a terminal that is rewritten in place; silent in a pipe, and where nobody could rewrite it.
enum Progress {
    private static let isTerminal = isatty(2) == 1 && getenv("TERM").map { String(cString: $0) } != "dumb"
    nonisolated(unsafe) private static var shown = ""

    static func show(_ text: String) {
        guard isTerminal, text != shown else { return }
        shown = text
        // Without wrapping (DECAWM): the rest of a line that is too long could not be taken back.
        writeErrorRaw("\r\u{1b}[K\u{1b}[?7l\(text)\u{1b}[?7h")
    }
    static func clear() {
        guard !shown.isEmpty else { return }
        shown = ""
        writeErrorRaw("\r\u{1b}[K")
    }
}

/// How far a worker has come in virtual time: it writes, its supervisor reads.
final class SharedClock {
    private let page = hr_shared_page()?.assumingMemoryBound(to: Int64.self)
    /// Real time at which the run began.
    let began = hr_real_ns()

    deinit { if let page { munmap(page, 4096) } }

    var now: Instant {
        get { Instant(nanoseconds: page?.pointee ?? 0) }
        set { page?.pointee = newValue.nanoseconds }
    }
}

extension Runner {
    /// Shows where the worker is: in the storm, whose length is known, or after it; of a recording, the whole length is known.
    func showProgress() {
        guard let title else { return }
        let now = clock.now - .zero
        let storm = loaded.scenario.storm
        let place =
            if let end = recorded?.history.last?.at { "\(now.whole) of \((end - .zero).whole)" } else if now < storm {
                "storm, \(now.whole) of \(storm.whole)"
            } else { "calm and reading, \(now.whole)" }
        Progress.show("\(title) in \(mode.rawValue): \(place)\(pace(now))")
    }

    /// How much of the known length is done, how many virtual seconds go by in a real one, and how long the rest takes at this rate.
    private func pace(_ now: Span) -> String {
        let end = recorded?.history.last.map { $0.at - .zero } ?? loaded.scenario.storm
        let real = Double(hr_real_ns() - clock.began) / 1e9
        guard now > .zero, now < end, real > 0.5 else { return "" }
        let (done, all) = (Double(now.nanoseconds) / 1e9, Double(end.nanoseconds) / 1e9)
        guard let left = Span(rest: (all - done) * real / done) else { return "" }
        return " \(Terminal.bar(done / all)) \(FigureTable.short(done / real)) times real time, \(left) left"
    }
}

extension Span {
    /// Without fractions of a second.
    fileprivate var whole: Span { .seconds(nanoseconds / 1_000_000_000) }

    /// Whole seconds that a run or a search still takes; nil for more than anybody waits, which the end of an edited recording may say.
    init?(rest seconds: Double) {
        guard seconds >= 0, seconds < 1e8 else { return nil }
        self = .seconds(Int64(seconds))
    }
}
