import ArgumentParser
import Report
import Run

/// `homeroom export --to FORMAT TRACE`
struct ExportCommand: ParsableCommand {
    enum Format: String, ExpressibleByArgument, CaseIterable {
        /// Chrome trace events, for ui.perfetto.dev.
        case perfetto
        /// A log with vector clocks, for ShiViz.
        case shiviz
        /// A history of operations, for Jepsen's checkers.
        case edn
    }

    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write a recorded run for other tools: Perfetto, ShiViz, or Jepsen's checkers.")

    @Argument(help: RecordedFiles.help) var trace: String
    @Option(help: "perfetto, shiviz or edn.") var to: Format
    @Option(name: .shortAndLong, help: "Where to write it; default: standard output.") var out: String?

    func run() throws {
        Fallen.catchAll()
        let judged = try PictureFiles.judged(trace)
        let picture = try PictureFiles.picture(judged, PictureFiles.report(judged), limits: .all)
        let bytes =
            switch to {
            case .perfetto: PerfettoExport.json(picture)
            case .shiviz: Array(ShiVizExport.text(picture).utf8)
            case .edn: Array(JepsenExport.edn(picture).utf8)
            }
        try OutputFile(out ?? "/dev/stdout", orElse: .out).write(bytes)
    }
}
