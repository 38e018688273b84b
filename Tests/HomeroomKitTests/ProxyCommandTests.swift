import Foundation
import Testing

@Suite("homeroom proxy", .timeLimit(.minutes(20))) struct ProxyCommandTests {
    /// Starts a proxy, waits until it listens, and ends it by a signal.
    private func listenAndEnd(_ arguments: [String], by signal: Int32, in folder: URL) throws -> (
        status: Int32, output: String, errors: String
    ) {
        let (process, output, errors) = try CommandLineRun.start(
            "homeroom", ["proxy", "--listen", "127.0.0.1:0", "--to", "127.0.0.1:9"] + arguments, in: folder)
        while process.isRunning, try !String(contentsOf: output, encoding: .utf8).contains("listening on 127.0.0.1:") {
            usleep(20_000)
        }
        kill(process.processIdentifier, signal)
        process.waitUntilExit()
        return (
            process.terminationReason == .exit ? process.terminationStatus : 128 + process.terminationStatus,
            try String(contentsOf: output, encoding: .utf8), try String(contentsOf: errors, encoding: .utf8)
        )
    }

    @Test("End: by Ctrl-C or SIGTERM, status 0 and a line of counters", arguments: [SIGINT, SIGTERM])
    func end(signal: Int32) throws {
        try withFolder { folder in
            let text = "faults:\n  - {fault: partition, from: 1h, until: 2h}\n  - {fault: reboot, at: 1h}\n"
            _ = try folder.appending(path: "f.yaml").write(text)
            let run = try listenAndEnd(["--faults", "f.yaml", "--speed", "2.5"], by: signal, in: folder)
            #expect(run.status == 0 && run.errors == "", "\(run)")
            #expect(run.output.contains("passed over here: reboot-1\n"))
            #expect(run.output.split(separator: "\n").last?.hasPrefix("proxy  connections=0 requests=0 ") == true)
        }
    }

    @Test(
        "Bad input: exit status 3, what is wrong and where",
        arguments: [
            (["--listen", "nonsense", "--to", "127.0.0.1:1"], "--listen takes HOST:PORT"),
            (["--listen", "127.0.0.1:0", "--to", "127.0.0.1:99999"], "--to takes HOST:PORT"),
            (["--listen", "127.0.0.1:0", "--to", "127.0.0.1:0"], "--to needs the port of a server"),
            (["--listen", "127.0.0.1:0", "--to", "no such host:1"], "no such host:1: the host is not known"),
            (["--listen", "192.0.2.1:0", "--to", "127.0.0.1:1"], "this machine has no such address"),
            (["--listen", "127.0.0.1:0", "--to", "127.0.0.1:1", "--faults", "none.yaml"], "none.yaml: no such file"),
            (
                ["--listen", "127.0.0.1:0", "--to", "127.0.0.1:1", "--faults", "bad.yaml"],
                "bad.yaml:2:13: unknown fault 'partitoin'"
            ),
            (
                ["--listen", "127.0.0.1:0", "--to", "127.0.0.1:1", "--faults", "wrong.yaml"],
                "wrong.yaml:2:57: fault 'latency': 'extra' is a length"
            ),
            (["--listen", "127.0.0.1:0", "--to", "127.0.0.1:1", "--speed", "0"], "--speed takes more than 0 and at"),
            (["--listen", "127.0.0.1:0", "--to", "127.0.0.1:1", "--speed", "1000.5"], "and at most 1000"),
            (["--listen", "127.0.0.1:0", "--to", "127.0.0.1:1", "--speed", "nan"], "--speed takes more than 0 and at"),
        ])
    func badInput(arguments: [String], message: String) throws {
        try withFolder { folder in
            _ = try folder.appending(path: "bad.yaml").write("faults:\n  - {fault: partitoin, from: 1s, until: 2s}\n")
            let wrong = "faults:\n  - {fault: latency, from: 1s, until: 2s, with: {extra: long}}\n"
            _ = try folder.appending(path: "wrong.yaml").write(wrong)
            let run = try CommandLineRun.of(["proxy"] + arguments, in: folder)
            #expect(run.status == 3 && run.errors.contains(message) && run.output == "", "\(run)")
        }
    }
}
