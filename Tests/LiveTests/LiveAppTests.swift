import FleetModel
import Foundation
import Testing

@testable import Live
@testable import Run

/// Asks its iPad at each message and posts the answer together with what it got.
private final class Asking: Participant {
    func step(now: Instant, inputs: [Input], link: any CallLink) -> StepResult {
        var outputs: [Output] = []
        for input in inputs {
            guard case .post(let message) = input.payload else { continue }
            let answer = link.call(Message("question"), after: [])
            outputs.append(Output(to: .pad(1), .post(Message(message.name, answer?.body ?? .null))))
        }
        return StepResult(outputs: outputs)
    }
}

@Suite("App process of live", .timeLimit(.minutes(20))) struct LiveAppTests {
    private func post(_ name: String) -> ByteWriter {
        var writer = ByteWriter()
        writer.inputs([Input(from: .pad(1), .post(Message(name)))])
        return writer
    }
    private func answer(_ number: Int) -> ByteWriter {
        var writer = ByteWriter()
        Message("question", ["n": .int(number)]).write(to: &writer)
        return writer
    }
    @Test("Messages that come while a call waits are taken right after it, before anything else arrives")
    func early() throws {
        let pair = WirePair()
        let (pad, descriptor) = (pair.here, pair.there.fd)
        // Ends by itself when the wire is closed.
        Thread.detachNewThread {
            LiveApp.run(Asking(), on: Wire(descriptor), LiveClock(start: 0, speed: 1))
        }
        pad.queue(.inputs, post("first"))
        #expect(WirePair.next(of: pad)?.kind == .call)
        // Both are there when the app looks for its answer.
        pad.queue(.inputs, post("second"))
        pad.queue(.answer, answer(1))
        #expect(WirePair.next(of: pad)?.kind == .outputs)
        // Nothing more is sent until the app has asked for the second message.
        #expect(WirePair.next(of: pad)?.kind == .call)
        pad.queue(.answer, answer(2))
        let last = try #require(WirePair.next(of: pad))
        var reader = ByteReader(last.body)
        let outputs = try reader.outputs()
        #expect(outputs.map(\.payload) == [.post(Message("second", ["n": 2]))])
        pad.close()
    }
}
