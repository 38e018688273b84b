import FleetModel
import Testing

@testable import Nemesis

@Suite("Fault parameters", .timeLimit(.minutes(20)))
struct FaultParameterTests {
    @Test("Unknown and impossible parameters: named, never accepted")
    func problems() {
        let cases: [(FaultSpec, String)] = [
            (spec("latency", ["extr": 1]), "extr"),
            (spec("latency", ["extra": "0s"]), "extra"),
            (spec("latency", ["extra": "fast"]), "extra"),
            (spec("latency", ["extra": .int(Int64.max)]), "extra"),
            (spec("loss-of-request", ["probability": 1.5]), "probability"),
            (spec("loss-of-request", ["probability": "often"]), "probability"),
            (spec("loss-of-request", ["route": 4]), "route"),
            (spec("one-way-cut", ["direction": "left"]), "direction"),
            (spec("app-kill", ["hops": -1]), "hops"),
            (spec("zone-deleted", until: 10, ["reason": "bored"]), "reason"),
            (spec("app-kill", until: 10, ["call": "file.snc"]), "call"),
            (spec("crash", until: 10, ["nth": 2]), "nth"),
            (spec("crash", until: 10, ["call": "file.sync", "hops": 2]), "hops"),
            (spec("power-cut", until: 10, ["call": "file.sync", "nth": 0]), "nth"),
            (spec("clock-skew", ["drift": 2_000_000]), "drift"),
            (spec("quota-exceeded", ["bytes": -1]), "bytes"),
            (spec("quota-exceeded", until: 10), "until"),
            (spec("change-token-expired", ["account": "maya"]), "account"),
            (spec("hold", from: 10, until: 10), "until"),
            (spec("hold", from: 10, until: 5), "until"),
            (spec("hold", from: -1), "from"),
            (spec("hold", pads: [0]), "ipads"),
            (spec("hold", ["on"]), "with"),
            (spec("earthquake"), "fault"),
        ]
        for (spec, parameter) in cases { #expect(problem(spec)?.parameter == parameter, "\(spec)") }
    }

    @Test("Registry: names are unique and told in full", arguments: FaultRegistry.names)
    func registry(name: String) throws {
        #expect(FaultRegistry.names.filter { $0 == name }.count == 1)
        let type = try #require(FaultRegistry.named(name))
        #expect(!type.summary.isEmpty && !type.source.isEmpty)
    }
    @Test("Drawn: a plain window is within its length, and a sign-out at some moment is of one iPad")
    func drawn() {
        let windows = FaultRegistry.all.compactMap { $0 as? any PlainWindow.Type }
        for type in windows {
            var draw = Draw(seed: 7, name: type.name)
            let specs = (0..<50).map { _ in type.drawn(id: "f", pads: [1, 2, 3], horizon: at(3600), &draw) }
            #expect(specs.allSatisfy { problem($0) == nil && $0.until - $0.from <= type.lasting.upperBound })
            #expect(specs.contains { $0.pads.count > 1 } != type.isOfOneIPad, "\(type.name)")
        }
        #expect(
            windows.filter { $0.isOfOneIPad }.map { $0.name } == ["user-switch-idle", "user-switch-background-task"])
    }
}
