import FleetModel
import Foundation
import Testing

@testable import ProgramApps

/// An iPad for a program: gives these answers to its calls, in their order, and then kills it.
private final class Answering: CallLink {
    private(set) var calls: [(message: Message, posts: [Output])] = []
    private var answers: [Value]

    init(_ answers: Value...) { self.answers = answers }

    func call(_ message: Message, after posts: [Output]) -> Message? {
        calls.append((message, posts))
        return answers.isEmpty ? nil : Message(message.name, answers.removeFirst())
    }
}

/// A launch of a shell script as an app.
private func launched(_ script: String, limitMilliseconds: Int32? = 20_000) throws -> ProgramParticipant {
    // As the command does: a program may end before it has read its line.
    signal(SIGPIPE, SIG_IGN)
    let declaration: Value = [
        "name": "app", "command": ["/bin/sh", "-c", .string(script), "app.sh"], "bundle": "com.example.app",
        "channel": "record", "promises": ["note": "keepsAll"],
        "actions": [["name": "write", "kind": "note", "verb": "put", "prefix": "note"]],
    ]
    let program = try AppProgram(json: declaration.json, file: "app.json")
    return ProgramParticipant(
        id: .app(pad: 1, launch: 2), program: program, spec: ["identity": "a", "person": "maya"],
        limitMilliseconds: limitMilliseconds)
}

private func post(_ name: String, _ body: Value = .empty, exchange: UInt64 = 0) -> Input {
    Input(from: .pad(1), .post(Message(name, body)), exchange: exchange)
}

extension ProgramParticipant {
    fileprivate func step(at seconds: Int = 1, _ inputs: Input..., link: any CallLink = Answering()) -> StepResult {
        step(now: Instant(nanoseconds: Int64(seconds) * 1_000_000_000), inputs: inputs, link: link)
    }
}

