import FleetModel
import Storage

/// The CloudKit daemon (`cloudd`): takes `ck.` messages of the apps to CloudKit's web service and the answers back.
///
/// Reads a message, checks account and scope, and hands the work on: `OrdinaryOperations` belong to their launch,
/// `LongLivedOperations` to the person. Not modelled: scheduling by quality of service.
final class RecordDaemon: Daemon {
    static let service = "ck"
    static let isOfAccount = true

    private var ordinary = OrdinaryOperations()
    private var longLived = LongLivedOperations()
    private var notifications = RecordNotifications()
    private var merges = MergeWatch()

    init() {}

    func boot(_ pad: any PadServices) {
        ordinary.removeAll()
        notifications.removeAll()
        merges.removeAll()
        longLived.boot(pad)
    }

    func call(_ message: Message, from app: AppIdentity, _ pad: any PadServices) -> Message {
        if message.name == RecordMessages.LongLived.name {
            return Message(
                message.name,
                ["ops": longLived.list(of: app, named: RecordMessages.LongLived(lenient: message.body).op, pad)])
        }
        guard RecordMessages.Common(lenient: message.body).longLived == true else {
            return Message(message.name, RecordFault.malformed("'\(message.name)' is not a call; post it").answer)
        }
        return Message(message.name, RecordMessages.Kept(handOver(message, from: app, pad)).body)
    }
    /// A long-lived operation may be called instead of posted: then the app knows at once whether the journal has it. Its results, and the
    /// reason of a refusal, come as those of a post do.
    private func handOver(_ message: Message, from app: AppIdentity, _ pad: any PadServices) -> Bool {
        var message = message
        // The journal tells a retry by equal messages.
        let exchange = message.handOverExchange
        message.body["exchange"] = nil
        do {
            try submit(message, exchange: exchange, app: app, pad)
            return true
        } catch {
            refuse(message, error, exchange, app, pad)
            return false
        }
    }

    func post(_ message: Message, exchange: UInt64, from app: AppIdentity, _ pad: any PadServices) {
        do {
            switch message.name {
            case RecordMessages.AccountStatus.name:
                pad.post(
                    Message(
                        message.name,
                        RecordMessages.AccountStatus.Answer(Int64(pad.accountStatus(of: app.account))).body),
                    exchange: exchange, to: app)
            case RecordMessages.Attach.name:
                let op = try RecordMessage(message).text("op")
                try longLived.attach(op, as: message.name, exchange: exchange, app: app, pad)
            case RecordMessages.Cancel.name:
                let op = try RecordMessage(message).text("op")
                ordinary.cancel(op, of: app, pad)
                longLived.cancel(op, of: app, pad)
            default:
                try submit(message, exchange: exchange, app: app, pad)
            }
        } catch {
            refuse(message, error, exchange, app, pad)
        }
    }

    private func refuse(
        _ message: Message, _ fault: RecordFault, _ exchange: UInt64, _ app: AppIdentity, _ pad: any PadServices
    ) {
        pad.noteAnswer(fault.answer, to: message, of: app)
        if exchange != 0 { pad.post(Message(message.name, fault.answer), exchange: exchange, to: app) }
    }

    private func submit(
        _ message: Message, exchange: UInt64, app: AppIdentity, _ pad: any PadServices
    ) throws(RecordFault) {
        let message = try RecordAssets.enclose(message, of: app, pad)
        let reader = RecordMessage(message)
        let op = try reader.text("op")
        guard op.utf8.count <= 255 else { throw .malformed("\(message.name): 'op' is longer than 255 bytes") }
        let isLongLived = try reader.flag("longLived")
        let scope = try RecordScope(reader, environment: pad.entitlements(of: app).environment)
        try checkEntitlement(scope.container, app, pad)
        let settings = try OperationSettings(reader)
        let work = try RecordOperations.make(
            reader, scope: scope, device: pad.deviceName, persistent: isLongLived, pad.switches)
        if !OperationRun.isNobodys(message, scope, app.account, pad) { try checkAccount(app.account, message, pad) }
        guard
            let run = OperationRun(
                message, op: op, scope: scope, settings: settings, work: work, app: app, exchange: exchange)
        else { return }
        notifications.use(scope.container, app: app, pad)
        if isLongLived { try longLived.submit(run, pad) } else { try ordinary.submit(run, pad) }
    }

