import Foundation
import RawServer
import StubProgram
import Testing

@testable import HomeroomKit

@Suite("Live", .timeLimit(.minutes(20))) struct LiveTests {
    private static let twoIPads = CommandLineRun.package.appending(path: "Fleet/two-ipads.yaml").path

    private func live(_ arguments: [String], in folder: URL) throws -> CommandLineRun {
        try CommandLineRun.of(["run", Self.twoIPads, "--mode", "live"] + arguments, in: folder)
    }

    @Test(
        "Usage: what cannot be is refused with status 3 (parameters: options)",
        arguments: [
            ["--speed", "0"], ["--speed", "-1"], ["--speed", "1001"], ["--speed", "nan"],
            ["--cloud", "http://127.0.0.1:1"], ["--cloud-token", "t"],
            ["--cloud", "ftp://127.0.0.1:1", "--cloud-token", "t"],
            ["--cloud", "http://127.0.0.1:1/path", "--cloud-token", "t"],
            ["--cloud-program", "/nowhere/homeroom-cloud"],
        ])
    func usage(options: [String]) throws {
        try withFolder { folder in
            let run = try live(options, in: folder)
            #expect(run.status == 3)
            #expect(!run.errors.isEmpty)
            #expect(try left(in: folder) == [])
        }
    }

    @Test("Options of live: refused in another mode")
    func otherMode() throws {
        try withFolder { folder in
            let run = try CommandLineRun.of(["run", Self.twoIPads, "--mode", "sim", "--speed", "2"], in: folder)
            #expect(run.status == 3)
        }
    }

    @Test("No Cloud where --cloud says: status 3, nothing is left")
    func unreachable() throws {
        try withFolder { folder in
            let run = try live(["--cloud", "http://127.0.0.1:1", "--cloud-token", "t"], in: folder)
            #expect(run.status == 3)
            #expect(run.errors.contains("nobody answers at http://127.0.0.1:1"))
            #expect(try left(in: folder) == [".homeroom/"])
        }
    }

    @Test("A Cloud that is given, and several scenarios: refused before any is run, since each needs a new one")
    func oneCloud() throws {
        try withFolder { folder in
            let other = CommandLineRun.package.appending(path: "Fleet/exam.yaml").path
            let run = try live([other, "--cloud", "http://127.0.0.1:1", "--cloud-token", "t"], in: folder)
            #expect(run.status == 3 && run.errors.contains("these are 2 scenarios"), "\(run.errors)")
            #expect(try left(in: folder) == [])
        }
    }

    private static func answer(_ status: String, _ body: String) -> String {
        "HTTP/1.1 \(status)\r\nContent-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n\(body)"
    }

    @Test(
        "Somebody else's server where --cloud says: status 3 that says why it is no Cloud, nothing is left (parameters: its answers)",
        arguments: [
            (answer("200 OK", "<html>It works!</html>"), "is no homeroom-cloud: it answers what is no JSON"),
            (answer("404 Not Found", "{}"), "is no homeroom-cloud: it answers 404"),
            (answer("302 Found", ""), "is no homeroom-cloud: it answers 302"),
            // To whatever it is told: it is the time that finds it out.
            (answer("200 OK", "{}"), "is no homeroom-cloud: it does not tell its time"),
            (answer("401 Unauthorized", "{}"), "refuses the administrator's token"),
            ("SSH-2.0-OpenSSH_9.6\r\n", "nobody answers at"),
        ])
    func foreignServer(answer: String, says: String) throws {
        let server = RawServer { _ in answer }
        defer { server.stop() }
        try withFolder { folder in
            let run = try live(["--cloud", server.origin, "--cloud-token", "t"], in: folder)
            #expect(run.status == 3, "\(run.output)\(run.errors)")
            #expect(run.errors.contains(server.origin) && run.errors.contains(says), "\(run.errors)")
            #expect(try left(in: folder) == [".homeroom/"])
        }
    }

    /// - Parameter body: gets where the server listens, and the folder that holds its data folder `cloud`.
    private func withCloud(_ options: [String], _ body: (String, URL) throws -> Void) throws {
        try withFolder { folder in
            let cloud = try CommandLineRun.start(
                server, ["serve", "--data", "cloud", "--port", "0", "--testbed"] + options, in: folder)
            defer {
                cloud.0.terminate()
                cloud.0.waitUntilExit()
            }
            var said = ""
            while !said.contains("listens on"), cloud.0.isRunning {
                said = try String(contentsOf: cloud.output, encoding: .utf8)
                usleep(20_000)
            }
            let origin = try #require(said.split(whereSeparator: \.isWhitespace).first { $0.hasPrefix("http") })
            try body(String(origin), folder)
            #expect(try left(in: folder).allSatisfy { $0.hasPrefix("cloud/") })
        }
    }

    @Test("A wrong token: status 3 with where the right one is", .enabled(if: hasServer, noServer))
    func wrongToken() throws {
        try withCloud(["--origin", "http://cloud.test"]) { origin, folder in
            let run = try live(["--cloud", origin, "--cloud-token", "wrong", "--out", "out"], in: folder)
            #expect(run.status == 3, "\(run.output)\(run.errors)")
            #expect(
                run.errors.contains("\(origin) refuses the administrator's token: give the one of its data folder"),
                "\(run.errors)")
        }
    }

    @Test("A certificate of the server's own: status 3 with the file that names it", .enabled(if: hasServer, noServer))
    func untrusted() throws {
        try withCloud(["--origin", "https://cloud.test", "--tls"]) { origin, folder in
            let run = try live(["--cloud", origin, "--cloud-token", "wrong", "--out", "out"], in: folder)
            #expect(run.status == 3, "\(run.output)\(run.errors)")
            #expect(
                run.errors.contains("\(origin) shows a certificate that nobody here trusts: give --cloud-file"),
                "\(run.errors)")
        }
    }

    @Test("A program that is no Cloud: status 3 with its last words")
    func foreignProgram() throws {
        try withFolder { folder in
            let run = try live(["--cloud-program", "/bin/false"], in: folder)
            #expect(run.status == 3)
            #expect(run.errors.contains("the Cloud's server does not start: it exited with status 1"))
        }
    }

    @Test("A program that cannot be executed, or says nothing: status 3 with what it is")
    func uselessProgram() throws {
        try withFolder { folder in
            _ = try folder.appending(path: "plain").write("#!/bin/sh\n")
            for (program, says) in [
                (
                    "plain",
                    "plain is no program: it may not be executed (chmod +x); name a homeroom-cloud by --cloud-program"
                ),
                (".", ". is no program: it is a folder"), ("none", "there is none at none"),
                ("/bin/true", "it printed nothing: it is no homeroom-cloud, or there is no room for its log"),
            ] {
                let run = try live(["--cloud-program", program], in: folder)
                #expect(run.status == 3 && run.errors.contains(says), "\(run.errors)")
            }
        }
    }

    @Test("The command that repeats a run: without the administrator's token, which is a secret")
    func repetition() throws {
        let options = try LiveOptions.parse([
            "--cloud", "http://127.0.0.1:1", "--cloud-token", "s3cret", "--speed", "2",
        ])
        #expect(options.words == " --speed 2.0 --cloud http://127.0.0.1:1 --cloud-token TOKEN")
    }

    @Test("Too few open files: status 3 and the number that is needed, before anything starts")
    func openFiles() throws {
        try withFolder { folder in
            let homeroom = CommandLineRun.products.appending(path: "homeroom").path
            let command =
                "ulimit -n 60; exec '\(homeroom)' run '\(Self.twoIPads)' --mode live --cloud-program /bin/true"
            let run = try CommandLineRun.of(["-c", command], by: "/bin/sh", in: folder)
            #expect(run.status == 3)
            #expect(
                run.errors.contains("live with 3 iPads needs 88 open files, and 60 are allowed here"), "\(run.errors)")
        }
    }

    @Test("No file for the run's own process: status 3 and the limit to raise")
    func noFiles() throws {
        try withFolder { folder in
            let homeroom = CommandLineRun.products.appending(path: "homeroom").path
            let command = "ulimit -n 5; exec '\(homeroom)' run '\(Self.twoIPads)' --mode sim"
            let run = try CommandLineRun.of(["-c", command], by: "/bin/sh", in: folder)
            #expect(run.status == 3, "\(run.output)\(run.errors)")
            #expect(run.errors.contains("raise the limit of open files (ulimit -n)"), "\(run.errors)")
        }
    }

    @Test(
        "Ends: a killed command leaves no server behind (parameters: signals)", arguments: [SIGKILL, SIGTERM, SIGINT])
    func orphans(signal: Int32) throws {
        try withFolder { folder in
            // It takes its time to answer, as a server that hangs.
            let silent = try folder.appending(path: "silent").stub("touch started; exec sleep 3600")
            let (process, _, _) = try CommandLineRun.start(
                "homeroom", ["run", Self.twoIPads, "--mode", "live", "--cloud-program", silent], in: folder)
            let started = folder.appending(path: "started").path
            while !FileManager.default.fileExists(atPath: started), process.isRunning { usleep(20_000) }
            let family = descendants(of: process.processIdentifier)
            #expect(family.count >= 3, "worker, zygote, server")
            kill(process.processIdentifier, signal)
            process.waitUntilExit()
            #expect(stillRunning(family).isEmpty)
            #expect(process.terminationReason == .uncaughtSignal || process.terminationStatus == 130)
        }
    }

    /// One person, two iPads, four minutes.
    private static let short = """
        name: short
        purpose: A note is there on the second iPad, and changed there.
        expect: valid
        apps: [notebook]
        ipads: 2
        people: [maya]
        storm: 3m
        calm: 10m
        steps:
          - {at: 2s, who: maya, ipad: 1, do: signIn}
          - {at: 10s, who: maya, ipad: 1, do: open, app: notebook}
          - {at: 20s, who: maya, ipad: 1, do: edit, app: notebook, action: write, item: note-1, text: the river}
          - {at: 60s, who: maya, ipad: 1, do: signOut}
          - {at: 70s, who: maya, ipad: 2, do: signIn}
          - {at: 80s, who: maya, ipad: 2, do: open, app: notebook}
          - {at: 140s, who: maya, ipad: 2, do: edit, app: notebook, action: write, item: note-1, text: the sea}
        limits: {minPerformed: 2}
        """

    @Test("What a slow machine may leave unknown, and what it may not")
    func tooSlow() {
        func end(_ status: Int32, _ reasons: String...) -> CommandLineRun {
            let lines = reasons.map { "  unknown because: \($0)\n" }
            return CommandLineRun(status: status, output: lines.joined(), errors: "")
        }
        let few = "only 1 edits were performed, 2 are needed: let people do more"
        #expect(end(0).isValidOrTooSlow && end(2, few).isValidOrTooSlow)
        #expect(end(2, few, "the core reading of quiz for maya on ipad-1 is not complete: no answer").isValidOrTooSlow)
        #expect(!end(2).isValidOrTooSlow && !end(1, few).isValidOrTooSlow && !end(4).isValidOrTooSlow)
        #expect(!end(2, few, "the history is not whole: event 7 names maya.9, which nobody made").isValidOrTooSlow)
    }

    /// Time goes twenty times as fast; whatever the machine makes of that, nothing may be lost, and the trace can be judged again.
    @Test(
        "Two iPads in real time: no edit is lost, check agrees, replay says why it cannot",
        .enabled(if: hasServer, noServer))
    func twoIPads() throws {
        try withFolder { folder in
            let file = try folder.appending(path: "short.yaml").write(Self.short)
            let run = try CommandLineRun.of(
                ["run", file, "--mode", "live", "--speed", "20", "--cloud-program", server], in: folder)
            #expect(run.output.contains(" mode=live "), "\(run.errors)")
            #expect(run.output.contains(" violations=0 "), "\(run.output)")
            #expect(run.output.contains("live: the network was this machine's, "), "\(run.output)")
            #expect(run.isValidOrTooSlow, "\(run.output)")
            let trace = ".homeroom/short-1"
            let check = try CommandLineRun.of(["check", trace], in: folder)
            #expect(check.status == run.status)
            let replay = try CommandLineRun.of(["replay", trace], in: folder)
            #expect(replay.status == 3)
            #expect(replay.errors.contains("was recorded in live"))
        }
    }
}
