import FleetModel
import Testing

@Suite("Value")
struct ValueTests {
    @Test("Member: a missing key is nil, a null member is null")
    func missing() {
        let value: Value = ["here": 1, "empty": nil]
        #expect(value["gone"] == Optional<Value>.none)
        #expect(value["empty"] == Optional.some(Value.null))
        #expect(Value.empty["gone"] == Optional<Value>.none)
        #expect(Value.string("no object")["gone"] == Optional<Value>.none)
    }
}