    /// Source: cloudkit-framework.md 1 and 13: `missingEntitlement` 8 without CloudKit, `badContainer` 5 for a container not listed.
    private func checkEntitlement(
        _ container: String, _ app: AppIdentity, _ pad: any PadServices
    ) throws(RecordFault) {
        let entitlements = pad.entitlements(of: app)
        guard entitlements.hasRecords else {
            throw .refused(CloudKitFailure(code: 8, "\(app.app) has no entitlement for CloudKit; add the service"))
        }
        guard entitlements.records.contains(container) else {
            throw .refused(
                CloudKitFailure(code: 5, "\(app.app) has no entitlement for '\(container)'; list the container"))
        }
    }

    /// What is not `isNobodys` needs an account, in the public database too (cloudkit-framework.md 1; S223). The name of the person is
    /// told only while Documents & Data are on (identity.md 3, 4).
    private func checkAccount(
        _ person: Person, _ message: Message, _ pad: any PadServices
    ) throws(RecordFault) {
        // The older rule (S107): a token is all that is asked for.
        if pad.switches.is("privateDatabase", "identityToken") {
            guard pad.identity(of: person) != nil else { throw .refused(.notAuthenticated) }
            return
        }
        let wantsName = message.name == RecordMessages.UserRecordID.name
        switch pad.accountStatus(of: person) {
        case 2 where !wantsName: throw .refused(.managedAccountRestricted)
        case 2, 3: throw .refused(.notAuthenticated)
        case 4: throw .refused(.accountNotReady)
        default: if wantsName, pad.identity(of: person) == nil { throw .refused(.notAuthenticated) }
        }
    }

    func reply(_ reply: NetworkReply, to task: NetworkTask, _ pad: any PadServices) {
        let finished: FinishedOperation? =
            if OrdinaryOperations.owns(task) {
                ordinary.reply(reply, to: task, pad)
            } else if LongLivedOperations.owns(task) {
                longLived.reply(reply, to: task, pad)
            } else {
                nil
            }
        if let finished { merges.see(finished, pad) }
    }

    func pushed(_ message: Message, person: Person, _ pad: any PadServices) {
        notifications.pushed(message, person: person, pad)
    }

    func wake(_ pad: any PadServices) {
        ordinary.wake(pad)
        longLived.wake(pad)
    }
    var nextWake: Instant? { [ordinary.nextWake, longLived.nextWake].compactMap { $0 }.min() }

    func observe(_ event: SystemEvent, _ pad: any PadServices) {
        switch event {
        case .signedIn, .networkReturned:
            ordinary.networkReturned(pad)
            longLived.networkReturned(pad)
        case .removed(let person):
            ordinary.forget(person, pad)
            longLived.forget(person, pad)
            notifications.forget(person)
        case .appEntered(let app, .suspended): longLived.taken(app, pad)
        case .appEntered(let app, let phase) where phase != .notRunning:
            longLived.resumed(app)
            notifications.entered(app, pad)
        case .appEnded(let app, _):
            ordinary.ended(app, pad)
            merges.ended(app)
            longLived.ended(app)
        case .pushHandled(let app, let hadNews): notifications.handled(app, hadNews: hadNews)
        case .accountLeft(let app):
            ordinary.left(app, pad)
            merges.ended(app)
            longLived.ended(app)
        case .accountEntered(let app): notifications.entered(app, pad)
        // The queues go on after sign-out, and hold nothing that a purge may take.
        case .identityChanged(_, let token, _): if token != nil { longLived.networkReturned(pad) }
        case .signedOut, .appEntered, .purged, .suitsDiscretionary: break
        }
    }

    func pending(of person: Person) -> [PendingItem] { longLived.pending(of: person) }
    func queuedTokens(of person: Person) -> [Token] { longLived.queuedTokens(of: person) }
}

extension Message {
    /// Under which exchange a call wants its results posted; 0: it wants none.
    var handOverExchange: UInt64 { RecordMessages.Common(lenient: body).exchange ?? 0 }
}

extension RecordDaemon {
    func checkInvariants() throws(BrokenInvariant) {
        try ordinary.checkInvariants()
        try longLived.checkInvariants()
    }
}
