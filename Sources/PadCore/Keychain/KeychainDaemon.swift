import FleetModel
import Storage

/// securityd: the keychain of every person of the iPad, synced among the devices of the account (S29, S30; identity.md 5).
///
/// Syncing needs no class keys: it goes on while the iPad is locked, and for people who have signed out (shared-ipad.md 4).
///
/// Not modelled: certificates and keys. ASSUMED: a change is stamped at least one above the version it replaces, so that a device whose
/// clock runs behind can still change an item that a fast clock wrote.
final class KeychainDaemon: Daemon {
    static let service = "keychain"

    private var vaults: [Person: KeychainVault] = [:]
    /// Who is signed in: only that person's items are polled for.
    private var session: Person?
    private(set) var nextWake: Instant?

    /// Pushes may be lost; this often the Cloud is asked anyway. ASSUMED.
    static let pollInterval = Span.minutes(15)
    /// How soon to look again whether requests can leave, when nothing tells us.
    static let unreachablePause = Span.seconds(60)

    init() {}

    func boot(_ pad: any PadServices) {
        vaults = [:]
        session = nil
        // Without room for its table there is no vault yet: the first call tries again.
        for person in pad.people { pad.attempt("the keychain of \(person)") { _ = try vault(of: person, pad) } }
        pump(pad)
    }

    func call(_ message: Message, from app: AppIdentity, _ pad: any PadServices) -> Message {
        defer { pump(pad) }
        do {
            return Message(message.name, try answer(message, app, pad))
        } catch let refusal as KeychainStatus {
            let asked = KeychainMessages.Update(lenient: message.body)
            pad.note(
                AnswerNotes.refusal(
                    NoteDetail.Answered { ($0.code, $0.domain) = (.int(refusal.rawValue), "OSStatus") }, of: message,
                    .keychain,
                    at: asked.account,
                    tokens: EditPayload.scan(asked.data ?? []).tokens, of: app))
            return Message(message.name, KeychainMessages.Status(refusal.rawValue).body)
        } catch {
            return Message(message.name, ServiceError(error, doing: message.name).body)
        }
    }

    func post(_ message: Message, exchange: UInt64, from app: AppIdentity, _ pad: any PadServices) {
        guard exchange != 0 else { return }
        let error = ServiceError.malformed("\(message.name) is a call, not a post")
        pad.post(Message(message.name, error.body), exchange: exchange, to: app)
    }

    func pushed(_ message: Message, person: Person, _ pad: any PadServices) {
        vaults[person]?.wantsFetch = true
        pump(pad)
    }

    func wake(_ pad: any PadServices) { pump(pad) }

    func observe(_ event: SystemEvent, _ pad: any PadServices) {
        switch event {
        case .signedIn(let person):
            session = person
            (try? vault(of: person, pad))?.wantsFetch = true
            hasten()
        case .signedOut(let person):
            if session == person { session = nil }
            vaults[person]?.nextPoll = nil
        case .removed(let person): vaults[person] = nil
        case .networkReturned:
            if let session { vaults[session]?.wantsFetch = true }
            hasten()
        case .appEntered(let app, .active): vaults[app.person]?.wantsFetch = true
        case .appEntered, .appEnded, .purged, .identityChanged, .accountLeft, .accountEntered,
            .suitsDiscretionary, .pushHandled:
            return
        }
        pump(pad)
    }

    func pending(of person: Person) -> [PendingItem] {
        guard let vault = vaults[person] else { return [] }
        let waitsFor =
            vault.sent != nil
            ? "answer" : vault.retry.attempt > 0 ? "retry at \(vault.retry.notBefore.wallClock)" : "network"
        if !vault.dirty.isEmpty {
            let what = "keychain upload of \(vault.dirty.count) item\(vault.dirty.count == 1 ? "" : "s")"
            return [PendingItem(what: what, waitsFor: waitsFor, tokens: queuedTokens(of: person))]
        }
        let isFetching = vault.sent != nil || vault.wantsFetch && session == person
        return !isFetching ? [] : [PendingItem(what: "keychain fetch", waitsFor: waitsFor, tokens: [])]
    }
    func queuedTokens(of person: Person) -> [Token] {
        var tokens: [Token] = []
        for token in (vaults[person]?.dirty ?? []).flatMap(\.tokens) where !tokens.contains(token) {
            tokens.append(token)
        }
        return tokens
    }

