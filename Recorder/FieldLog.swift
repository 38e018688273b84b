/// Records what an app did on a real iPad, so that `homeroom import` can make a scenario of it (Docs/field-log.md).
///
/// One file without imports: copy it into your app. It writes JSON lines of version 1 and knows neither files nor clocks; you give it both.
/// Nothing that a person wrote gets into the log: names of people, devices and items are salted hashes, texts are never taken.
///
/// Not thread-safe: call it from one actor, as from the main one.
public final class FieldLog {
    /// The format that it writes.
    public static let version = 1
    /// ASSUMED: longer names say nothing more.
    private static let wordBytesMax = 200

    private let salt: [UInt8]
    private let now: () -> Int64
    private let write: (String) -> Void
    private var calls = 0

    /// - Parameters:
    ///   - app: the bundle identifier.
    ///   - device: anything that names this iPad; it is hashed.
    ///   - salt: secret, the same on all iPads of the school, and never in a log: with it names could be guessed.
    ///   - now: ms since 1970.
    ///   - write: gets one line without its line feed.
    public init(
        app: String, device: String, salt: String, now: @escaping () -> Int64, write: @escaping (String) -> Void
    ) {
        (self.salt, self.now, self.write) = (Array(salt.utf8), now, write)
        write(
            "{\"fieldLog\":\(Self.version),\"app\":\(Self.quoted(app)),\"device\":\"\(hash(device))\",\"t\":\(now())}")
    }

    // MARK: Life

    /// The process began. `who`: the person, as your app knows them.
    public func launched(who: String) { line("launch", ["who": hash(who)]) }
    /// The app came to the screen, left it, or was told that it ends.
    public func cameToForeground() { line("foreground", [:]) }
    public func wentToBackground() { line("background", [:]) }
    public func willTerminate() { line("terminate", [:]) }
    /// Only where something tells the app: a management server, another person's launch.
    public func signedIn(who: String) { line("signIn", ["who": hash(who)]) }
    public func signedOut() { line("signOut", [:]) }

    // MARK: Edits, calls, conditions

    /// A person changed something. `action`: your app's word for it; `item`: what names the thing, hashed.
    public func edited(_ action: String, item: String, deletes: Bool = false) {
        line("edit", ["action": action, "item": hash(item)], raw: deletes ? ["delete": "true"] : [:])
    }
    /// A request to iCloud or a server began. `api`: `CKModifyRecordsOperation`, `upload`.
    /// - Returns: the name that its answer is to have.
    public func called(_ api: String) -> String {
        calls += 1
        let name = "c\(calls)"
        line("call", ["call": name, "api": api])
        return name
    }
    public func answered(_ call: String) { line("answer", ["call": call], raw: ["ok": "true"]) }
    /// An error with its domain and code: `CKErrorDomain` 4, `NSURLErrorDomain` -1009. Its text may hold names and is not taken.
    public func answered(_ call: String, domain: String, code: Int) {
        line("answer", ["call": call, "domain": domain], raw: ["code": "\(code)"])
    }
    public func answered(_ call: String, status: Int) { line("answer", ["call": call], raw: ["status": "\(status)"]) }
    /// What NWPathMonitor says.
    public func network(isThere: Bool) { line("network", [:], raw: ["up": isThere ? "true" : "false"]) }
    /// iCloud's account: `own`, `none`, `other`.
    public func account(_ state: String) { line("account", ["state": state]) }

    // MARK: Lines

    private func line(_ event: String, _ words: [String: String], raw: [String: String] = [:]) {
        var text = "{\"t\":\(now()),\"event\":\"\(event)\""
        for (key, word) in words.sorted(by: { $0.key < $1.key }) { text += ",\"\(key)\":\(Self.quoted(word))" }
        for (key, value) in raw.sorted(by: { $0.key < $1.key }) { text += ",\"\(key)\":\(value)" }
        write(text + "}")
    }
    private static func quoted(_ word: String) -> String {
        var text = "\""
        for scalar in String(decoding: Array(word.utf8.prefix(wordBytesMax)), as: UTF8.self).unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            default:
                // Control characters would break the line.
                if scalar.value >= 0x20 { text.unicodeScalars.append(scalar) } else { text += " " }
            }
        }
        return text + "\""
    }
    /// 12 hex digits of SHA-256 over salt and name: the same name is the same word in all logs of the school, and nobody else can tell which.
    private func hash(_ name: String) -> String {
        let digest = SHA256Words.digest(of: salt + [0] + Array(name.utf8))
        let hex = digest.prefix(6).map { byte in
            let text = String(byte, radix: 16)
            return text.count == 1 ? "0" + text : text
        }
        return hex.joined()
    }
}

/// SHA-256 (FIPS 180-4), so that this file needs no library.
private enum SHA256Words {
    static func digest(of message: [UInt8]) -> [UInt8] {
        var padded = message + [0x80]
        while padded.count % 64 != 56 { padded.append(0) }
        let bits = UInt64(message.count) * 8
        for shift in stride(from: 56, through: 0, by: -8) {
            padded.append(UInt8(truncatingIfNeeded: bits >> UInt64(shift)))
        }
        var state = start
        for block in stride(from: 0, to: padded.count, by: 64) {
            compress(Array(padded[block..<block + 64]), into: &state)
        }
        return state.flatMap { word in
            [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: word >> UInt32($0)) }
        }
    }
    private static func compress(_ block: [UInt8], into state: inout [UInt32]) {
        var words = (0..<16).map { index in
            (0..<4).reduce(UInt32(0)) { $0 << 8 | UInt32(block[index * 4 + $1]) }
        }
        for index in 16..<64 {
            let (a, b) = (words[index - 15], words[index - 2])
            let small0 = rotated(a, 7) ^ rotated(a, 18) ^ a >> 3
            let small1 = rotated(b, 17) ^ rotated(b, 19) ^ b >> 10
            words.append(words[index - 16] &+ small0 &+ words[index - 7] &+ small1)
        }
        var s = state
        for index in 0..<64 {
            let big1 = rotated(s[4], 6) ^ rotated(s[4], 11) ^ rotated(s[4], 25)
            let choice = (s[4] & s[5]) ^ (~s[4] & s[6])
            let first = s[7] &+ big1 &+ choice &+ rounds[index] &+ words[index]
            let big0 = rotated(s[0], 2) ^ rotated(s[0], 13) ^ rotated(s[0], 22)
            let majority = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2])
            s = [first &+ big0 &+ majority, s[0], s[1], s[2], s[3] &+ first, s[4], s[5], s[6]]
        }
        for index in 0..<8 { state[index] = state[index] &+ s[index] }
    }
    private static func rotated(_ word: UInt32, _ count: UInt32) -> UInt32 { word >> count | word << (32 - count) }
    private static let start: [UInt32] = [
        0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19,
    ]
    private static let rounds: [UInt32] = [
        0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4, 0xab1c_5ed5,
        0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174,
        0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da,
        0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7, 0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967,
        0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85,
        0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070,
        0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
        0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2,
    ]
}
