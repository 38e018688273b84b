import Testing
import Ubiquity

@Suite("NSKeyedArchiver", .timeLimit(.minutes(20)))
struct ArchiverTests {
    /// An object that codes itself, with one of its own kind inside.
    final class Leaf: NSObject, NSSecureCoding {
        let text: String
        let count: Int
        let below: Leaf?
        init(_ text: String, _ count: Int, below: Leaf? = nil) {
            (self.text, self.count, self.below) = (text, count, below)
        }
        static var supportsSecureCoding: Bool { true }
        func encode(with coder: NSCoder) {
            coder.encode(text as NSString, forKey: "text")
            coder.encode(count, forKey: "count")
            coder.encode(below, forKey: "below")
        }
        init?(coder: NSCoder) {
            guard let text = coder.decodeObject(of: NSString.self, forKey: "text") else { return nil }
            self.text = "\(text)"
            count = coder.decodeInteger(forKey: "count")
            below = coder.decodeObject(of: Leaf.self, forKey: "below")
        }
    }

    @Test("An object that codes itself comes back, with what it holds")
    func nested() throws {
        let data = try NSKeyedArchiver.archivedData(
            withRootObject: Leaf("a", 1, below: Leaf("b", 2)), requiringSecureCoding: true)
        let back = try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: Leaf.self, from: data))
        #expect(back.text == "a" && back.count == 1 && back.below?.text == "b" && back.below?.count == 2)
        #expect(back.below?.below == nil)
        #expect(try NSKeyedUnarchiver.unarchivedObject(ofClass: NSString.self, from: data) == nil)
    }

    @Test("Numbers, flags, data and Foundation's collections come back")
    func plain() throws {
        let archiver = NSKeyedArchiver(requiringSecureCoding: true)
        archiver.encode(true, forKey: "flag")
        archiver.encode(2.5, forKey: "half")
        archiver.encode(NSData(data: Data([1, 2])), forKey: "data")
        archiver.encode(NSArray(array: [NSString("x"), NSNumber(value: 7)]), forKey: "list")
        archiver.finishEncoding()
        #expect(archiver.error == nil)
        let reader = try NSKeyedUnarchiver(forReadingFrom: archiver.encodedData)
        #expect(reader.decodeBool(forKey: "flag") && reader.decodeDouble(forKey: "half") == 2.5)
        #expect(reader.decodeObject(of: NSData.self, forKey: "data").map { Data(referencing: $0) } == Data([1, 2]))
        let list = reader.decodeObject(of: [NSArray.self, NSString.self, NSNumber.self], forKey: "list") as? [Any]
        #expect(list?.first as? String == "x" && list?.last as? Int == 7)
        #expect(!reader.containsValue(forKey: "other") && reader.decodeObject(of: NSString.self, forKey: "data") == nil)
    }

    @Test("Foreign bytes are an error, and an object that is not secure is refused")
    func refused() throws {
        final class Open: NSObject, NSCoding {
            override init() {}
            func encode(with coder: NSCoder) {}
            init?(coder: NSCoder) {}
        }
        #expect(throws: CocoaError.self) { try NSKeyedUnarchiver(forReadingFrom: Data("hello".utf8)) }
        #expect(throws: CocoaError.self) {
            try NSKeyedArchiver.archivedData(withRootObject: Open(), requiringSecureCoding: true)
        }
        #expect(try !NSKeyedArchiver.archivedData(withRootObject: Open(), requiringSecureCoding: false).isEmpty)
    }
}
