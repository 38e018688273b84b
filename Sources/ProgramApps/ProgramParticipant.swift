import FleetModel
import Run

/// One launch of a program behind the seam: frames become lines, and lines become frames. The program waits for a line between its steps, so
/// it sees what an app in Swift sees, in the same order.
public final class ProgramParticipant: Participant {
    /// More posts than this in one step are a loop of the program.
    static let postsPerStepMax = 10_000

    private let program: AppProgram
    private let pad: ParticipantID
    /// Nil: it could not be started, as `failedStart` says.
    private let process: ProgramProcess?
    private let failedStart: String
    private var account: Account
    private var steps: Int64 = 0
    /// Edits whose `ui.perform` the program has and has not begun, by exchange.
    private var unbegun: [UInt64: Token] = [:]
    /// The program has ended or was killed: it does nothing any more.
    private var isOver = false

    /// What this launch has heard of its iCloud account.
    private struct Account {
        var identity: String?
        var status: Int64
    }

    /// Starts the program and says what it is launched for.
    /// - Parameters:
    ///   - spec: `HostOrder.launch` (Docs/local-link.md).
    ///   - limitMilliseconds: longest wait for a line, on the machine's clock; nil: none, in live.
    public init(id: ParticipantID, program: AppProgram, spec: Value, limitMilliseconds: Int32?) {
        self.program = program
        pad = .pad(id.pad ?? 0)
        account = Account(identity: spec["identity"]?.string, status: spec["accountStatus"]?.int ?? 1)
        do throws(ProgramProblem) {
            (process, failedStart) = (try ProgramProcess(program, limitMilliseconds: limitMilliseconds), "")
        } catch { (process, failedStart) = (nil, error.message) }
        var launch = spec
        launch["protocol"] = .int(AppProtocol.version)
        launch["pad"] = .string("\(pad)")
        // As many bits as every language has in a number of JSON.
        let seed = StableHash.of(UInt64(bitPattern: spec["seed"]?.int ?? 0), "program", id.description) >> 11
        launch["seed"] = .int(Int64(seed))
        launch["epoch"] = .int(Instant.epochNanoseconds / 1_000_000_000)
        // Whether it took the line shows at its first step.
        do { try process?.send((["launch": launch] as Value).jsonBytes) } catch {}
    }

    public func step(now: Instant, inputs: [Input], link: any CallLink) -> StepResult {
        guard !isOver else { return StepResult() }
        do {
            return try take(now, inputs, link)
        } catch {
            isOver = true
            process?.kill()
            return error == .killed ? StepResult() : StepResult(end: error.end)
        }
    }

    /// Why a step has no result.
    private enum Failure: Error, Equatable {
        case killed
        case over(ProgramEnd)
        var end: ProgramEnd? { if case .over(let end) = self { end } else { nil } }
    }

    private func take(_ now: Instant, _ inputs: [Input], _ link: any CallLink) throws(Failure) -> StepResult {
        steps += 1
        guard let process else { throw .over(.broke(failedStart)) }
        var messages: [Value] = []
        for input in inputs {
            guard case .post(var message) = input.payload else { continue }
            if message.name == AppMessages.IdentityChanged.name { message = try learn(message, link) }
            if message.name == HandMessages.Perform.name { unbegun[input.exchange] = message["token"]?.string ?? "" }
            var body: Value = ["post": .string(message.name), "body": message.body]
            if input.exchange != 0 { body["exchange"] = .int(Int64(clamping: input.exchange)) }
            messages.append(body)
        }
        try send(process, ["step": .int(steps), "now": .int(now.nanoseconds), "inputs": .array(messages)])
        var result = StepResult()
        while true {
            let line = try receive(process)
            if line["post"] != nil {
                result.outputs.append(try output(of: line))
                guard result.outputs.count <= Self.postsPerStepMax else {
                    throw broken(
                        "more than \(Self.postsPerStepMax) posts in one step; end the step with 'done' and go on at a timer"
                    )
                }
            } else if line["call"] != nil {
                let name = line["call"]?.string ?? ""
                try check(name, "call", [.call, .ask])
                guard let answer = link.call(Message(name, line["body"] ?? .empty), after: result.outputs) else {
                    throw .killed
                }
                result.outputs = []
                try send(process, ["answer": .string(name), "body": answer.body])
            } else {
                guard line["done"]?.int == steps else {
                    throw broken(
                        "'done' ends step \(line["done"]?.json ?? ""), and this is step \(steps): print it once for each line 'step'"
                    )
                }
                result.nextTimer = line["timer"]?.int.map(Instant.init(nanoseconds:))
                return result
            }
        }
    }

    // MARK: Lines

    private func send(_ process: ProgramProcess, _ line: Value) throws(Failure) {
        do { try process.send(line.jsonBytes) } catch { throw failure(error) }
    }

    /// The next line, whose members are as the protocol says.
    private func receive(_ process: ProgramProcess) throws(Failure) -> Value {
        let bytes: [UInt8]
        do { bytes = try process.receive() } catch { throw failure(error) }
        let line: Value
        do { line = try Value(json: bytes) } catch {
            throw broken(
                "this is no JSON (\(error)): \(Self.excerpt(bytes)); print one object of JSON a line, and everything else on standard error"
            )
        }
        guard let kind = AppProtocol.fromProgram.first(where: { line[$0.name] != nil }) else {
            throw broken("this is neither 'post', 'call' nor 'done': \(Self.excerpt(bytes))")
        }
        if let fault = AppProtocol.fault(in: line, of: kind.members) {
            throw broken("\(fault): \(Self.excerpt(bytes))")
        }
        return line
    }
    private static func excerpt(_ bytes: [UInt8]) -> String {
        let text = String(decoding: bytes.prefix(80), as: UTF8.self).visible
        return "'\(text)\(bytes.count > 80 ? "..." : "")'"
    }

