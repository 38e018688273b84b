import Foundation
import PadApp

/// Apple's property lists as XML, written without Foundation: in a program with the static runtime its serializer refuses every array
/// ("Property list invalid for format", error 3851), and the whole file with it. Reading works in both.
///
/// Equal values give equal bytes: keys are in their order. Null, which no property list holds, is left out.
extension PropertyList {
    /// - Returns: a whole file, whose top is a dictionary.
    static func xml(_ object: Value.Object) -> [UInt8] {
        var text = """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <plist version="1.0">

            """
        write(object, "", 0, to: &text)
        return Array((text + "</plist>\n").utf8)
    }

    private static func write(_ value: Value, _ depth: Int, to text: inout String) {
        let indent = String(repeating: "\t", count: depth)
        switch value {
        case .null: break
        case .bool(let flag): text += "\(indent)<\(flag)/>\n"
        case .int(let number): text += "\(indent)<integer>\(number)</integer>\n"
        case .double(let number): text += "\(indent)<real>\(real(number))</real>\n"
        case .string(let string): text += "\(indent)<string>\(escaped(string))</string>\n"
        case .data(let bytes): text += "\(indent)<data>\(Data(bytes).base64EncodedString())</data>\n"
        case .array(let values) where values.isEmpty: text += "\(indent)<array/>\n"
        case .array(let values):
            text += "\(indent)<array>\n"
            for value in values { write(value, depth + 1, to: &text) }
            text += "\(indent)</array>\n"
        case .object(let object):
            if let seconds = date(object) {
                text += "\(indent)<date>\(date(seconds))</date>\n"
            } else {
                write(plain(object), indent, depth, to: &text)
            }
        }
    }
    private static func write(_ object: Value.Object, _ indent: String, _ depth: Int, to text: inout String) {
        let pairs = object.pairs.filter { !$0.value.isNull }.sorted { $0.key < $1.key }
        guard !pairs.isEmpty else { return text += "\(indent)<dict/>\n" }
        text += "\(indent)<dict>\n"
        for pair in pairs {
            text += "\(indent)\t<key>\(escaped(pair.key))</key>\n"
            write(pair.value, depth + 1, to: &text)
        }
        text += "\(indent)</dict>\n"
    }

    private static func escaped(_ text: String) -> String {
        var out: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "&"): out += "&amp;".utf8
            case UInt8(ascii: "<"): out += "&lt;".utf8
            case UInt8(ascii: ">"): out += "&gt;".utf8
            default: out.append(byte)
            }
        }
        return String(decoding: out, as: UTF8.self)
    }
    private static func real(_ number: Double) -> String {
        number.isNaN ? "nan" : number.isInfinite ? (number < 0 ? "-infinity" : "+infinity") : "\(number)"
    }

    /// Whole seconds, as Apple's format has them; what lies outside of the years 1 to 9999 is the nearest that it can say.
    private static func date(_ seconds: Double) -> String {
        let since2001 = seconds.isNaN ? 0 : min(max(seconds.rounded(.down), -63_113_904_000), 252_423_993_599)
        // Days are counted from 0000-03-01, so that a leap day ends its year (proleptic Gregorian calendar).
        let total = Int64(since2001) + 978_307_200 + 719_468 * 86_400
        let (days, second) = (total / 86_400, total % 86_400)
        let era = days / 146_097
        let dayOfEra = days % 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * shifted + 2) / 5 + 1
        let month = shifted < 10 ? shifted + 3 : shifted - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return "\(padded(year, 4))-\(padded(month))-\(padded(day))"
            + "T\(padded(second / 3600)):\(padded(second / 60 % 60)):\(padded(second % 60))Z"
    }
    private static func padded(_ number: Int64, _ width: Int = 2) -> String {
        let text = "\(number)"
        return String(repeating: "0", count: max(0, width - text.count)) + text
    }
}
