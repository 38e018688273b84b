import FleetModel
import Foundation
import Testing

/// A session of `homeroom debug --json`: its answers, one a command, behind the greeting.
private struct DebugTalk {
    var run: CommandLineRun
    var greeting: Value = .empty
    var answers: [Value] = []

    /// - Parameter trace: seen from the folder.
    init(_ commands: [String], on trace: String, in folder: URL) throws {
        let lines = commands.enumerated().map { number, command in
            (["id": .int(number), "command": .string(command)] as Value).json
        }
        _ = try folder.appending(path: "talk.txt").write(lines.joined(separator: "\n") + "\n")
        let program = CommandLineRun.products.appending(path: "homeroom").path
        run = try CommandLineRun.of(
            ["-c", "'\(program)' debug '\(trace)' --json < talk.txt"], by: "/bin/bash", in: folder)
        let objects = try run.output.split(separator: "\n").map { try Value(json: Array($0.utf8)) }
        greeting = objects.first ?? .empty
        answers = Array(objects.dropFirst())
        #expect(run.status == 0 && answers.count == commands.count, "\(run)")
        #expect(answers.map { $0["id"]?.int } == commands.indices.map { Int64($0) })
        for object in objects { #expect(try SchemaCheck.problems(of: object, "debug") == [], "\(object.json)") }
    }
}

@Suite("Debugger", .serialized, .timeLimit(.minutes(20))) struct DebugTests {
    private static let broken = CommandLineRun.package.appending(path: "Fleet/broken-notebook.yaml").path

    private func withTrace<T>(_ body: (URL) throws -> T) throws -> T {
        try withFolder { folder in
            let run = try CommandLineRun.of(
                ["run", Self.broken, "--mode", "sim", "--quiet", "--out", "out"], in: folder)
            #expect(run.status == 0, "\(run)")
            return try body(folder)
        }
    }

    @Test(
        "Looking changes nothing: a run that is looked at everywhere on its way ends with the recorded digest, and a branch without a change is the same run"
    )
    func looking() throws {
        try withTrace { folder in
            let looks = [
                "where", "people", "who maya", "living", "messages", "timers", "faults", "edits", "edit maya.1",
                "notes 50",
                "pad ipad-1", "pad ipad-2", "app notebook-overwrites ipad-1", "app notebook-overwrites ipad-2",
                "files ipad-1", "files ipad-2 maya", "file ipad-1 maya /var/mobile/daemons.sqlite 100", "files cloud",
                "tables ipad-1 maya /var/mobile/daemons.sqlite", "cloud", "cloud records", "cloud sessions",
                "tables cloud",
                "sql cloud \"DELETE FROM record\"", "sql cloud \"SELECT COUNT(*) FROM record\"", "screen ipad-1",
                "screen ipad-2",
            ]
            var commands = ["break note performed", "break mark second-ipad-saw", "break when ipad-1 queue.count > 0"]
            for _ in 0..<6 { commands += ["continue"] + looks + ["next"] + looks }
            commands += ["delete 1", "delete 1", "delete 1", "continue", "branch nothing", "use original", "verdict"]
            let talk = try DebugTalk(commands, on: "out", in: folder)
            let footer = try String(contentsOf: folder.appending(path: "out/trace.jsonl"), encoding: .utf8)
                .split(separator: "\n").last.map { try Value(json: Array($0.utf8)) }
            let recorded = try #require(footer?["digest"]?.string)
            let end = talk.answers[talk.answers.count - 4]
            #expect(end["at"]?["over"]?.bool == true && end["at"]?["digest"]?.string == recorded)
            // At the end nothing can be changed.
            #expect(talk.answers[talk.answers.count - 3]["error"]?.string?.contains("is over") == true)
            let verdict = try #require(talk.answers.last?["result"])
            #expect(verdict["digest"]?.string == recorded && verdict["verdict"]?.string == "invalid")
            // Before anybody is there, and after everybody has left.
            let later = [
                "edit maya.1", "branch nothing", "app notebook-overwrites ipad-1", "app notebook-overwrites ipad-2",
                "files ipad-2 maya",
            ]
            let refused = zip(commands, talk.answers).filter { $1["ok"]?.bool != true }.map { $0.0 }
            #expect(
                Set(refused).isSubset(of: Set(later)))
            let counts = zip(commands, talk.answers).filter { $0.0.contains("COUNT") }.map {
                $0.1["result"]?["rows"]?.array?.first?.array?.first?.int
            }
            #expect(counts.last == 1)
        }
    }

