import FleetModel

/// One request to CloudKit's web service, before it becomes HTTP.
struct WebCall: Hashable {
    var method = "POST"
    /// Below the database: `records/modify`.
    var path: String
    var body: Value
    /// `users/...` exists in the public database only.
    var isPublicOnly = false
    /// What an error object for the whole request speaks about.
    var subject = CloudKitFailure.Subject.request
    /// The whole target, where it does not lie below the database; path and body mean nothing then.
    private(set) var address: String?
    /// Sent as they are, to `address`.
    private(set) var bytes: [UInt8] = []
    /// The answer is a file: its bytes come as `data`.
    var isDownload: Bool { address != nil && method == "GET" }
    /// Carried out twice it is not the same as once.
    var isWrite: Bool { address == nil && path.hasSuffix("/modify") }

    init(_ path: String, _ body: Value, about subject: CloudKitFailure.Subject = .request) {
        self.path = path
        self.body = body
        self.subject = subject
    }
    /// A file on its way up.
    init(upload bytes: [UInt8], to address: String) {
        self.init("assets", .empty)
        (self.bytes, self.address) = (bytes, address)
    }
    /// A file on its way down.
    init(download address: String) {
        self.init("assets", .empty)
        (method, self.address) = ("GET", address)
    }
}

/// What became of one record of a modify operation.
struct RecordOutcome: Hashable {
    /// `zone/record`.
    var place: String
    /// Edits that the record carried.
    var tokens: [Token]
    /// Nil: saved.
    var failure: CloudKitFailure?
}

/// What an operation came to.
struct OperationResult: Hashable {
    /// For the app.
    var answer: Value
    /// For the history, one for each record that carried edits.
    var outcomes: [RecordOutcome] = []

    init(_ answer: Value, outcomes: [RecordOutcome] = []) {
        self.answer = answer
        self.outcomes = outcomes
    }
}

/// What an operation wants next.
enum OperationStep {
    case send(WebCall)
    /// The service asked for patience with some items: send this after a pause. Long-lived operations only.
    case sendLater(WebCall, CloudKitFailure)
    case finish(OperationResult)
}

/// The work of one `ck.` message: a value that is told the service's answers and says what to ask next. It knows neither the
/// network nor time; `RecordDaemon` owns tries, pauses and the journal.
protocol RecordOperation {
    /// The first request.
    mutating func start() -> OperationStep
    /// The answer to the last request. `retried`: the service may have seen that request before, and have acted.
    mutating func receive(_ answer: WebAnswer, retried: Bool) -> OperationStep
    /// What to keep of a part done, so that a restart does not begin anew; nil when nothing is worth it.
    var progress: Value? { get }
    /// Takes up from `progress` before `start`.
    mutating func resume(from progress: Value)
    /// Zones whose writes go out in the order in which they were given; none for reads.
    var orderedZones: [String] { get }
}

extension RecordOperation {
    var progress: Value? { nil }
    mutating func resume(from progress: Value) {}
    var orderedZones: [String] { [] }
}

/// An operation of one request whose answer is rewritten for the app.
struct SingleCall: RecordOperation {
    var call: WebCall
    var read: (Value) -> WebAnswer

    mutating func start() -> OperationStep { .send(call) }
    mutating func receive(_ answer: WebAnswer, retried: Bool) -> OperationStep {
        switch answer.flatMap(read) {
        case .success(let value): .finish(OperationResult(value))
        case .failure(let failure): .finish(OperationResult(failure.answer))
        }
    }
}

/// Makes operations of messages: one line for each `ck.` message that needs the network.
enum RecordOperations {
    /// - Parameters:
    ///   - device: this iPad's name, as the service writes it into records.
    ///   - persistent: the operation outlives refusals for the moment (long-lived).
    /// - Throws: `RecordFault` when the message is malformed or refused without asking.
    static func make(
        _ message: RecordMessage, scope: RecordScope, device: String, persistent: Bool, _ switches: PadSwitches
    ) throws(RecordFault) -> any RecordOperation {
        switch message.name {
        case RecordMessages.Modify.name: try modify(message, scope: scope, device: device, persistent: persistent)
        case RecordMessages.Lookup.name: withFiles(try LookupOperation(message), persistent)
        case RecordMessages.Query.name: withFiles(try SingleCall.query(message, scope: scope, switches), persistent)
        case RecordMessages.Zones.name: try ZonesOperation(message, scope: scope)
        case RecordMessages.ZoneChanges.name: withFiles(try SingleCall.zoneChanges(message), persistent)
        case RecordMessages.DatabaseChanges.name: try SingleCall.databaseChanges(message)
        case RecordMessages.FetchZones.name: try SingleCall.zones(message)
        case RecordMessages.Subscribe.name: try SubscribeOperation(message)
        case RecordMessages.Unsubscribe.name: try SingleCall.unsubscribe(message)
        case RecordMessages.Subscriptions.name: try SingleCall.subscriptions(message)
        case RecordMessages.UserRecordID.name: SingleCall.userRecordID()
        case RecordMessages.Permission.name: SingleCall.permission()
        case RecordMessages.Discover.name: try SingleCall.discover(message)
        case RecordMessages.ShareMetadata.name: try SingleCall.shares(message, accepting: false)
        case RecordMessages.AcceptShares.name: try SingleCall.shares(message, accepting: true)
        default: throw .malformed("there is no message '\(message.name)'; local-link.md, section Records, lists them")
        }
    }

    private static func modify(
        _ message: RecordMessage, scope: RecordScope, device: String, persistent: Bool
    ) throws(RecordFault) -> any RecordOperation {
        let make = { (body: Value) throws(RecordFault) -> ModifyOperation in
            try ModifyOperation(
                RecordMessage(Message(message.name, body)), scope: scope, device: device, persistent: persistent)
        }
        if let uploads = try AssetUploads(message.body, make: make) { return uploads }
        return try make(message.body)
    }
    /// What is kept for a later launch holds no files.
    private static func withFiles(_ read: any RecordOperation, _ isPersistent: Bool) -> any RecordOperation {
        isPersistent ? read : AssetDownloads(read)
    }
}
