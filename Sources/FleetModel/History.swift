/// What a participant, the World or a reader knows and a checker needs. The history is the list of these; checkers see nothing else.
public struct Note: Hashable, Sendable {
    /// What was learned. The raw value is its name in traces; the comment of each has its members.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        // The run
        /// An app is part of the run. `app`; detail `promises` {kind: Promise}, `channel`, `purgeable`.
        case appDeclared
        /// `detail.name`: storm, calm, reading-core, reading-new, reading-again.
        case phase
        /// A fault window began / healed. `detail`: `id`, `kind`, `target`.
        case faultBegan, faultHealed
        /// `detail.name` of a mustReach mark: something worth having happened did happen.
        case mark
        /// This history is one part of a run that was split: `detail.shard` (`2/3`), `detail.run`, `events`, `speed`, `wallMilliseconds`. It proves nothing without the other parts.
        case part

        /// Of a live run: how far the moments of the Cloud's notes may stand from where they happened. `detail`, ns: `error` of a clock's time,
        /// `inRun` of the run's.
        case clocks

        /// What ended the run before its time: it proves nothing of what came of the edits. `detail.reason`.
        case obstacle

        // An edit's ladder
        /// A person tried an edit. `tokens` = [it]; `detail.edit` = Edit body.
        case invoked
        /// The app's handler is called. `detail.saw` = tokens and `detail.sawDigest` of the item just before. Whatever the app does with the
        /// edit comes after it: an edit that never began did not happen. `detail.account`: the iCloud account it is made in, when that is not the
        /// person's own; null: none (identity.md 3).
        case began
        /// The handler returned.
        case performed
        /// The app or the device visibly refused. `detail.reason`.
        case refused
        /// A system service answers for these tokens from now on. `channel`.
        case handedOver
        /// Handed back to the app by a definite refusal: it must perform again or the edit is its own loss. `detail.code`.
        case handedBack
        /// An app was told what became of something that it had asked with these tokens, and it was no plain success: noted by its iPad as the
        /// answer goes to the app. A plain success (`success` true) is noted of a record of which the app has a later version under way. `channel`; `detail`: `what` (`ck.modify`, `transfer.upload`, `http.send`, `kvs.set`, `docs.put`, `keychain.add`,
        /// `file.write`), `launch`; then what there is of `code` and `domain` of the error, `status` and `body` of an answer over HTTP (`html`, `json`,
        /// `empty`, `other`), `where` (zone/record, address, key, path), `policy` and `tag` of a save, `serverTag` of the record that stood
        /// in its way and `by`, the tokens in it; `cutOff` true: nobody heard the answer, because the app ended first.
        case answered
        /// The last file of the app on this iPad that held these tokens was removed or rewritten without them, while no service answered
        /// for them, or only an upload that had not ended (`underWay` true). `detail`: `where` (the path), `what` (`file.remove`), `by` (tokens that
        /// were written in their place), `launch`.
        case forgotten
        /// An app looked for what others have changed, and was given an answer that does not pass by itself. `tokens`: what was in it. `channel`;
        /// `detail`: `what` (`ck.zoneChanges`, `ck.query`, `http.send`), `launch`, `more` true when there is a next page; of a refusal its `code` and
        /// `domain`, or `status` and `body`.
        case fetched
        /// The Cloud committed these tokens. `channel`; `detail.where` = zone/record, key, path.
        case committed
        /// The Cloud replaced or deleted what carried these tokens. `detail.by` = tokens of the replacement (may be empty).
        case replaced
        /// A key-value write was accepted for upload. `detail`: `key`, `stamp` (device time, ns), `device`.
        case stamped

        // Life
        /// `detail.first` = true when the person was new to the iPad; `detail.guest` = true for a session without an account.
        case signedIn, signedOut
        /// A sign-in failed. `detail.reason`.
        case signInRefused
        case appLaunched, appSuspended, appResumed
        /// `detail.reason`: terminated, memory, forceQuit, crash, watchdog, userSwitch, powerCut, reboot, erase, update, removed, exitsOnSuspend.
        case appExited
        /// Local data of an app (or with `app` nil of the whole person) was removed. `detail.reason`: signOut, lowSpace, eviction,
        /// deleteUser, forceDeletion, eraseDevice, temporarySession, appRemoved. `tokens`: what went though it was not everywhere yet.
        case purged
        case powerCut, rebooted, cloudCrashed, cloudRestarted, identityChanged
        /// Background transfers cancelled by a force-quit. `tokens`.
        case transfersCancelled

        // Sharing (CloudKit)
        /// `person` may see from now on what lies in a share of somebody else's / no longer may: left, taken out, or the share has
        /// ended. `detail`: `owner`, `zone`, `share` (a name that is the zone's own covers all of the zone: `cloudkit.zoneshare`).
        case shareJoined, shareLeft
        /// A record of `person` has come under a share, or (empty) out of one. `tokens` in it; `detail.where` = zone/record, `detail.share`.
        case shareCovers

        /// A person deleted a zone of records in iCloud. `tokens`: what was in it. `detail.where`.
        case zoneDeleted