    @Test("Going back: a moment shows the same, wherever somebody comes from; the last break before it is found")
    func back() throws {
        try withTrace { folder in
            let look = ["pad ipad-1", "pad ipad-2", "cloud records", "messages", "timers"]
            let commands =
                ["goto 08:03:30.020"] + look + ["goto end", "goto 08:03:30.020"] + look
                + ["step 40", "back 40"] + look + [
                    "break edit maya.2 committed", "continue", "goto end", "continue back",
                ]
            let talk = try DebugTalk(commands, on: "out", in: folder)
            let places = talk.answers.map { $0["at"]?["turn"]?.int ?? -1 }
            let states = talk.answers.map { $0["result"] }
            #expect(places[0] == places[7] && places[0] == places[14])
            #expect(Array(states[1...5]) == Array(states[8...12]) && Array(states[1...5]) == Array(states[15...19]))
            let (there, again) = (talk.answers[21], talk.answers[23])
            #expect(there["result"]?["hit"]?.string == "edit maya.2 committed")
            #expect(there["at"]?["clock"]?.string == "08:05:04.386" && there["at"]?["turn"] == again["at"]?["turn"])
        }
    }

    @Test(
        "Branches: without the partition the edit is saved; a lost request, a delay, a kill and a power cut make other runs"
    )
    func branches() throws {
        try withTrace { folder in
            let asked = try DebugTalk(
                [
                    "goto 08:03:30.020", "messages", "branch heal partition-1", "faults", "next", "back", "faults",
                    "use original", "branch nothing", "verdict", "use original", "verdict", "faults",
                ], on: "out", in: folder)
            let actives = asked.answers.filter { $0["command"] == "faults" }.map {
                $0["result"]?.array?.first?["active"]?.bool
            }
            #expect(actives == [false, false, true])
            #expect(asked.answers[8]["ok"]?.bool == true && asked.answers[8]["result"]?["firstDifference"] == nil)
            #expect(asked.answers[9]["result"]?["digest"] == asked.answers[11]["result"]?["digest"])
            let fates = asked.answers[2]["result"]?["edits"]?.array ?? []
            #expect(fates == [["edit": "maya.3", "original": "overwritten", "branch": "saved"]], "\(asked.run.output)")
            let message = try #require(
                asked.answers[1]["result"]?.array?.first { $0["kind"] == "request" }?["number"]?.string)
            let changes = [
                "drop \(message)", "delay \(message) 5m", "kill ipad-1 notebook-overwrites", "powercut ipad-1 20s",
                "crash-cloud", "fault partition 1m ipad-1",
            ]
            let commands =
                ["goto 08:03:30.020"] + changes.flatMap { ["branch \($0)", "next", "where", "back 5", "use original"] }
                + ["branches", "forget 1", "branches"]
            let talk = try DebugTalk(commands, on: "out", in: folder)
            for (command, answer) in zip(commands, talk.answers) {
                #expect(answer["ok"]?.bool == true, "\(answer.json)")
                guard command.hasPrefix("branch ") else { continue }
                #expect(answer["result"]?["firstDifference"]?["line"]?.int ?? 0 > 200, "\(answer.json)")
            }
            #expect(talk.answers.last?["result"]?.array?.count == changes.count)
            #expect(talk.answers[talk.answers.count - 3]["result"]?.array?.count == changes.count + 1)
        }
    }

    @Test("Bad input: a clear error for each line, and the session goes on")
    func badInput() throws {
        try withTrace { folder in
            let wrong = [
                "bogus": "there is no command 'bogus'", "goto nowhere": "'nowhere' is no moment",
                "goto": "is no moment",
                "goto turn 99999": "there are turns 0 to", "pad ipad-9": "ipad-9 is not there", "pad": "say which",
                "pad ipad-1 soul": "an iPad has no 'soul'", "who nobody": "there is no person 'nobody'",
                "break": "a break is:", "break note sung": "there is no kind of note 'sung'",
                "break when ipad-1 session": "a break is:", "delete 7": "there is no break 7",
                "back none": "is no number",
                "sql cloud \"SELEC\"": "syntax error", "sql cloud": "the statement is missing",
                "file ipad-1 maya /none": "there is no /none", "branch": "say what changes",
                "branch drop 999999": "no message 999999", "branch heal x": "there is no fault 'x'",
                "branch fault nonsense": "there is no fault 'nonsense'", "use 4": "there is no line '4'",
                "edit zoe.1": "nobody has made an edit", "where \"": "quotation mark",
                "sql cloud \"WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT COUNT(*) FROM n\"":
                    "did not end",
            ]
            let commands = wrong.keys.sorted()
            let talk = try DebugTalk(["goto 08:03:00"] + commands + ["where"], on: "out", in: folder)
            for (command, answer) in zip(commands, talk.answers.dropFirst()) {
                let error = answer["error"]?.string ?? ""
                #expect(
                    answer["ok"]?.bool == false && error.contains(wrong[command] ?? "?"), "\(command): \(answer.json)")
            }
            #expect(talk.answers.last?["ok"]?.bool == true && talk.answers.last?["at"] == talk.answers.first?["at"])
        }
    }

    @Test("Traces that cannot be played: live, cut off, of an app that is not here, edited; each says so")
    func traces() throws {
        try withTrace { folder in
            let trace = try String(contentsOf: folder.appending(path: "out/trace.jsonl"), encoding: .utf8)
            func refusal(_ text: String) throws -> CommandLineRun {
                let file = try folder.appending(path: "t.jsonl").write(text)
                return try CommandLineRun.of(["debug", file], in: folder)
            }
            let live = try refusal(trace.replacingOccurrences(of: "\"homeroom\":", with: "\"live\":true,\"homeroom\":"))
            #expect(live.status == 3 && live.errors.contains("was recorded in live"), "\(live)")
            let cut = try refusal(String(trace.prefix(trace.count / 2)))
            #expect(cut.status == 3 && cut.errors.contains("truncated"), "\(cut)")
            let strange = try refusal(trace.replacingOccurrences(of: "notebook-overwrites", with: "nobodys-app"))
            #expect(strange.status == 3 && strange.errors.contains("nobodys-app"), "\(strange)")
            let edited = try refusal(
                trace.replacingOccurrences(of: "\"until\":240000000000", with: "\"until\":250000000000"))
            #expect(edited.status == 0 && edited.output.contains("plays another run from line"), "\(edited)")
        }
    }

    @Test(
        "The end: Ctrl-C, a killed debugger and a reader who leaves let no process live on",
        arguments: ["INT", "KILL", "PIPE"])
    func family(way: String) throws {
        try withTrace { folder in
            let process = Process()
            process.executableURL = CommandLineRun.products.appending(path: "homeroom")
            process.arguments = ["debug", "out"]
            process.currentDirectoryURL = folder
            let (input, output) = (Pipe(), Pipe())
            (process.standardInput, process.standardOutput) = (input, output)
            process.standardError = FileHandle.nullDevice
            try process.run()
            // The greeting comes when all snapshots are there.
            while !String(decoding: output.fileHandleForReading.availableData, as: UTF8.self).contains("turn 0") {}
            let family = descendants(of: process.processIdentifier)
            #expect(family.count >= 3)
            switch way {
            case "INT": kill(process.processIdentifier, SIGINT)
            case "KILL": kill(process.processIdentifier, SIGKILL)
            default:
                try output.fileHandleForReading.close()
                try input.fileHandleForWriting.write(contentsOf: Data("where\nwhere\n".utf8))
            }
            process.waitUntilExit()
            if way == "INT" { #expect(process.terminationStatus == 130) }
            for _ in 0..<100 where !stillRunning(family).isEmpty { usleep(50_000) }
            #expect(stillRunning(family).isEmpty)
        }
    }
}
