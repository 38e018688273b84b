import FleetModel
import Testing

@testable import Nemesis

@Suite("What a fault takes", .timeLimit(.minutes(20))) struct FaultFormTests {
    @Test(
        "Every fault: each parameter that it takes is read; what it draws is a window or an event, with such parameters"
    )
    func all() {
        for type in FaultRegistry.all {
            let form = type.form
            for parameter in form.parameters { #expect(parameter.kind != nil, "\(type.name): \(parameter.name)") }
            var draw = Draw(seed: 7, name: type.name)
            for number in 0..<20 {
                let spec = type.drawn(id: "f-\(number)", pads: [1, 2], horizon: at(3600), &draw)
                #expect((spec.until > spec.from) == form.isWindow, "\(type.name)")
                let names = spec.parameters.object.map { Array($0.keys) } ?? []
                #expect(names.allSatisfy { name in form.parameters.contains { $0.name == name } }, "\(type.name)")
            }
        }
    }

    @Test("Kinds, defaults and limits: as the initializer has them, behind a required text or another parameter too")
    func kinds() throws {
        func kinds(_ name: String) throws -> [String: FaultForm.Kind?] {
            let form = try #require(FaultRegistry.named(name)).form
            return Dictionary(uniqueKeysWithValues: form.parameters.map { ($0.name, $0.kind) })
        }
        #expect(
            try kinds("app-kill") == [
                "hops": .number(0, 0...10_000), "call": .text, "nth": .number(1, 1...1_000_000),
            ])
        #expect(
            try kinds("loss-of-request") == ["probability": .probability(0.3), "route": .text])
        #expect(
            try kinds("delayed-notice") == [
                "to": .choice("other", of: ["other", "none", "unavailable", "restricted"]),
                "delay": .time(.seconds(20), .milliseconds(1) ... .minutes(10)),
            ])
        #expect(try kinds("same-person-twice") == ["person": .text, "app": .text])
        #expect(try kinds("erase-device") == ["polled": .flag(false)])
        let twice = try #require(FaultRegistry.named("same-person-twice")).form
        #expect(twice.isWindow && twice.parameters.map(\.isRequired) == [true, false])
        #expect(try #require(FaultRegistry.named("app-kill")).form.isWindow == false)
    }
}
