import FleetModel
import Run

/// The requests of iPads to the Cloud, for what their responses need: route, cause, and who asked.
///
/// A rebooted iPad begins to count its exchanges again. A response of the Cloud names the exchange only, so the life that asked is the one whose
/// request the Cloud got last under that number.
struct RequestsUnderWay {
    private struct Exchange: Hashable {
        var pad: Int
        var number: UInt64
    }
    private struct Request {
        var route: String
        var cause: String
    }
    private var sent: [Exchange: [Int: Request]] = [:]
    private var asker: [Exchange: Int] = [:]

    mutating func send(_ request: HTTPRequest, _ output: Output, from pad: Int, life: Int) {
        let exchange = Exchange(pad: pad, number: output.exchange)
        sent[exchange, default: [:]][life] = Request(route: request.target, cause: output.cause)
    }
    /// The Cloud gets what arrives.
    mutating func serve(_ delivery: Delivery) {
        guard let life = delivery.askerLife, case .pad(let pad) = delivery.from else { return }
        asker[Exchange(pad: pad, number: delivery.exchange)] = life
    }
    /// What the present life of an iPad asked under that number; nil: the response is for an earlier one, and finds nobody.
    func asked(by pad: Int, life: Int, exchange number: UInt64) -> (route: String, cause: String)? {
        let exchange = Exchange(pad: pad, number: number)
        guard asker[exchange] == life, let request = sent[exchange]?[life] else { return nil }
        return (request.route, request.cause)
    }
}
