import Foundation
import PadApp
import Testing

@testable import Ubiquity

@Suite("Property lists", .timeLimit(.minutes(20))) struct PropertyListTests {
    private func read(_ object: Value.Object) throws -> Value? {
        PropertyList.value(
            try PropertyListSerialization.propertyList(from: Data(PropertyList.xml(object)), format: nil))
    }

    @Test("Writing: Foundation reads every kind of value back, in arrays and dictionaries too")
    func kinds() throws {
        let texts = ["", "a & b < c > \"d\"", "line\nfeed\r\n", "nöte 😀", "\u{1}\u{0}", "</string>"]
        let object = Value.Object([
            ("array", .array([.int(1), .array([]), .object(Value.Object())] + texts.map(Value.string))),
            (
                "numbers",
                .array([.int(Int64.min), .int(Int64.max), .double(0.1), .double(-1e-300), .double(.infinity)])
            ),
            ("flags", .array([.bool(true), .bool(false)])), ("data", .data([0, 1, 255])), ("none", .data([])),
            ("a & <key>", .object(Value.Object([("deep", .array([.string("x")]))]))),
        ])
        #expect(try read(object) == .object(object))
    }

    @Test(
        "Writing: a date by its second, the nearest of the years 1 to 9999 for others",
        arguments: [
            (0, "2001-01-01T00:00:00Z"), (-1, "2000-12-31T23:59:59Z"), (5_097_600.75, "2001-03-01T00:00:00Z"),
            (-26_438_401, "2000-02-29T23:59:59Z"), (1e300, "9999-12-31T23:59:59Z"), (-1e300, "0001-01-01T00:00:00Z"),
            (.nan, "2001-01-01T00:00:00Z"),
        ])
    func dates(seconds: Double, text: String) {
        let written = PropertyList.xml(Value.Object([("d", .object(Value.Object([("$date", .double(seconds))])))]))
        #expect(String(decoding: written, as: UTF8.self).contains("<date>\(text)</date>"))
    }

    @Test(
        "A dictionary whose only key reads like a date's stays one, in memory and in a file",
        arguments: ["$date", "$$date", "$$$date", "date", "x$date", "$dates"])
    func notADate(key: String) throws {
        let dictionary: [String: Any] = [
            key: 7.5, "deep": [key: 1.5], "list": [[key: 2.5]], "day": Date(timeIntervalSinceReferenceDate: 9),
        ]
        for one in [dictionary, [key: 7.5]] {
            let members = PropertyList.members(one)
            let file = try PropertyListSerialization.propertyList(from: Data(PropertyList.xml(members)), format: nil)
            for same in [PropertyList.dictionary(members), try #require(file as? [String: Any])] {
                #expect(PropertyList.members(same) == members && same[key] as? Double == 7.5)
                #expect(one.count == 1 || (same["deep"] as? [String: Any])?[key] as? Double == 1.5)
            }
        }
    }

    @Test("Integers above 2^63 - 1: refused, however they are held; the largest that fits is kept")
    func largeIntegers() {
        for large in [UInt64.max, 1 << 63] as [UInt64] {
            #expect(PropertyList.value(large) == nil && PropertyList.value(NSNumber(value: large)) == nil)
            #expect(PropertyList.value(["a": NSNumber(value: large)]) == nil)
            #expect(PropertyList.members(["a": NSNumber(value: large), "b": 1]) == Value.Object([("b", .int(1))]))
        }
        #expect(PropertyList.value(NSNumber(value: UInt64(Int64.max))) == .int(Int64.max))
        #expect(PropertyList.value(NSNumber(value: Int64.min)) == .int(Int64.min))
    }

    @Test("Writing: equal values have equal bytes, null is left out")
    func canonical() {
        let one = Value.Object([("b", .int(1)), ("a", .int(2)), ("n", .null)])
        let other = Value.Object([("a", .int(2)), ("b", .int(1))])
        #expect(PropertyList.xml(one) == PropertyList.xml(other))
    }
}
