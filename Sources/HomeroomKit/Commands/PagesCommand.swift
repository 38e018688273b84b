import ArgumentParser
import Run

/// `homeroom pages FILE...`, for those who work on Homeroom itself (Scripts/pages).
struct PagesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pages", abstract: "Write the tables of pages that come from the code.", shouldDisplay: false)

    @Argument(help: "Pages.") var files: [String]
    @Flag(help: "Write nothing; exit status 1 when a page differs from the code.") var check = false

    func run() throws {
        var differs: [String] = []
        for file in files {
            let text = try Folders.read(file)
            let written = try Pages.written(text, file: file)
            guard written != text else { continue }
            differs.append(file)
            if !check { try OutputFile(file, orElse: .out).write(written) }
        }
        guard check, !differs.isEmpty else { return }
        printError("\(differs.joined(separator: ", ")) differs from the code: run Scripts/pages")
        throw ExitCode(.unexpected)
    }
}
