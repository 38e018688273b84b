import FleetModel
import Nemesis
import Testing

/// What each ending of a message means, for a message of each direction that starts at 10 s and needs 1 s.
@Suite("Arrivals", .timeLimit(.minutes(20))) struct ArrivalTests {
    private static let start = Instant.zero + .seconds(10)
    private func arrivals(
        _ ending: DeliveryOutcome.Ending, _ direction: NetworkMessage.Direction, duplicate: Span? = nil
    ) -> [Arrival] {
        DeliveryOutcome(latency: .seconds(1), ending: ending, duplicate: duplicate).arrivals(
            of: direction, at: Self.start)
    }
    private func at(_ content: Arrival.Content, _ seconds: Int64) -> Arrival {
        Arrival(content: content, at: .zero + .seconds(seconds))
    }
    private let all: [NetworkMessage.Direction] = [.request, .response, .push]

    @Test("Arrives: after its way, and a second copy later")
    func arrives() {
        for direction in all {
            #expect(arrivals(.arrives, direction) == [at(.message, 11)])
            #expect(arrivals(.arrives, direction, duplicate: .seconds(2)) == [at(.message, 11), at(.message, 13)])
        }
    }

    @Test("Held: at the end of the fault, but never before the end of its way")
    func held() {
        for direction in all {
            #expect(arrivals(.held(until: .zero + .seconds(60)), direction) == [at(.message, 60)])
            #expect(arrivals(.held(until: .zero + .seconds(5)), direction) == [at(.message, 11)])
        }
    }

    @Test("Held and doubled: an answer and a push come twice, a request once")
    func heldPush() {
        let until = DeliveryOutcome.Ending.held(until: .zero + .seconds(60))
        for direction in [NetworkMessage.Direction.response, .push] {
            #expect(arrivals(until, direction, duplicate: .seconds(2)) == [at(.message, 60), at(.message, 13)])
        }
        #expect(arrivals(until, .request, duplicate: .seconds(2)) == [at(.message, 60)])
    }

    @Test("Lost: nothing, and nobody is told")
    func lost() { for direction in all { #expect(arrivals(.lost, direction) == []) } }

    @Test("Refused, or without common keys: certainly not sent; only a request has somebody who can be told")
    func refused() {
        for ending in [DeliveryOutcome.Ending.refused, .handshakeFailed] {
            #expect(arrivals(ending, .request) == [at(.failure(.unreachable), 11)])
            #expect(arrivals(ending, .response) == [] && arrivals(ending, .push) == [])
        }
    }

    @Test("Broken: the request may have been carried out; nobody waits for a push")
    func broken() {
        for ending in [DeliveryOutcome.Ending.reset, .truncated(afterBytes: 3)] {
            #expect(arrivals(ending, .request) == [at(.failure(.connectionLost), 11)])
            #expect(arrivals(ending, .response) == [at(.failure(.connectionLost), 11)])
            #expect(arrivals(ending, .push) == [])
        }
    }

    @Test("Answered on the way: a request's way there and back; an answer or a push is lost")
    func answered() {
        let portal = HTTPResponse(status: 302)
        #expect(arrivals(.answered(portal), .request) == [at(.response(portal), 12)])
        #expect(arrivals(.answered(portal), .response) == [] && arrivals(.answered(portal), .push) == [])
    }

    @Test("Late: 5 s on the way; a held message is not")
    func late() {
        #expect(DeliveryOutcome(latency: .seconds(5)).isLate)
        #expect(!DeliveryOutcome(latency: .seconds(4)).isLate)
        #expect(!DeliveryOutcome(latency: .seconds(9), ending: .lost).isLate)
    }
}
