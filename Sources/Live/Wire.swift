import CInterpose
import FleetModel
import Glibc
import Run

/// Frames between processes that run freely: many may be on their way in both directions, and nobody waits for the other.
///
/// Sending is whole (`send`, waits for room) or queued (`queue`, never waits): of two ends at most one may use `send`, or they could
/// wait for each other for ever.
final class Wire {
    let fd: Int32
    /// The other end closed or died, or sent what is no frame.
    private(set) var isClosed = false
    /// What came is no frame.
    private(set) var isMalformed = false
    private var incoming: [UInt8] = []
    private var taken = 0
    private var outgoing: [UInt8] = []
    private var sent = 0

    /// Taken at once, so that one talkative neighbour does not keep the others waiting.
    private static let readBytesMax = 1 << 20

    init(_ fd: Int32) { self.fd = fd }

    // MARK: Receiving

    /// Takes in what has come, without waiting.
    func receive() {
        var got = 0
        while got < Self.readBytesMax, !isClosed {
            let size = 1 << 16
            var count = 0
            let part = [UInt8](unsafeUninitializedCapacity: size) { buffer, filled in
                repeat {
                    count = recv(fd, buffer.baseAddress, size, Int32(MSG_DONTWAIT))
                } while count < 0 && errno == EINTR
                filled = max(0, count)
            }
            if count < 0, errno == EAGAIN { return }
            guard count > 0 else { return isClosed = true }
            incoming += part
            got += count
            if count < size { return }
        }
    }

    /// The next whole frame that has been received; nil when there is none yet.
    func next() -> (kind: FrameKind, body: [UInt8])? {
        guard incoming.count - taken >= FrameSocket.headBytes else { return tidy() }
        let head = Array(incoming[taken..<taken + FrameSocket.headBytes])
        guard let (length, kind) = try? FrameSocket.header(head) else {
            (isClosed, isMalformed) = (true, true)
            return nil
        }
        let start = taken + FrameSocket.headBytes
        guard incoming.count - start >= length else { return tidy() }
        taken = start + length
        return (kind, Array(incoming[start..<taken]))
    }
    private func tidy() -> (kind: FrameKind, body: [UInt8])? {
        incoming.removeFirst(taken)
        taken = 0
        return nil
    }

    /// Waits until something can be received.
    /// - Parameter milliseconds: -1: for ever.
    func wait(milliseconds: Int32) {
        var descriptor = pollfd(fd: fd, events: Int16(POLLIN), revents: 0)
        _ = poll(&descriptor, 1, milliseconds)
    }

    // MARK: Sending

    /// Sends a whole frame, however long it takes.
    /// - Returns: false when the other end is gone.
    func send(_ kind: FrameKind, _ writer: ByteWriter) -> Bool { FrameSocket(fd: fd).send(kind, writer) }

    /// Leaves a frame to `flush`.
    func queue(_ kind: FrameKind, _ writer: ByteWriter) {
        guard let frame = FrameSocket.frame(kind, writer.bytes) else { return isClosed = true }
        outgoing += frame
        flush()
    }
    var wantsToSend: Bool { sent < outgoing.count && !isClosed }
    /// Sends as much as there is room for, without waiting.
    func flush() {
        while wantsToSend {
            let count = outgoing.withUnsafeBytes { bytes in
                Glibc.send(
                    fd, bytes.baseAddress! + sent, bytes.count - sent,
                    Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
            }
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EAGAIN { return }
            // What it has sent before it went can still be received.
            guard count > 0 else { break }
            sent += count
        }
        outgoing.removeAll(keepingCapacity: outgoing.count < 1 << 16)
        sent = 0
    }

    func close() {
        isClosed = true
        _ = Glibc.close(fd)
    }
}

extension ByteReader {
    mutating func inputs() throws(DecodingFailure) -> [Input] {
        var inputs: [Input] = []
        for _ in 0..<(try count()) { inputs.append(try Input(from: &self)) }
        return inputs
    }
    mutating func outputs() throws(DecodingFailure) -> [Output] {
        var outputs: [Output] = []
        for _ in 0..<(try count()) { outputs.append(try Output(from: &self)) }
        return outputs
    }
    mutating func requests() throws(DecodingFailure) -> [RequestEnd] {
        var requests: [RequestEnd] = []
        for _ in 0..<(try count()) { requests.append(try RequestEnd(from: &self)) }
        return requests
    }
}
extension ByteWriter {
    mutating func inputs(_ inputs: [Input]) {
        varint(UInt64(inputs.count))
        for input in inputs { input.write(to: &self) }
    }
    mutating func outputs(_ outputs: [Output]) {
        varint(UInt64(outputs.count))
        for output in outputs { output.write(to: &self) }
    }
}
