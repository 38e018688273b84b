/// Binary form of what crosses the seam: frames between processes, and the bytes that the run's digest covers.
extension Payload {
    /// Short name for traces: `post`, `request`, ...
    public var kindName: String {
        switch self {
        case .post: "post"
        case .call: "call"
        case .answer: "answer"
        case .request: "request"
        case .response: "response"
        case .failure: "failure"
        case .push: "push"
        case .command: "command"
        case .host: "host"
        case .note: "note"
        }
    }

    /// What it is about, in a word or two: `kvs.set`, `POST /kvs/v1/sync`, `200`.
    public var subject: String {
        switch self {
        case .post(let message), .call(let message), .answer(let message), .push(let message), .command(let message):
            message.name
        case .request(let request): "\(request.method) \(request.target)"
        case .response(let response): String(response.status)
        case .failure(let failure): "\(failure)"
        case .host(.launch(let launch, let app, _)): "launch \(app) \(launch)"
        case .host(.kill(let launch)): "kill \(launch)"
        case .note(let note): note.kind.rawValue
        }
    }

    /// A tag of one byte, 1 to 11, then what the kind holds.
    public func write(to writer: inout ByteWriter) {
        switch self {
        case .post(let message): writer.byte(1); message.write(to: &writer)
        case .call(let message): writer.byte(2); message.write(to: &writer)
        case .answer(let message): writer.byte(3); message.write(to: &writer)
        case .request(let request): writer.byte(4); request.write(to: &writer)
        case .response(let response): writer.byte(5); response.write(to: &writer)
        case .failure(let failure): writer.byte(6); writer.byte(failure.rawValue)
        case .push(let message): writer.byte(7); message.write(to: &writer)
        case .command(let message): writer.byte(8); message.write(to: &writer)
        case .host(.launch(let launch, let app, let spec)):
            writer.byte(9)
            writer.varint(UInt64(launch))
            writer.string(app)
            spec.write(to: &writer)
        case .host(.kill(let launch)): writer.byte(10); writer.varint(UInt64(launch))
        case .note(let note): writer.byte(11); note.write(to: &writer)
        }
    }

    /// Reads what `write(to:)` wrote.
    /// - Throws: `DecodingFailure` for an unknown tag or bytes that end too early.
    public init(from reader: inout ByteReader) throws(DecodingFailure) {
        let tag = try reader.byte()
        switch tag {
        case 1: self = .post(try Message(from: &reader))
        case 2: self = .call(try Message(from: &reader))
        case 3: self = .answer(try Message(from: &reader))
        case 4: self = .request(try HTTPRequest(from: &reader))
        case 5: self = .response(try HTTPResponse(from: &reader))
        case 6:
            guard let failure = NetworkFailure(rawValue: try reader.byte()) else {
                throw DecodingFailure("unknown network failure", at: reader.offset)
            }
            self = .failure(failure)
        case 7: self = .push(try Message(from: &reader))
        case 8: self = .command(try Message(from: &reader))
        case 9:
            let launch = Int(truncatingIfNeeded: try reader.varint())
            self = .host(.launch(launch: launch, app: try reader.string(), spec: try Value(from: &reader)))
        case 10: self = .host(.kill(launch: Int(truncatingIfNeeded: try reader.varint())))
        case 11: self = .note(try Note(from: &reader))
        default: throw DecodingFailure("unknown payload tag \(tag)", at: reader.offset)
        }
    }
}

extension Message {
    /// Name, then body.
    public func write(to writer: inout ByteWriter) {
        writer.string(name)
        body.write(to: &writer)
    }
    /// Any name is taken: the receiver says what it does not know.
    public init(from reader: inout ByteReader) throws(DecodingFailure) {
        name = try reader.string()
        body = try Value(from: &reader)
    }
}

extension ParticipantID {
    /// A tag of one byte, 0 to 3, then the numbers.
    public func write(to writer: inout ByteWriter) {
        switch self {
        case .people: writer.byte(0)
        case .cloud: writer.byte(1)
        case .pad(let pad): writer.byte(2); writer.varint(UInt64(pad))
        case .app(let pad, let launch): writer.byte(3); writer.varint(UInt64(pad)); writer.varint(UInt64(launch))
        }
    }
    /// - Throws: `DecodingFailure` for an unknown tag. Numbers are not checked against the run.
    public init(from reader: inout ByteReader) throws(DecodingFailure) {
        let tag = try reader.byte()
        switch tag {
        case 0: self = .people
        case 1: self = .cloud
        case 2: self = .pad(Int(truncatingIfNeeded: try reader.varint()))
        case 3:
            let pad = Int(truncatingIfNeeded: try reader.varint())
            self = .app(pad: pad, launch: Int(truncatingIfNeeded: try reader.varint()))
        default: throw DecodingFailure("unknown participant tag \(tag)", at: reader.offset)
        }
    }
}

extension Input {
    /// Sender, exchange, payload: the run's digest is made of these bytes.
    public func write(to writer: inout ByteWriter) {
        from.write(to: &writer)
        writer.varint(exchange)
        payload.write(to: &writer)
    }
    /// - Throws: `DecodingFailure` for bytes that `write(to:)` does not write.
    public init(from reader: inout ByteReader) throws(DecodingFailure) {
        from = try ParticipantID(from: &reader)
        exchange = try reader.varint()
        payload = try Payload(from: &reader)
    }
}

extension Output {
    /// Receiver, exchange, cause, payload.
    public func write(to writer: inout ByteWriter) {
        to.write(to: &writer)
        writer.varint(exchange)
        writer.string(cause)
        payload.write(to: &writer)
    }
    /// - Throws: `DecodingFailure` for bytes that `write(to:)` does not write.
    public init(from reader: inout ByteReader) throws(DecodingFailure) {
        to = try ParticipantID(from: &reader)
        exchange = try reader.varint()
        cause = try reader.string()
        payload = try Payload(from: &reader)
    }
}

extension StepResult {
    /// Outputs, timer (-1 for none), entropy, problems, and how a program ended (0 for not at all).
    public func write(to writer: inout ByteWriter) {
        writer.varint(UInt64(outputs.count))
        for output in outputs { output.write(to: &writer) }
        writer.signed(nextTimer?.nanoseconds ?? -1)
        writer.fixed64(entropy)
        writer.varint(UInt64(problems.count))
        for problem in problems { writer.string(problem) }
        switch end {
        case nil: writer.byte(0)
        case .died(let how): writer.byte(1); writer.string(how)
        case .broke(let how): writer.byte(2); writer.string(how)
        case .stalled(let how): writer.byte(3); writer.string(how)
        }
    }
    /// - Throws: `DecodingFailure` for bytes that `write(to:)` does not write.
    public init(from reader: inout ByteReader) throws(DecodingFailure) {
        self.init()
        for _ in 0..<(try reader.count()) { outputs.append(try Output(from: &reader)) }
        let timer = try reader.signed()
        nextTimer = timer < 0 ? nil : Instant(nanoseconds: timer)
        entropy = try reader.fixed64()
        for _ in 0..<(try reader.count()) { problems.append(try reader.string()) }
        switch try reader.byte() {
        case 0: end = nil
        case 1: end = .died(try reader.string())
        case 2: end = .broke(try reader.string())
        case 3: end = .stalled(try reader.string())
        case let tag: throw DecodingFailure("a program cannot end in the way \(tag)", at: reader.offset)
        }
    }
}
