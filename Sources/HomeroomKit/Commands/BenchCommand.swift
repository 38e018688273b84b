import ArgumentParser

/// `homeroom bench [NAME]`
struct BenchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench", abstract: "Measured figures: name, value, unit, and the command that repeats it.")
    @Argument(help: "Only this figure.") var name: String?
    @Flag(help: "As JSON lines.") var json = false
    func run() throws {}
}
