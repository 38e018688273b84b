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

    /// Unique in the run, so that bytes with it lead to this edit alone.
    public var token: Token
    /// The person who makes it.
    public var person: Person
    /// The app in which it is made.
    public var app: AppName
    /// The app's own name for the action: `write`, `answer`.
    public var action: String
    /// The item acted on, as `visibleState` will name it.
    public var item: String
    /// What it does to the item.
    public var verb: Verb
    /// The payload for `put`, made by `EditPayload.text`; the flag's value for `effect`; empty for `delete`.
    public var value: String

    /// Nothing is checked here: `value` has to fit `verb`.
    public init(token: Token, person: Person, app: AppName, action: String, item: String, verb: Verb, value: String) {
        self.token = token
        self.person = person
        self.app = app
        self.action = action
        self.item = item
        self.verb = verb
        self.value = value
    }

    /// The form of tapes, commands and notes: all seven members as texts.
    public var body: Value {
        [
            "token": .string(token), "person": .string(person), "app": .string(app), "action": .string(action),
            "item": .string(item), "verb": .string(verb.rawValue), "value": .string(value),
        ]
    }
    /// Reads what `body` writes; nil where a member is missing or there is no such verb.
    public init?(_ body: Value) {
        guard let token = body["token"]?.string, let person = body["person"]?.string, let app = body["app"]?.string,
            let action = body["action"]?.string, let item = body["item"]?.string,
            let verb = body["verb"]?.string.flatMap(Verb.init), let value = body["value"]?.string
        else { return nil }
        self.init(token: token, person: person, app: app, action: action, item: item, verb: verb, value: value)
    }
}

/// One thing that a person can see in an app, every object opened.
public struct Item: Hashable, Sendable {
    /// The app's own name of it: unique in one reader's view of the app.
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
    /// For items whose content carries no text of payloads, or that come from a trace; `around` is not known then.
    public init(id: String, kind: String, tokens: [Token] = [], damaged: [Token] = [], digest: String) {
        self.id = id
        self.kind = kind
        self.tokens = tokens
        self.damaged = damaged
        self.digest = digest
    }

    /// The form of a reading in the history; `damaged` and `around` are absent where there are none.
    public var body: Value {
        var body: Value = [
            "id": .string(id), "kind": .string(kind), "tokens": .strings(tokens), "digest": .string(digest),
        ]
        if !damaged.isEmpty { body["damaged"] = .strings(damaged) }
        if let around { body["around"] = .strings(around) }
        return body
    }
    /// Reads what `body` writes; nil where id, kind or digest are missing.
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
