import FleetModel
import Glibc
import Testing

@testable import Live
@testable import Run

/// Two connected wires of one process.
struct WirePair {
    let here: Wire
    let there: Wire

    init() {
        var ends: [Int32] = [-1, -1]
        precondition(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0, "no socket for a test")
        (here, there) = (Wire(ends[0]), Wire(ends[1]))
    }

    /// Waits for the next frame; nil when the other end is closed, or nothing came for a minute.
    static func next(of wire: Wire) -> (kind: FrameKind, body: [UInt8])? {
        for _ in 0..<600 {
            if let frame = wire.next() { return frame }
            if wire.isClosed { return nil }
            wire.wait(milliseconds: 100)
            wire.receive()
        }
        return nil
    }
}

@Suite("Wire", .timeLimit(.minutes(20))) struct WireTests {
    private func body(_ count: Int) -> ByteWriter {
        var writer = ByteWriter()
        writer.raw((0..<count).map { UInt8(truncatingIfNeeded: $0) })
        return writer
    }

    @Test(
        "Frames: each comes whole and in order, however they are cut (parameters: sizes)",
        arguments: [0, 1, 4096, 65_536])
    func order(size: Int) {
        let pair = WirePair()
        for _ in 0..<3 { pair.here.queue(.inputs, body(size)) }
        pair.here.queue(.answer, body(size + 1))
        var kinds: [FrameKind] = []
        for _ in 0..<10_000 where kinds.count < 4 {
            pair.here.flush()
            pair.there.receive()
            while let frame = pair.there.next() {
                kinds.append(frame.kind)
                #expect(frame.body == body(kinds.count == 4 ? size + 1 : size).bytes)
            }
        }
        #expect(kinds == [.inputs, .inputs, .inputs, .answer])
    }

    @Test("Queued frames: more than the socket takes waits, and nobody is held up")
    func full() {
        let pair = WirePair()
        for _ in 0..<64 { pair.here.queue(.inputs, body(65_536)) }
        #expect(pair.here.wantsToSend)
        var count = 0
        for _ in 0..<100_000 where count < 64 {
            pair.there.receive()
            while pair.there.next() != nil { count += 1 }
            pair.here.flush()
        }
        #expect(!pair.here.wantsToSend)
    }

    @Test("Last words: what was sent before the end is received, then the end")
    func end() {
        let pair = WirePair()
        #expect(pair.here.send(.fallen, body(3)))
        pair.here.close()
        #expect(WirePair.next(of: pair.there)?.kind == .fallen)
        #expect(WirePair.next(of: pair.there) == nil)
        #expect(pair.there.isClosed)
    }

    @Test(
        "Bytes that are no frame end the wire (parameters: heads)",
        arguments: [[0, 0, 0, 0, 0], [0, 0, 0, 0, 200], [255, 255, 255, 255, 1]] as [[UInt8]])
    func malformed(head: [UInt8]) {
        let pair = WirePair()
        #expect(Glibc.send(pair.here.fd, head, head.count, 0) == head.count)
        #expect(WirePair.next(of: pair.there) == nil)
    }

    @Test("A head that promises much: nothing is reserved, the end of the bytes is the end")
    func promise() {
        let pair = WirePair()
        let head: [UInt8] = [0, 0, 0, 0x3f, FrameKind.inputs.rawValue, 1, 2, 3]
        #expect(Glibc.send(pair.here.fd, head, head.count, 0) == head.count)
        pair.here.close()
        #expect(WirePair.next(of: pair.there) == nil)
    }
}
