/// Dates of logs: ISO 8601 with a zone, as HAR files and the server's log have them.
enum FieldDate {
    /// ms since 1970; nil for anything else than `2026-09-01T08:00:40.123Z`, with `+02:00` or `+0200` in place of `Z`.
    static func milliseconds(_ text: String) -> Int64? {
        let bytes = Array(text.utf8)
        func number(_ from: Int, _ count: Int) -> Int64? {
            guard from + count <= bytes.count else { return nil }
            var value: Int64 = 0
            for byte in bytes[from..<(from + count)] {
                guard (48...57).contains(byte) else { return nil }
                value = value * 10 + Int64(byte - 48)
            }
            return value
        }
        guard bytes.count >= 20, bytes[4] == 45, bytes[7] == 45, bytes[10] == 84 || bytes[10] == 32, bytes[13] == 58,
            bytes[16] == 58, let year = number(0, 4), let month = number(5, 2), let day = number(8, 2),
            let hour = number(11, 2), let minute = number(14, 2), let second = number(17, 2),
            (1970...9999).contains(year), (1...12).contains(month), (1...31).contains(day), hour < 24, minute < 60,
            second < 61
        else { return nil }
        var (at, fraction, scale): (Int, Int64, Int64) = (19, 0, 100)
        if bytes[at] == 46 {
            at += 1
            while at < bytes.count, (48...57).contains(bytes[at]) {
                fraction += Int64(bytes[at] - 48) * scale
                scale /= 10
                at += 1
            }
        }
        guard at < bytes.count, let offset = zone(bytes[at...]) else { return nil }
        let seconds = days(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second - offset * 60
        return seconds * 1000 + fraction
    }
    /// Minutes east of Greenwich.
    private static func zone(_ bytes: ArraySlice<UInt8>) -> Int64? {
        if bytes.elementsEqual([90]) { return 0 }
        guard let sign = bytes.first, sign == 43 || sign == 45 else { return nil }
        let digits = bytes.dropFirst().filter { $0 != 58 }
        guard digits.count == 4, digits.allSatisfy({ (48...57).contains($0) }) else { return nil }
        let numbers = digits.map { Int64($0 - 48) }
        let minutes = (numbers[0] * 10 + numbers[1]) * 60 + numbers[2] * 10 + numbers[3]
        return sign == 43 ? minutes : -minutes
    }
    /// Days since 1970 of the Gregorian calendar. Source: H. Hinnant, "chrono-Compatible Low-Level Date Algorithms", days_from_civil.
    private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let year = month <= 2 ? year - 1 : year
        let era = year / 400
        let ofEra = year - era * 400
        let ofYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * 146_097 + ofEra * 365 + ofEra / 4 - ofEra / 100 + ofYear - 719_468
    }
}