    private func hasten() { for vault in vaults.values { vault.retry.hasten() } }

    /// The person's vault; nil when the person is not cached here. A volume that was opened anew gets a new one.
    func vault(of person: Person, _ pad: any PadServices) throws -> KeychainVault? {
        guard let volume = pad.volume(of: person) else { return nil }
        if let vault = vaults[person], vault.volume === volume { return vault }
        let vault = try KeychainVault(volume)
        vaults[person] = vault
        return vault
    }
}

// MARK: - Sync

extension KeychainDaemon {
    private static let taskName = "sync"

    /// Starts what can start, and works out when to look again.
    private func pump(_ pad: any PadServices) {
        nextWake = nil
        for person in pad.people {
            guard let vault = vaults[person] else { continue }
            guard pad.hasAccount(person), !pad.switches.is("keychainSync", "none") else {
                vault.wantsFetch = false
                continue
            }
            if session == person, let poll = vault.nextPoll, poll <= pad.now { vault.wantsFetch = true }
            if session == person, vault.nextPoll.map({ $0 <= pad.now }) ?? true {
                vault.nextPoll = pad.now + Self.pollInterval
            }
            send(vault, pad)
            wakeAt(vault.nextPoll)
            guard vault.sent == nil, vault.wantsFetch || !vault.dirty.isEmpty else { continue }
            wakeAt(pad.canReachNetwork(as: person) ? vault.retry.notBefore : pad.now + Self.unreachablePause)
        }
    }
    private func wakeAt(_ instant: Instant?) {
        guard let instant else { return }
        nextWake = nextWake.map { min($0, instant) } ?? instant
    }

    private func send(_ vault: KeychainVault, _ pad: any PadServices) {
        let person = vault.volume.person
        guard vault.sent == nil, vault.wantsFetch || !vault.dirty.isEmpty, vault.retry.isDue(at: pad.now),
            pad.canReachNetwork(as: person)
        else { return }
        guard let since = try? vault.since() else { return vault.retry.failed(at: pad.now) }
        let writes = vault.dirty
        var request = HTTPRequest(
            post: "/keychain/v1/sync", json: ["since": .int(since), "writes": .array(writes.map(\.body))])
        // The id names the content: a retry has the same, a later batch another. Reading needs none, and must never be answered from memory.
        if !writes.isEmpty {
            request.headers["X-Homeroom-Request"] = "\(pad.deviceName).\(Self.name(of: request.body))"
        }
        let task = NetworkTask(service: Self.service, person: person, name: Self.taskName, attempt: vault.retry.attempt)
        vault.sent = writes
        vault.wantsFetch = false
        pad.send(request, task: task, cause: queuedTokens(of: person).first ?? "keychain \(Self.taskName)")
    }
    private static func name(of body: [UInt8]) -> String {
        var hash = StableHash()
        hash.add(body)
        return String(hash.value, radix: 16)
    }

    func reply(_ reply: NetworkReply, to task: NetworkTask, _ pad: any PadServices) {
        guard let vault = vaults[task.person], vault.sent != nil else { return }
        defer { pump(pad) }
        let response: HTTPResponse? = if case .response(let response) = reply { response } else { nil }
        // A captive portal answers 200 with a page: only a body of the right shape counts.
        if let response, response.isSuccess, let answer = response.json.flatMap(KeychainAnswer.init(fieldValue:)),
            pad.attempt(
                "the keychain of \(task.person)",
                { try vault.merge(answer.changes, seq: answer.sequence, pad.switches) })
        {
            vault.retry.succeeded()
        } else {
            vault.retry.failed(at: pad.now, response)
            vault.wantsFetch = true
        }
        vault.sent = nil
    }
}

extension KeychainDaemon {
    func checkInvariants() throws(BrokenInvariant) {
        for vault in vaults.values { try vault.checkInvariants() }
    }
}

/// The Cloud's answer to `/keychain/v1/sync`.
private struct KeychainAnswer: FieldGroup {
    var changes: [KeychainItem] = []
    var sequence: Int64 = 0
    init() {}
    mutating func visit(_ fields: inout Fields) {
        fields.required("changes", &changes)
        fields.required("seq", &sequence)
    }
}