@Suite("Programs behind the seam", .timeLimit(.minutes(20))) struct ProgramParticipantTests {
    @Test("A step: the launch is the first line, inputs come in order, posts and timer go out")
    func step() throws {
        let app = try launched(
            #"""
            read launch; read step; echo "$launch" >&2
            case $launch in *'"person":"maya"'*'"protocol":1'*) ;; *) exit 3;; esac
            case $step in *'"inputs":[{"body":{},"exchange":7,"post":"app.didBecomeActive"}],"now":1000000000,"step":1'*) ;; *) exit 4;; esac
            echo '{"post":"app.didBecomeActive","exchange":7}'
            echo '{"post":"kvs.set","body":{"key":"a","value":1.5}}'
            echo '{"done":1,"timer":5000000000}'
            read step
            echo '{"done":2}'
            """#)
        let result = app.step(post("app.didBecomeActive", exchange: 7))
        #expect(result.end == nil)
        #expect(
            result.outputs == [
                Output(to: .pad(1), .post(Message("app.didBecomeActive")), exchange: 7),
                Output(to: .pad(1), .post(Message("kvs.set", ["key": "a", "value": 1.5]))),
            ])
        #expect(result.nextTimer == Instant(nanoseconds: 5_000_000_000))
        #expect(app.step(at: 5) == StepResult())
    }

    @Test("A call: the posts before it come along, its answer is the next line")
    func call() throws {
        let app = try launched(
            #"""
            read launch; read step
            echo '{"post":"kvs.set","body":{"key":"a","value":1}}'; echo '{"call":"kvs.synchronize"}'
            read answer
            case $answer in '{"answer":"kvs.synchronize","body":{"x":"y"}}') ;; *) exit 3;; esac
            echo '{"done":1}'
            """#)
        let link = Answering(["x": "y"])
        #expect(app.step(link: link) == StepResult())
        #expect(link.calls.map(\.message) == [Message("kvs.synchronize")])
        #expect(link.calls[0].posts.map(\.payload) == [.post(Message("kvs.set", ["key": "a", "value": 1]))])
    }

    @Test("A kill inside a call: nothing more comes of the launch, and it is no end of its own")
    func killed() throws {
        let app = try launched(
            #"read launch; read step; echo '{"call":"kvs.synchronize"}'; read answer; echo '{"done":1}'"#)
        #expect(app.step(link: Answering()) == StepResult())
        #expect(app.step(at: 2) == StepResult())
    }

    @Test("What an item shows: tokens and digest are found here, not by the program")
    func items() throws {
        let text = EditPayload.text(token: "maya.1", "hello")
        let app = try launched(
            #"""
            read launch; read step
            echo '{"post":"ui.began","body":{"token":"maya.2","text":"\#(text)"}}'
            echo '{"post":"ui.perform","exchange":9}'
            echo '{"post":"ui.state","exchange":8,"body":{"items":[{"id":"n","kind":"note","text":"\#(text)"},{"id":"f","kind":"flag","digest":"1"}]}}'
            echo '{"done":1}'
            """#)
        let result = app.step(post("ui.perform", ["token": "maya.2"], exchange: 9), post("ui.state", exchange: 8))
        let item = Item(id: "n", kind: "note", text: text)
        #expect(item.tokens == ["maya.1"])
        #expect(
            result.outputs.map(\.payload) == [
                .post(
                    Message(
                        "ui.began", ["token": "maya.2", "saw": ["maya.1"], "sawDigest": .string(item.digest)])),
                .post(Message("ui.perform")),
                .post(
                    Message(
                        "ui.state",
                        ["items": [item.body, Item(id: "f", kind: "flag", digest: "1").body], "complete": true])),
            ], "\(result)")
    }

    @Test("Another account: taken before the program hears of it, once, with what has changed")
    func identity() throws {
        let script = #"""
            read launch
            while read step; do
              case $step in *'"changed":["identity"]'*) word=new;; *'"changed":[]'*) word=old;; *) exit 3;; esac
              n=$((n+1)); echo '{"post":"kvs.set","body":{"key":"'$word'","value":1}}'; echo '{"done":'$n'}'
            done
            """#
        let app = try launched(script)
        let link = Answering(.empty)
        let first = app.step(post("app.identityChanged", ["identity": "b", "accountStatus": 1]), link: link)
        #expect(first.outputs.map(\.payload) == [.post(Message("kvs.set", ["key": "new", "value": 1]))])
        #expect(link.calls.map(\.message) == [Message("identity.taken", ["identity": "b"])])
        let second = app.step(at: 2, post("app.identityChanged", ["identity": "b", "accountStatus": 1]), link: link)
        #expect(second.outputs.map(\.payload) == [.post(Message("kvs.set", ["key": "old", "value": 1]))])
        #expect(link.calls.count == 1)
    }

    @Test(
        "What breaks the protocol: program, line and what to print",
        arguments: [
            ("echo hello", "line 1 of its output: this is no JSON", "'hello'"),
            ("echo '{\"done\":1}' | tr 1 2", "line 1", "'done' ends step 2, and this is step 1"),
            ("echo '{\"says\":1}'", "line 1", "this is neither 'post', 'call' nor 'done'"),
            ("echo '{\"done\":1,\"timr\":2}'", "line 1", "there is no member 'timr'; there are done, timer"),
            ("echo '{\"done\":true}'", "line 1", "'done' has to be a whole number"),
            ("echo '{\"post\":\"kvs.sett\"}'", "line 1", "there is no message 'kvs.sett'"),
            ("echo '{\"call\":\"kvs.set\"}'", "line 1", "print {\"post\": \"kvs.set\""),
            ("echo '{\"post\":\"file.read\"}'", "line 1", "print {\"call\": \"file.read\""),
            ("echo '{\"post\":\"kvs.changed\"}'", "line 1", "comes from the iPad"),
            ("echo '{\"post\":\"ui.perform\",\"exchange\":9}'", "line 1", "before 'ui.began' said what"),
            ("echo '{\"post\":\"ui.began\",\"body\":{\"token\":\"maya.2\"}}'", "line 1", "'ui.began' lacks 'text'"),
            ("echo '{\"post\":\"ui.state\",\"body\":{\"items\":[{\"id\":\"a\"}]}}'", "line 1", "items[0] lacks"),
            ("yes '{\"post\":\"app.habit\"}'", "line 10001", "more than 10000 posts in one step"),
            ("exec >&-; read more", "closed its standard output", "keep it open"),
        ])
    func broken(_ script: String, place: String, message: String) throws {
        let app = try launched("read launch; read step; \(script)")
        let end = app.step(post("ui.perform", ["token": "maya.2"], exchange: 9)).end
        guard case .broke(let text) = end else { return #expect(Bool(false), "\(String(describing: end))") }
        #expect(text.contains(place) && text.contains(message), "\(text)")
    }

    @Test("A program that ends: how, as the iPad would say it")
    func died() throws {
        #expect(try launched("read launch; read step; exit 3").step().end == .died("it exited with status 3"))
        #expect(try launched("read launch; read step; kill -TERM $$").step().end == .died("it was ended by signal 15"))
        #expect(try launched("exit 0").step().end == .died("it exited with status 0"))
        let app = try launched("read launch; read step; exit 3")
        _ = app.step()
        #expect(app.step(at: 2) == StepResult())
    }

    @Test("A program that hangs: step and last line")
    func late() throws {
        let end = try launched("read launch; read step; read more", limitMilliseconds: 300).step().end
        guard case .stalled(let text) = end else { return #expect(Bool(false), "\(String(describing: end))") }
        #expect(text.contains(" did not end step 1 within") && text.contains("is number 0"), "\(text)")
    }

    @Test("A program that reads nothing: a long line does not wait for it for ever")
    func deaf() throws {
        let app = try launched("sleep 60", limitMilliseconds: 300)
        let long = Value.string(String(repeating: "x", count: 1 << 20))
        guard case .stalled = app.step(post("app.notice", ["name": long])).end else {
            return #expect(Bool(false))
        }
    }

    @Test("A program that prints while a long line comes: neither waits for the other")
    func bothWays() throws {
        let app = try launched(
            #"read launch; head -c 300000 /dev/zero | tr '\0' ' '; echo '{"done":1}'; read step; read more"#)
        let long = Value.string(String(repeating: "x", count: 1 << 20))
        #expect(app.step(post("app.notice", ["name": long])) == StepResult())
    }

    @Test("The environment: ours and nothing else of the machine but PATH; signals and descriptors are as at a start")
    func environment() throws {
        setenv("HOMEROOM_SECRET", "1", 1)
        let app = try launched(
            #"""
            read launch; read step
            env | cut -d= -f1 | grep -v -E '^(PWD|SHLVL|_|OLDPWD)$' | sort | tr '\n' ' ' >&2
            names=$(env | cut -d= -f1 | grep -v -E '^(PWD|SHLVL|_|OLDPWD)$' | sort | tr '\n' ' ')
            [ "$names" = "HOME LANG LC_ALL PATH PYTHONDONTWRITEBYTECODE PYTHONHASHSEED PYTHONNOUSERSITE TZ " ] || exit 3
            # The listing has a descriptor of its own.
            [ "$(ls /proc/$$/fd | tr '\n' ' ')" = "0 1 2 " ] || [ "$(ls /proc/$$/fd | wc -l)" -le 4 ] || exit 4
            grep -q '^SigIgn:	0000000000000000$' /proc/$$/status || exit 5
            echo '{"done":1}'
            """#)
        #expect(app.step() == StepResult())
    }

    @Test("What cannot be started: declaration, program and the machine's reason")
    func missing() throws {
        let text = """
            {"name": "app", "command": ["no-such-program"], "bundle": "b", "channel": "record", "promises": {"note": "keepsAll"},
             "actions": [{"name": "write", "kind": "note", "verb": "put", "prefix": "note"}]}
            """
        let program = try AppProgram(json: text, file: "app.json")
        let app = ProgramParticipant(
            id: .app(pad: 1, launch: 1), program: program, spec: .empty, limitMilliseconds: nil)
        guard case .broke(let message) = app.step().end else { return #expect(Bool(false)) }
        #expect(
            message.contains("app.json: 'no-such-program' cannot be started in the folder .: No such file"),
            "\(message)")
    }

    @Test("A launch that goes takes its process along")
    func gone() throws {
        let mark = FileManager.default.temporaryDirectory.appending(path: "homeroom-program-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: mark) }
        var app: ProgramParticipant? = try launched(
            "read launch; read step; echo $$ > \(mark.path); echo '{\"done\":1}'; read step")
        #expect(app?.step() == StepResult())
        let pid = try #require(
            Int32(try String(contentsOf: mark, encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines)))
        #expect(kill(pid, 0) == 0)
        app = nil
        #expect(kill(pid, 0) != 0)
    }

    @Test(
        "The end of a program crosses frames whole", arguments: [nil, ProgramEnd.died("a"), .broke("b"), .stalled("c")])
    func frames(_ end: ProgramEnd?) throws {
        var writer = ByteWriter()
        StepResult(end: end).write(to: &writer)
        var reader = ByteReader(writer.bytes)
        #expect(try StepResult(from: &reader) == StepResult(end: end))
        #expect(reader.isAtEnd)
    }
}
