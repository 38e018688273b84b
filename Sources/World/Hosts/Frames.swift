import CInterpose
import FleetModel

/// What host and participant process say to each other: a 4-byte length, a kind, a body.
enum FrameKind: UInt8 {
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
}

/// A frame could not be read.
enum FrameEnd: Error {
    /// The other side closed or died.
    case closed
    /// Nothing came within the limit.
    case late
    /// Not a frame: length or kind is out of range.
    case malformed
}

/// Blocking, whole frames over one socket.
struct FrameSocket {
    let fd: Int32
    /// Larger frames are refused: a hostile app must not make the World reserve memory without end. A message of a GiB is the one thing
    /// that `sim` can carry and `fleet` cannot.
    static let bytesMax = 1 << 30

    func send(_ kind: FrameKind, _ body: ByteWriter) -> Bool { send(kind, body.bytes) }
    func send(_ kind: FrameKind, _ body: [UInt8]) -> Bool {
        guard body.count <= Self.bytesMax else { return false }
        var frame: [UInt8] = []
        frame.reserveCapacity(body.count + 5)
        withUnsafeBytes(of: UInt32(body.count).littleEndian) { frame.append(contentsOf: $0) }
        frame.append(kind.rawValue)
        frame.append(contentsOf: body)
        return hr_write_all(fd, frame, frame.count) == 0
    }

    /// - Parameter milliseconds: longest wait for the next bytes; nil: for ever.
    func receive(within milliseconds: Int32?) throws(FrameEnd) -> (FrameKind, [UInt8]) {
        var head: (UInt8, UInt8, UInt8, UInt8, UInt8) = (0, 0, 0, 0, 0)
        try check(withUnsafeMutableBytes(of: &head) { hr_read_all(fd, $0.baseAddress, 5, milliseconds ?? -1) })
        let length = Int(head.0) | Int(head.1) << 8 | Int(head.2) << 16 | Int(head.3) << 24
        guard length <= Self.bytesMax, let kind = FrameKind(rawValue: head.4) else { throw .malformed }
        if length == 0 { return (kind, []) }
        var status: Int32 = 1
        let body = [UInt8](unsafeUninitializedCapacity: length) { buffer, count in
            status = hr_read_all(fd, buffer.baseAddress, length, milliseconds ?? -1)
            count = status == 1 ? length : 0
        }
        try check(status)
        return (kind, body)
    }

    private func check(_ status: Int32) throws(FrameEnd) {
        if status == -2 { throw .late }
        if status != 1 { throw .closed }
    }
}
