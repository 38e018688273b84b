import FleetModel

/// The moment right after the nth call of a name: what it asked for is done, and its app has not heard of it yet.
///
/// Counted from the fault's own time on, over all apps of the iPad; posts count as calls do.
struct CallMoment: Hashable, Sendable {
    var name: String
    var nth: Int

    /// The parameters that say it.
    static let names = ["call", "nth"]

    /// - Returns: nil where no call is named.
    /// - Throws: for a name that no app ever sends, and for `nth` or `hops` that mean nothing here.
    init?(_ parameters: Parameters) throws(FaultProblem) {
        guard let name = try parameters.text("call") else {
            if parameters.has("nth") { throw FaultProblem("nth", "'nth' counts calls: name one with 'call'") }
            return nil
        }
        guard LocalCalls.names.contains(name) else {
            throw FaultProblem(
                "call", "no app calls '\(name)'; it is one of \(LocalCalls.names.joined(separator: ", "))")
        }
        guard !parameters.has("hops") else {
            throw FaultProblem("hops", "give either 'hops' or 'call': a moment is counted in one of them")
        }
        self.name = name
        nth = try parameters.whole("nth", 1, in: 1...1_000_000)
    }

    /// What shall happen then on each of the iPads.
    func acts(_ spec: FaultSpec, _ act: (Int) -> FaultAct) -> [FaultAct] {
        spec.pads.map { .afterCall(pad: $0, name: name, nth: nth, act($0)) }
    }

    /// In half of the draws; else the fault is as it was before there were such moments.
    static func drawn(into spec: inout FaultSpec, _ draw: inout Draw) {
        guard draw.chance(0.5), let name = draw.pick(LocalCalls.durable) else { return }
        spec.parameters["hops"] = nil
        spec.parameters["call"] = .string(name)
        spec.parameters["nth"] = .int(1 + draw.below(6))
    }
}