        // The schema of production, where the run watches it
        /// An app needs something of its container's schema, told once: `detail`: `container` and a `SchemaNeed`'s body.
        case schemaUsed
        /// The Cloud refused what production's schema does not have. `tokens` of what was to be saved; `detail`: `container`, `type`, `use`,
        /// `device`, and `lines`: what is to be deployed.
        case undeployed

        // The service, where the run audits it
        /// A request about records and what the Cloud answered (`ServiceCheck`); only of a Cloud that was told to note it (`audit`). `detail`: `path`
        /// (container/environment/database/operation), `device`, `asked`, `answer`, `repeated` true where it was answered before.
        case served

        // Measured
        /// An app was handed what bears `tokens`, and this launch had not been handed them before: edits of another iPad or of an earlier
        /// launch. Only on iPads that were told to note it (`notesArrivals`). `detail.launch`.
        case arrived

        // Habits
        /// Something an app did that `HabitLint` judges; only on iPads that were told to watch (`habits`). `detail.what`, and what belongs
        /// to it.
        case habit

        // Final reading
        /// What is about to be read, before it is: `detail.reader` (core/new/again), `apps`, `places` [{pad, people}]. Of a split run each part
        /// says its own. Everybody named is read in every app, or the reading says why not.
        case readingPlanned
        /// One reader's whole view. `person`, `app`; `detail`: `reader` (core/new/again), `items` [Item body], `complete` Bool.
        case read
        /// Something still waits when calm ends. `detail`: `what`, `waitsFor`.
        case pending
        /// Tokens found in a place: `detail.where` = cloudTable, padQueue, padDisk; `person` = owner of the place.
        case observed
    }

    /// Says which of the other members there are.
    public var kind: Kind
    /// Whom it is about; nil for what concerns nobody in particular.
    public var person: Person?
    /// The app it is about.
    public var app: AppName?
    /// The service that carried the tokens.
    public var channel: Channel?
    /// The edits it is about; the order says nothing unless the kind says so.
    public var tokens: [Token]
    /// What else the kind has, as an object.
    public var detail: Value

    /// Nothing is checked against the kind: its comment says what to give.
    public init(
        _ kind: Kind, person: Person? = nil, app: AppName? = nil, channel: Channel? = nil, tokens: [Token] = [],
        detail: Value = .empty
    ) {
        self.kind = kind
        self.person = person
        self.app = app
        self.channel = channel
        self.tokens = tokens
        self.detail = detail
    }
}

/// A note with its moment and its witness.
public struct HistoryEvent: Hashable, Sendable {
    /// The moment at which it was noted.
    public var at: Instant
    /// The participant that knows it.
    public var from: ParticipantID
    /// What it knows.
    public var note: Note

    /// The order of arguments is that of a line in a trace: when, who, what.
    public init(at: Instant, from: ParticipantID, _ note: Note) {
        self.at = at
        self.from = from
        self.note = note
    }

    /// The JSON line of the trace.
    public var body: Value {
        // Each run writes thousands: in the order of their keys they go to their places at once.
        var body = Value.Object(reserving: 8)
        if let app = note.app { body["app"] = .string(app) }
        if let channel = note.channel { body["channel"] = .string(channel.rawValue) }
        if note.detail != .empty { body["detail"] = note.detail }
        body["from"] = .string(from.description)
        body["note"] = .string(note.kind.rawValue)
        if let person = note.person { body["person"] = .string(person) }
        body["t"] = .int(at.nanoseconds)
        if !note.tokens.isEmpty { body["tokens"] = .strings(note.tokens) }
        return .object(body)
    }
    /// Reads what `body` writes; nil where time, witness or kind are missing or unknown.
    public init?(_ body: Value) {
        guard let at = body["t"]?.int, let from = body["from"]?.string.flatMap({ ParticipantID($0) }),
            let kind = body["note"]?.string.flatMap(Note.Kind.init)
        else { return nil }
        self.init(
            at: Instant(nanoseconds: at), from: from,
            Note(
                kind, person: body["person"]?.string, app: body["app"]?.string,
                channel: body["channel"]?.string.flatMap(Channel.init), tokens: body["tokens"]?.strings ?? [],
                detail: body["detail"] ?? .empty))
    }
}

extension Note {
    func write(to writer: inout ByteWriter) {
        writer.string(kind.rawValue)
        writer.string(person ?? "")
        writer.string(app ?? "")
        writer.string(channel?.rawValue ?? "")
        writer.varint(UInt64(tokens.count))
        for token in tokens { writer.string(token) }
        detail.write(to: &writer)
    }
    init(from reader: inout ByteReader) throws(DecodingFailure) {
        guard let kind = Kind(rawValue: try reader.string()) else {
            throw DecodingFailure("unknown note", at: reader.offset)
        }
        func nonEmpty(_ text: String) -> String? { text.isEmpty ? nil : text }
        let person = nonEmpty(try reader.string())
        let app = nonEmpty(try reader.string())
        let channel = Channel(rawValue: try reader.string())
        var tokens: [Token] = []
        for _ in 0..<(try reader.count()) { tokens.append(try reader.string()) }
        self.init(kind, person: person, app: app, channel: channel, tokens: tokens, detail: try Value(from: &reader))
    }
}
