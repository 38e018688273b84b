import FleetModel
import Glibc
import Run

/// Participants as processes forked from one warm zygote, stepped in lockstep: real SIGKILL, real memory, statics of their own.
public final class ProcessHost: Host {
    private let zygote: Zygote
    private let logs: String?
    private let limitMilliseconds: Int32
    private var running: [ParticipantID: (pid: pid_t, socket: FrameSocket)] = [:]
    /// People are no process: they are the workload, and stay beside the World.
    private let people: InProcessHost

    /// To be called before the process has threads or a large heap.
    /// - Parameters:
    ///   - logs: folder for what participants print; nil: nowhere.
    ///   - limitMilliseconds: wall time after which an app's step counts as a spin. Pads and the Cloud have five times as much: they do not
    ///     spin, but the machine may be slow.
    public init(logs: String?, limitMilliseconds: Int32, make: @escaping ParticipantFactory) throws(RunEnd) {
        self.logs = logs
        self.limitMilliseconds = limitMilliseconds
        people = InProcessHost(make: make)
        zygote = try Zygote { id, spec, socket in ParticipantServer.serve(try make(id, spec), on: socket) }
    }

    /// Process ids by participant, for measurements and tests.
    public var processes: [ParticipantID: Int32] { running.mapValues(\.pid) }

    /// Forks the zygote; a process of the same id is killed first. What it prints goes to a file of its name in `logs`.
    public func start(_ id: ParticipantID, spec: Value) throws(RunEnd) {
        if id == .people { return try people.start(id, spec: spec) }
        kill(id)
        let log = logs.map { "\($0)/\(id.description.split(separator: "/").joined(separator: "-")).log" } ?? ""
        var limit = limitMilliseconds.multipliedReportingOverflow(by: 5).partialValue
        if case .app = id { limit = limitMilliseconds }
        running[id] = try zygote.spawn(id, spec: spec, log: log, limitMilliseconds: limit)
    }

    /// Sends a frame and serves calls until the result comes. Throws `spun` after the limit; the process is dead then.
    public func step(
        _ id: ParticipantID, now: Instant, inputs: [Input], onCall: @escaping CallHandler
    ) throws(ParticipantEnd) -> StepResult {
        if id == .people { return try people.step(id, now: now, inputs: inputs, onCall: onCall) }
        guard let socket = running[id]?.socket else { throw .died("it was never started") }
        var writer = ByteWriter(reserving: 256)
        writer.signed(now.nanoseconds)
        writer.varint(UInt64(inputs.count))
        for input in inputs { input.write(to: &writer) }
        // A participant that has ended may have left last words: they are read below.
        _ = socket.send(.step, writer)
        while true {
            let (kind, body) = try receive(from: id, socket)
            var reader = ByteReader(body)
            switch kind {
            case .result:
                guard let result = try? StepResult(from: &reader) else {
                    throw .died(end(id, "it sent a malformed result"))
                }
                return result
            case .call: try serve(&reader, for: id, socket, onCall)
            case .leak: throw .leaked((try? reader.string()) ?? "unknown")
            case .machine: throw .machineFailed((try? reader.string()) ?? "unknown")
            default: throw .died(end(id, "it sent an unknown frame"))
            }
        }
    }

    private func receive(from id: ParticipantID, _ socket: FrameSocket) throws(ParticipantEnd) -> (FrameKind, [UInt8]) {
        do { return try socket.receive() } catch {
            switch error {
            case .late:
                kill(id)
                throw .spun
            case .closed:
                let how = end(id)
                if how == WaitStatus.killed { throw .killedFromOutside }
                throw .died(how)
            case .malformed: throw .died(end(id, "it sent a malformed frame"))
            }
        }
    }

    private func serve(
        _ reader: inout ByteReader, for id: ParticipantID, _ socket: FrameSocket, _ onCall: CallHandler
    ) throws(ParticipantEnd) {
        guard let (message, posts) = try? Self.question(&reader) else {
            throw .died(end(id, "it sent a malformed call"))
        }
        guard let answer = onCall(message, posts) else {
            kill(id)
            throw .killed
        }
        var writer = ByteWriter(reserving: 128)
        answer.write(to: &writer)
        guard socket.send(.answer, writer) else { throw .died(end(id)) }
    }

    private static func question(_ reader: inout ByteReader) throws(DecodingFailure) -> (Message, [Output]) {
        var posts: [Output] = []
        for _ in 0..<(try reader.count()) { posts.append(try Output(from: &reader)) }
        return (try Message(from: &reader), posts)
    }

    /// Kills what is left of it and says how it ended.
    private func end(_ id: ParticipantID, _ reason: String? = nil) -> String {
        guard let (pid, socket) = running.removeValue(forKey: id) else { return "it was never started" }
        if reason != nil { Glibc.kill(pid, SIGKILL) }
        let status = zygote.reap(pid)
        close(socket.fd)
        return reason ?? WaitStatus.words(for: status)
    }

    /// SIGKILL, and waits until the process is gone.
    public func kill(_ id: ParticipantID) {
        guard let (pid, socket) = running.removeValue(forKey: id) else { return }
        Glibc.kill(pid, SIGKILL)
        _ = zygote.reap(pid)
        close(socket.fd)
    }

    /// SIGKILL to all, and the zygote ends: nothing can be started afterwards.
    public func shutDown() {
        for (pid, socket) in running.values {
            Glibc.kill(pid, SIGKILL)
            close(socket.fd)
        }
        running = [:]
        zygote.shutDown()
    }
}
