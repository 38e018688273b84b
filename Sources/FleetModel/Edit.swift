/// The unique name of one edit: `maya.12`, person and ordinal. Every edit's payload carries it, so that it can be found in bytes.
public typealias Token = String

/// One thing a person does to data: the unit that must not be lost.
public struct Edit: Hashable, Sendable {
    /// What the edit does to its item.
    public enum Verb: String, Hashable, Sendable, CaseIterable {
        /// Replaces the content of the item by a payload that carries the token.
        case put
        /// Removes the item and all that was seen in it.
        case delete
        /// Sets a flag that can carry no token; `value` is the item's expected digest from then on.
        case effect
    }

    public var token: Token
    public var person: Person
    public var app: AppName
    /// The app's own name for the action: `write`, `answer`.
    public var action: String
    /// The item acted on, as `visibleState` will name it.
    public var item: String
    public var verb: Verb
    /// The payload for `put`, made by `EditPayload.text`; the flag's value for `effect`; empty for `delete`.
    public var value: String

    public init(token: Token, person: Person, app: AppName, action: String, item: String, verb: Verb, value: String) {
        self.token = token
        self.person = person
        self.app = app
        self.action = action
        self.item = item
        self.verb = verb
        self.value = value
    }

    public var body: Value {
        [
            "token": .string(token), "person": .string(person), "app": .string(app), "action": .string(action),
            "item": .string(item), "verb": .string(verb.rawValue), "value": .string(value),
        ]
    }
    public init?(_ body: Value) {
        guard let token = body["token"]?.string, let person = body["person"]?.string, let app = body["app"]?.string,
            let action = body["action"]?.string, let item = body["item"]?.string,
            let verb = body["verb"]?.string.flatMap(Verb.init), let value = body["value"]?.string
        else { return nil }
        self.init(token: token, person: person, app: app, action: action, item: item, verb: verb, value: value)
    }
}

/// The self-describing text that a person "types": `<#maya.12 5 9f3c2a1b hello#maya.12>` - token, length, checksum, text, token -
/// so that truncation and mixing show wherever the bytes turn up.
public enum EditPayload {
    public static func text(token: Token, _ text: String) -> String {
        var copy = text
        return "<#\(token) \(text.utf8.count) \(copy.withUTF8(checksum)) \(text)#\(token)>"
    }

    /// What a search found.
    public struct Found: Hashable, Sendable {
        /// Tokens whose payload is whole, in order of appearance, each once.
        public var tokens: [Token] = []
        /// Tokens whose payload began but is truncated or changed.
        public var damaged: [Token] = []
        public init() {}
    }

    /// Finds every payload in text, JSON or any other bytes that keep ASCII as it is. Linear in the bytes.
    public static func scan(_ bytes: [UInt8]) -> Found { bytes.withUnsafeBufferPointer(scan) }
    public static func scan(_ text: String) -> Found {
        var copy = text
        return copy.withUTF8(scan)
    }
    private static func scan(_ buffer: UnsafeBufferPointer<UInt8>) -> Found {
        var found = Found()
        var at = 0
        while at + 1 < buffer.count {
            guard buffer[at] == UInt8(ascii: "<"), buffer[at + 1] == UInt8(ascii: "#") else { at += 1; continue }
            at = read(buffer, from: at + 2, into: &found).next
        }
        return found
    }
    /// Whether a value is one whole payload of that token and nothing else.
    public static func isOne(_ value: String, of token: Token) -> Bool {
        let parts = Outside(value, atMost: 0)
        return parts.pieces == ["", ""] && parts.tokens == [token]
    }
    /// All text in a value, keys excluded.
    public static func scan(_ value: Value) -> Found {
        var found = Found()
        collect(value, into: &found)
        return found
    }

    private static func collect(_ value: Value, into found: inout Found) {
        let inner: Found
        switch value {
        case .string(let text): inner = scan(text)
        case .data(let bytes): inner = scan(bytes)
        case .array(let values): for value in values { collect(value, into: &found) }; return
        case .object(let object): for pair in object.pairs { collect(pair.value, into: &found) }; return
        default: return
        }
        for token in inner.tokens where !found.tokens.contains(token) { found.tokens.append(token) }
        for token in inner.damaged where !found.damaged.contains(token) { found.damaged.append(token) }
    }

    /// The payloads of a text, and what stands outside them.
    struct Outside {
        var found = Found()
        /// The whole payloads in their order, one that is there twice twice.
        var tokens: [Token] = []
        /// Before the first payload, between them, after the last one; nil when that is longer than asked for, or when a payload is not whole.
        var pieces: [String]?

        /// - Parameter limit: bytes outside the payloads.
        init(_ text: String, atMost limit: Int) {
            var copy = text
            let cuts = copy.withUTF8 { bytes in takePayloads(of: bytes) }
            guard found.damaged.isEmpty, cuts.reduce(0, { $0 + $1.count }) <= limit else { return }
            pieces = cuts.map { String(decoding: Array(copy.utf8)[$0], as: UTF8.self) }
        }

        /// - Returns: what stands between the payloads.
        private mutating func takePayloads(of bytes: UnsafeBufferPointer<UInt8>) -> [Range<Int>] {
            var cuts: [Range<Int>] = []
            var (at, begin) = (0, 0)
            while at + 1 < bytes.count {
                guard bytes[at] == UInt8(ascii: "<"), bytes[at + 1] == UInt8(ascii: "#") else { at += 1; continue }
                let (start, payload) = (at, read(bytes, from: at + 2, into: &found))
                at = payload.next
                guard let token = payload.whole else { continue }
                tokens.append(token)
                cuts.append(begin..<start)
                begin = at
            }
            cuts.append(begin..<bytes.count)
            return cuts
        }
    }

