import FleetModel
import Testing

@Suite("Switches", .timeLimit(.minutes(20))) struct SwitchesTests {
    private func table(tellsDefaults: Bool) -> Switches {
        let all = [
            Switches.Switch(name: "colour", values: ["red", "blue", "green"], meaning: "1: which one"),
            Switches.Switch(name: "size", values: ["small", "large"], meaning: "2: how much of it"),
        ]
        return Switches(all, noun: "knob", tellsDefaults: tellsDefaults)
    }

    @Test("Sides: the first until another is chosen; of what is not there none")
    func sides() {
        var table = table(tellsDefaults: false)
        #expect(table["colour"] == "red" && table.isDefault("colour"))
        #expect(table.set("colour", to: "blue") == nil)
        #expect(table["colour"] == "blue" && !table.isDefault("colour") && table.isDefault("size"))
        #expect(table["weight"] == nil)
    }

    @Test("Refusals: they name what there is, and change nothing")
    func refusals() {
        var changed = table(tellsDefaults: true)
        #expect(changed.set("weight", to: "red") == "there is no knob 'weight'; there are colour, size")
        #expect(
            changed.set("colour", to: "grey") == "'colour' cannot be 'grey'; it can be red or blue or green")
        #expect(changed == table(tellsDefaults: true))
    }

    @Test("Body: a default that was chosen is told, or is as if nobody had chosen", arguments: [true, false])
    func body(tellsDefaults: Bool) {
        var table = table(tellsDefaults: tellsDefaults)
        #expect(table.body == .empty)
        #expect(table.set("size", to: "large") == nil && table.set("colour", to: "red") == nil)
        #expect(table.body == (tellsDefaults ? ["colour": "red", "size": "large"] : ["size": "large"]))
        #expect(table.set("size", to: "small") == nil)
        #expect((table == self.table(tellsDefaults: tellsDefaults)) == !tellsDefaults)
    }
}
