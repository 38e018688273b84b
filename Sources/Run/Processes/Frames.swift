import CInterpose
import FleetModel

/// What host and participant process say to each other: a 4-byte length, a kind, a body.
package enum FrameKind: UInt8 {
    /// Host to participant: now, inputs.
    case step = 1
    /// Participant to host: the step's result.
    case result = 2
    /// Participant to host in the middle of a step: posts, question.
    case call = 3
    /// Host to participant: the answer.
    case answer = 4
    /// Participant to host, last words: a determinism leak.
    case leak = 5
    /// Host to zygote: participant, spec, log path; a descriptor follows. Answer: pid.
    case spawn = 6
    /// Host to zygote: pid. Answer: wait status.
    case reap = 7
    /// Worker to supervisor: the outcome of the run.
    case outcome = 8
    /// Participant to host, last words: the machine failed beneath it.
    case machine = 9
    /// Live, to an iPad or an app: inputs that have come for it.
    case inputs = 10
    /// Live, of an iPad: its moment, messages handled so far, outputs; of an app: outputs.
    case outputs = 11
    /// Live, to an iPad's process: what the nemesis wants of the process itself.
    case order = 12
    /// Live, of an iPad's process: it did its last step.
    case fallen = 13
    /// Live, last words of an iPad's process: the testbed failed.
    case failed = 14
    /// Debugger, to a process that plays: what it shall do or show.
    case question = 15
    /// Of a process that plays, to the debugger: the answer, or a snapshot that it has left; a descriptor may follow.
    case reply = 16
}

/// A frame could not be read.
package enum FrameEnd: Error {
    /// The other side closed or died.
    case closed
    /// Nothing came within the limit.
    case late
    /// Not a frame: length or kind is out of range.
    case malformed
}

/// Blocking, whole frames over one socket.
package struct FrameSocket {
    package let fd: Int32
    /// To the zygote a descriptor may follow a frame: it must not be swallowed by a read.
    package var isFollowedByDescriptor = false

    package init(fd: Int32, isFollowedByDescriptor: Bool = false) {
        self.fd = fd
        self.isFollowedByDescriptor = isFollowedByDescriptor
    }

    /// Larger frames are refused: a hostile app must not make the World reserve memory without end. A message of a GiB is the one thing
    /// that `sim` can carry and `fleet` cannot.
    package static let bytesMax = 1 << 30

    package func send(_ kind: FrameKind, _ body: ByteWriter) -> Bool { send(kind, body.bytes) }
    package func send(_ kind: FrameKind, _ body: [UInt8]) -> Bool {
        guard let frame = Self.frame(kind, body) else { return false }
        return hr_write_all(fd, frame, frame.count) == 0
    }
    /// Nil for a body that is too large.
    package static func frame(_ kind: FrameKind, _ body: [UInt8]) -> [UInt8]? {
        guard body.count <= bytesMax else { return nil }
        var frame: [UInt8] = []
        frame.reserveCapacity(body.count + headBytes)
        withUnsafeBytes(of: UInt32(body.count).littleEndian) { frame.append(contentsOf: $0) }
        frame.append(kind.rawValue)
        frame.append(contentsOf: body)
        return frame
    }

    /// Most frames come with one read. Both sides take turns, so nothing may lie behind a frame.
    private static let oneReadMax = 4096

    package func receive() throws(FrameEnd) -> (FrameKind, [UInt8]) {
        if isFollowedByDescriptor {
            var head = [UInt8](repeating: 0, count: Self.headBytes)
            try check(hr_read_all(fd, &head, head.count))
            return try body(after: head, Self.header(head))
        }
        var got = 0
        var bytes = [UInt8](unsafeUninitializedCapacity: Self.oneReadMax) { buffer, count in
            got = hr_read_some(fd, buffer.baseAddress, Self.oneReadMax)
            count = max(0, got)
        }
        try check(got > 0 ? 1 : Int32(got))
        while bytes.count < Self.headBytes {
            var byte: UInt8 = 0
            try check(hr_read_all(fd, &byte, 1))
            bytes.append(byte)
        }
        return try body(after: bytes, Self.header(bytes))
    }

    package static let headBytes = 5
    package static func header(_ bytes: [UInt8]) throws(FrameEnd) -> (length: Int, kind: FrameKind) {
        let length = Int(bytes[0]) | Int(bytes[1]) << 8 | Int(bytes[2]) << 16 | Int(bytes[3]) << 24
        guard length <= bytesMax, let kind = FrameKind(rawValue: bytes[4]) else { throw .malformed }
        return (length, kind)
    }
    /// - Parameter start: what came with the head.
    private func body(after start: [UInt8], _ head: (length: Int, kind: FrameKind)) throws(FrameEnd) -> (
        FrameKind, [UInt8]
    ) {
        let here = start.count - Self.headBytes
        guard here <= head.length else { throw .malformed }
        var body = Array(start[Self.headBytes...])
        // Memory follows what really comes, not what a head promises.
        while body.count < head.length {
            let size = min(head.length - body.count, 1 << 20)
            var status: Int32 = 1
            body += [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
                status = hr_read_all(fd, buffer.baseAddress, size)
                count = status == 1 ? size : 0
            }
            try check(status)
        }
        return (head.kind, body)
    }

    private func check(_ status: Int32) throws(FrameEnd) {
        if status == -2 { throw .late }
        if status != 1 { throw .closed }
    }
}