    private var lines: Int { process?.lines ?? 0 }

    private func broken(_ text: String) -> Failure {
        .over(.broke("\(program.title), line \(lines) of its output: \(text) (Docs/app-protocol.md)"))
    }

    private func failure(_ ending: ProgramProcess.Ending) -> Failure {
        switch ending {
        case .ended(let status):
            let words = WaitStatus.words(for: status)
            guard words == WaitStatus.killed else { return .over(.died(words)) }
            return .over(
                .broke(
                    "\(program.title) was killed from outside (signal 9), as the machine does when its memory runs out: use fewer iPads or "
                        + "give it more memory, and run again"))
        case .deaf:
            return .over(
                .broke(
                    "\(program.title) closed its standard output after line \(lines) and runs on: keep it open until it ends"
                ))
        case .late:
            return .over(
                .stalled(
                    "\(program.title) did not end step \(steps) within the wall limit; the last line that it printed is number \(lines). "
                        + "End each step with 'done', flush standard output, or raise --spin-limit (Docs/app-protocol.md)"
                ))
        case .endless:
            return .over(
                .broke(
                    "\(program.title), line \(lines + 1) of its output: has more than \(ProgramProcess.lineBytesMax) bytes and no end; "
                        + "print one object of JSON a line (Docs/app-protocol.md)"))
        }
    }

    // MARK: Messages

    /// A message that nobody answers in this way would leave the program waiting.
    private func check(_ name: String, _ line: String, _ ways: [LocalMessages.Way]) throws(Failure) {
        guard let way = LocalMessages.way(of: name) else {
            throw broken("there is no message '\(name.prefix(60).description.visible)'")
        }
        // A coordinated access may wait for its turn: then it is posted.
        guard !ways.contains(way), ![DocumentMessages.BeginRead.name, DocumentMessages.BeginWrite.name].contains(name)
        else { return }
        switch way {
        case .call: throw broken("'\(name)' is answered at once: print {\"call\": \"\(name)\", ...}")
        case .ask, .post, .question:
            throw broken("'\(name)' is not answered at once: print {\"post\": \"\(name)\", ...}")
        case .notice, .command: throw broken("'\(name)' comes from the iPad, and wants no answer")
        }
    }

    /// The account is another one from this instant on, as in every app (Docs/local-link.md, Identity).
    private func learn(_ message: Message, _ link: any CallLink) throws(Failure) -> Message {
        let (identity, status) = (message["identity"]?.string, message["accountStatus"]?.int ?? account.status)
        var changed: [String] = []
        if identity != account.identity { changed.append("identity") }
        if status != account.status { changed.append("accountStatus") }
        account = Account(identity: identity, status: status)
        if changed.contains("identity") {
            let taken = Message(IdentityMessages.Taken.name, ["identity": .optional(identity)])
            guard link.call(taken, after: []) != nil else { throw .killed }
        }
        var body = message.body
        body["changed"] = .strings(changed)
        return Message(message.name, body)
    }

    private func output(of line: Value) throws(Failure) -> Output {
        let name = line["post"]?.string ?? ""
        var body = line["body"] ?? .empty
        let exchange = UInt64(clamping: line["exchange"]?.int ?? 0)
        try check(name, "post", [.ask, .post, .question])
        switch name {
        case HandMessages.Began.name: body = try began(body)
        case HandMessages.Perform.name:
            guard unbegun[exchange] == nil else {
                throw broken(
                    "the answer to 'ui.perform' of \(unbegun[exchange] ?? ""), before 'ui.began' said what the item showed"
                )
            }
        case HandMessages.LookAtState.name: body = try state(body)
        default: break
        }
        return Output(to: pad, .post(Message(name, body)), exchange: exchange)
    }

    /// The program says what the item shows, and the tokens in it are found here.
    private func began(_ body: Value) throws(Failure) -> Value {
        guard let token = body["token"]?.string else { throw broken("'ui.began' lacks 'token'") }
        unbegun = unbegun.filter { $0.value != token }
        var item: Item?
        if let text = body["text"]?.string {
            item = Item(id: "", kind: "", text: text)
        } else if let digest = body["digest"]?.string {
            item = Item(id: "", kind: "", digest: digest)
        } else if body["text"]?.isNull != true {
            throw broken("'ui.began' lacks 'text': what the item shows before the edit, or null")
        }
        return [
            "token": .string(token), "saw": .strings(item?.tokens ?? []), "sawDigest": .optional(item?.digest),
        ]
    }

    private func state(_ body: Value) throws(Failure) -> Value {
        guard let items = body["items"]?.array else { throw broken("'ui.state' lacks 'items', a list") }
        var bodies: [Value] = []
        for (index, item) in items.enumerated() {
            guard let id = item["id"]?.string, let kind = item["kind"]?.string else {
                throw broken("'ui.state': items[\(index)] lacks 'id' or 'kind', a text each")
            }
            if let text = item["text"]?.string {
                bodies.append(Item(id: id, kind: kind, text: text).body)
            } else if let digest = item["digest"]?.string {
                bodies.append(Item(id: id, kind: kind, digest: digest).body)
            } else {
                throw broken("'ui.state': items[\(index)] lacks 'text', or 'digest' of a flag")
            }
        }
        return ["items": .array(bodies), "complete": .bool(body["complete"]?.bool ?? true)]
    }
}
