import FleetModel
import Glibc
import Run

/// The participant's side of a process: reads STEP frames, steps, writes RESULT frames, until the socket closes.
enum ParticipantServer {
    static func serve(_ participant: any Participant, on socket: FrameSocket) -> Never {
        while let (kind, body) = try? socket.receive(), kind == .step {
            var reader = ByteReader(body)
            guard let now = try? reader.signed(), let inputs = try? Self.inputs(&reader) else { _exit(87) }
            let link = SocketLink(socket)
            let result = participant.step(now: Instant(nanoseconds: now), inputs: inputs, link: link)
            var writer = ByteWriter(reserving: 256)
            result.write(to: &writer)
            guard socket.send(.result, writer) else { break }
        }
        _exit(0)
    }

    private static func inputs(_ reader: inout ByteReader) throws(DecodingFailure) -> [Input] {
        var inputs: [Input] = []
        for _ in 0..<(try reader.count()) { inputs.append(try Input(from: &reader)) }
        return inputs
    }
}

/// The call link of a process: a frame out, a frame back. A closed socket means that the caller is being killed.
private final class SocketLink: CallLink {
    private let socket: FrameSocket
    init(_ socket: FrameSocket) { self.socket = socket }

    func call(_ message: Message, after posts: [Output]) -> Message? {
        var writer = ByteWriter(reserving: 128)
        writer.varint(UInt64(posts.count))
        for post in posts { post.write(to: &writer) }
        message.write(to: &writer)
        guard socket.send(.call, writer), let (kind, body) = try? socket.receive(), kind == .answer else {
            _exit(0)
        }
        var reader = ByteReader(body)
        guard let answer = try? Message(from: &reader) else { _exit(87) }
        return answer
    }
}