    /// Reads one payload whose opening mark ended before `start`.
    ///
    /// - Returns: where to go on, and the token of a payload that is whole.
    private static func read(
        _ bytes: UnsafeBufferPointer<UInt8>, from start: Int, into found: inout Found
    ) -> (next: Int, whole: Token?) {
        var at = start
        func field() -> Range<Int>? {
            let begin = at
            while at < bytes.count, at - begin < 64, isNameByte(bytes[at]) { at += 1 }
            guard at > begin, at < bytes.count, bytes[at] == 0x20 else { return nil }
            defer { at += 1 }
            return begin..<at
        }
        func text(_ range: Range<Int>) -> String {
            String(decoding: UnsafeBufferPointer(rebasing: bytes[range]), as: UTF8.self)
        }
        guard let name = field(), bytes[name].contains(UInt8(ascii: ".")) else { return (start, nil) }
        let token = text(name)
        guard let length = field().flatMap({ Int(text($0)) }), let sum = field(), length >= 0,
            length <= bytes.count - at
        else {
            return (damaged(token, &found, start), nil)
        }
        // `#`, the token once more, `>`.
        let (close, end) = (at + length, at + length + name.count + 2)
        guard end <= bytes.count, bytes[close] == UInt8(ascii: "#"), bytes[end - 1] == UInt8(ascii: ">"),
            bytes[close + 1..<end - 1].elementsEqual(bytes[name]),
            text(sum) == checksum(UnsafeBufferPointer(rebasing: bytes[at..<close]))
        else {
            return (damaged(token, &found, start), nil)
        }
        if !found.tokens.contains(token) { found.tokens.append(token) }
        return (end, token)
    }
    private static func damaged(_ token: Token, _ found: inout Found, _ next: Int) -> Int {
        if !found.damaged.contains(token) { found.damaged.append(token) }
        return next
    }
    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "."), UInt8(ascii: "-"):
            true
        default: false
        }
    }
    /// Eight hex digits of FNV-1a, folded to 32 bits.
    private static func checksum(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
        var hash = StableHash()
        hash.add(UnsafeRawBufferPointer(bytes))
        let folded = UInt32(truncatingIfNeeded: hash.value ^ (hash.value >> 32))
        let hex = String(folded, radix: 16)
        return hex.utf8.count == 8 ? hex : String(repeating: "0", count: 8 - hex.utf8.count) + hex
    }
}

/// One thing that a person can see in an app, every object opened.
public struct Item: Hashable, Sendable {
    public var id: String
    /// The app's own kind name; its promise is declared in the app's manifest.
    public var kind: String
    /// Tokens whose whole payload is visible in this item, in their order; one whose payload stands there twice is named twice.
    public var tokens: [Token]
    /// Tokens whose payload is visible but truncated or changed.
    public var damaged: [Token]
    /// The value of a flag, else a digest of the content: what two readers compare.
    public var digest: String
    /// What stands before, between and after the payloads, when it is short: with the payloads it makes the digest. Nil: not known.
    public var around: [String]?

    /// Tokens whose payload stands in it more than once.
    public var repeated: [Token] {
        guard tokens.count > 1 else { return [] }
        var once: Set<Token> = []
        return tokens.filter { !once.insert($0).inserted }
    }

    /// Bytes around payloads that an item tells. ASSUMED: more is no decoration but content.
    static let aroundMax = 64

    /// An item with text that may carry payloads.
    public init(id: String, kind: String, text: String) {
        let outside = EditPayload.Outside(text, atMost: Self.aroundMax)
        self.init(
            id: id, kind: kind, tokens: outside.tokens, damaged: outside.found.damaged, digest: Self.digest(text))
        around = outside.tokens.isEmpty ? nil : outside.pieces
    }
    private static func digest(_ text: String) -> String { String(StableHash.of(0, text), radix: 16) }
    /// The digest of an item that shows these payloads with these pieces of text before, between and after them; one more than payloads.
    public static func digest(_ payloads: [String], around: [String]) -> String {
        digest(zip(around, payloads).map { $0 + $1 }.joined() + (around.last ?? ""))
    }
    public init(id: String, kind: String, tokens: [Token] = [], damaged: [Token] = [], digest: String) {
        self.id = id
        self.kind = kind
        self.tokens = tokens
        self.damaged = damaged
        self.digest = digest
    }

    public var body: Value {
        var body: Value = [
            "id": .string(id), "kind": .string(kind), "tokens": .strings(tokens), "digest": .string(digest),
        ]
        if !damaged.isEmpty { body["damaged"] = .strings(damaged) }
        if let around { body["around"] = .strings(around) }
        return body
    }
    public init?(_ body: Value) {
        guard let id = body["id"]?.string, let kind = body["kind"]?.string, let digest = body["digest"]?.string else {
            return nil
        }
        self.init(
            id: id, kind: kind, tokens: body["tokens"]?.strings ?? [], damaged: body["damaged"]?.strings ?? [],
            digest: digest)
        around = body["around"]?.strings
    }
}

/// What an app promises for a kind of item; the checkers hold it to this and no more.
public enum Promise: String, Hashable, Sendable, CaseIterable {
    /// Every payload stays until an edit that saw it replaces or deletes it; concurrent edits are both kept (merged, or as copies).
    case keepsAll
    /// One value; among concurrent edits the channel's rule picks the one that stays (key-value: largest device stamp).
    case lastWriterWins
    /// A flag without payload: once set and synced it stays set.
    case effect
}

/// The systems that can answer for an edit.
public enum Channel: String, Hashable, Sendable, CaseIterable {
    case record, keyValue, document, upload, keychain
}
