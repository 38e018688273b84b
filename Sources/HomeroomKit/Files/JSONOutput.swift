import ArgumentParser
import FleetModel
import Run

/// What a command prints with `--json`: one JSON object on standard output and nothing else. What is meant for people is left out; errors stand on
/// standard error too.
enum JSONOutput {
    /// Known before the command line is read: an error in it is told as JSON as well.
    static let isAsked = CommandLine.arguments.dropFirst().prefix { $0 != "--" }.contains("--json")
    nonisolated(unsafe) private static var isPrinted = false

    /// - Parameters:
    ///   - command: its name; the schema of the object is Docs/schemas/COMMAND.schema.json.
    ///   - status: the exit status that follows.
    static func print(_ command: String, _ status: ExitStatus, _ body: Value) {
        guard isAsked, !isPrinted else { return }
        isPrinted = true
        var body = body
        body["command"] = .string(command)
        body["status"] = .int(Int(status.rawValue))
        Swift.print(body.json)
    }

    /// For a command that ended before it had anything to print.
    static func print(error message: String, _ status: Int32) {
        guard isAsked, !isPrinted else { return }
        isPrinted = true
        let body: Value = ["error": .string(message), "status": .int(Int(status))]
        Swift.print(body.json)
    }
}

/// The flag of the commands that can print JSON.
struct JSONOption: ParsableArguments {
    @Flag(help: "Print one JSON object and nothing else; its schema is in Docs/schemas.") var json = false
}
